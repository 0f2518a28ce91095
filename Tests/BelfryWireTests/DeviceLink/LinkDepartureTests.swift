import PushWire
import Testing

/// Tests of the ways in which a device leaves its link (`docs/device-link.md` 3, Leaving).
@Suite struct LinkDepartureTests {
  private static let hint = LinkFrame.ReconnectHint(afterMilliseconds: 0, jitterMilliseconds: 0)

  /// Returns a pair whose device has stored a notification and has not acknowledged it yet.
  private func owing() -> LinkPair {
    let pair = LinkPair.up()
    _ = pair.deliver(1)
    pair.feedClient()
    #expect(pair.received.count == 1 && pair.toServer.isEmpty)
    return pair
  }

  @Test func `a device acknowledges before it goes offline`() {
    let pair = owing()
    _ = pair.client.goOffline(at: pair.now, output: &pair.toServer)
    pair.exchange()
    #expect(pair.settled == [1])
    #expect(pair.isServerClosed)
  }

  @Test func `a device acknowledges before it reconnects with a new certificate`() {
    let pair = owing()
    _ = pair.client.comeBack(at: pair.now, output: &pair.toServer)
    pair.exchange()
    #expect(pair.settled == [1])
    #expect(pair.isServerClosed)
  }

  @Test func `a device acknowledges before it reconnects at the gateway's request`() {
    let pair = owing()
    pair.toClient = LinkFrame.reconnect(Self.hint).encoded
    pair.exchange()
    #expect(pair.settled == [1])
    #expect(pair.isServerClosed)
  }

  @Test func `a draining gateway refuses requests temporarily`() {
    let pair = LinkPair.up()
    _ = pair.server.drain(hint: Self.hint, milliseconds: 500, at: pair.now, output: &pair.toClient)
    (pair.toClient, pair.serverActions) = ([], [])
    pair.toServer = LinkFrame.topic(.register, request: 9, LinkPair.topic).encoded
    pair.feedServer()
    #expect(pair.toClient == LinkFrame.refused(request: 9, .tryLater).encoded)
    #expect(pair.serverActions.isEmpty && !pair.isServerClosed)
  }
}
