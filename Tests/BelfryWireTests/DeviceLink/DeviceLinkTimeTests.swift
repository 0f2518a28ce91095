import PushWire
import Testing

/// Tests of the timing at each end of a link, to the nanosecond.
@Suite struct DeviceLinkTimeTests {
  /// Returns a pair that has failed to connect five times, so that its next pause would be long.
  private func failing() -> LinkPair {
    let pair = LinkPair.up()
    for _ in 1...5 {
      pair.lose()
      pair.now = pair.client.deadline
      _ = pair.client.timerFired(at: pair.now, output: &pair.toServer)
    }
    pair.open()
    pair.exchange()
    return pair
  }

  /// The pause after the first failure, in nanoseconds, with the smallest random part.
  private let firstPause: Int64 = 125_000_000

  @Test func `a request puts the keep-alive off, as everything does that is sent`() {
    let pair = LinkPair.up()
    pair.advance(seconds: 30)
    let other = LinkTopic(bundleID: "com.example.other")
    pair.client.register(.topic(other), at: pair.now, output: &pair.toServer)
    pair.exchange()
    #expect(pair.client.deadline == pair.now + 60 * LinkPair.second)
  }

  @Test func `a retried request puts the keep-alive off as well`() {
    let pair = LinkPair.up()
    pair.answer = { _, _ in .refused(.tryLater) }
    let other = LinkTopic(bundleID: "com.example.other")
    pair.client.register(.topic(other), at: pair.now, output: &pair.toServer)
    pair.exchange()
    pair.answer = { _, _ in .token(handle: 0x32, token: LinkPair.token) }
    let retry = pair.client.deadline
    #expect(retry < pair.now + 60 * LinkPair.second)
    pair.now = retry
    #expect(pair.client.timerFired(at: retry, output: &pair.toServer) == nil)
    pair.exchange()
    #expect(pair.client.deadline == retry + 60 * LinkPair.second)
  }

  @Test(arguments: [false, true])
  func `a link counts as steady after half a minute, and not before`(isEndedByDevice: Bool) {
    for (nanoseconds, isSteady) in [
      (30 * LinkPair.second, true), (30 * LinkPair.second - 1, false),
    ] {
      let pair = failing()
      pair.now += nanoseconds
      if isEndedByDevice {
        pair.toClient = [0, 0, 0x7E]
        pair.feedClient()
        let fault = LinkFault(.unknownFrame, frameType: 0x7E)
        #expect(pair.clientActions.last == "\(DeviceLinkClient.Action.disconnect(fault))")
      }
      pair.lose()
      let pause = pair.client.deadline - pair.now
      #expect(isSteady ? pause == firstPause : pause > 10 * firstPause, "\(pause)")
    }
  }

  @Test func `a steady link that the device itself gives up is followed by a first pause`() {
    let pair = failing()
    var action: DeviceLinkClient.Action?
    while action == nil {
      pair.now = pair.client.deadline
      action = pair.client.timerFired(at: pair.now, output: &pair.toServer)
    }
    #expect(action == .disconnect(LinkFault(.silent)))
    pair.lose()
    #expect(pair.client.deadline - pair.now == firstPause)
  }

  @Test func `a gateway that takes the device for dead proves the interval too long`() {
    let pair = LinkPair.up()
    pair.advance(seconds: 121)
    #expect(pair.client.provedSeconds == 60)
    pair.server.close(.silent, output: &pair.toClient)
    pair.exchange()
    #expect(pair.client.failedSeconds == 91)
  }

  @Test func `a device that owes an acknowledgement is asked after twenty seconds`() {
    let pair = LinkPair.up()
    pair.persistsAtOnce = false
    _ = pair.deliver(1)
    pair.exchange()
    let due = pair.now + 20 * LinkPair.second
    #expect(pair.server.deadline == due)
    #expect(pair.server.timerFired(at: due - 1, output: &pair.toClient) == nil)
    #expect(pair.toClient.isEmpty)
    #expect(pair.server.timerFired(at: due, output: &pair.toClient) == nil)
    #expect(pair.toClient.first == 0 && pair.toClient.count == 7)
    #expect(pair.server.deadline == due + 15 * LinkPair.second)
  }

  @Test func `a device that acknowledges nothing is given up after three minutes`() {
    let pair = LinkPair.up()
    pair.persistsAtOnce = false
    _ = pair.deliver(1)
    pair.exchange()
    pair.advance(seconds: 179.5)
    #expect(!pair.isServerClosed)
    pair.advance(seconds: 0.5)
    #expect(pair.isServerClosed)
  }

  @Test func `a link that drains is closed at its end, and a new one at its deadline`() {
    let hint = LinkFrame.ReconnectHint(afterMilliseconds: 0, jitterMilliseconds: 0)
    let pair = LinkPair.up()
    _ = pair.server.drain(hint: hint, milliseconds: 500, at: pair.now, output: &pair.toClient)
    let opening = LinkPair()
    _ = opening.client.goOnline()
    opening.open()
    for pair in [pair, opening] {
      let end = pair.server.deadline
      #expect(pair.server.timerFired(at: end - 1, output: &pair.toClient) == nil)
      #expect(pair.server.timerFired(at: end, output: &pair.toClient) != nil)
      #expect(pair.server.timerFired(at: end, output: &pair.toClient) == nil)
    }
  }
}
