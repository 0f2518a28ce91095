import PushWire
import Testing

/// Tests of the renewal of a device's certificate (`docs/device-link.md` 3, Renewal).
@Suite struct LinkRenewalTests {
  private static let former = [UInt8](repeating: 1, count: 32)
  private static let new = [UInt8](repeating: 2, count: 32)
  private static let renewed = LinkFrame.Renewed(certificate: [1], authorities: [[2], [3]])
  /// The time, in seconds since 1970, on the gateway's clock when the link is up.
  private static let upSeconds: Int64 = 1_700_000_000

  /// Returns a pair whose link is up.
  ///
  /// The device trusts the previous authorities. `mark` identifies the gateway's authorities.
  private func pair(_ mark: [UInt8]?, renewAt seconds: Int64 = .max) -> LinkPair {
    let pair = LinkPair()
    pair.trustMark = mark
    pair.client.use(
      LinkCredential(publicKey: [9, 9], trustMark: Self.former, renewAtSeconds: seconds))
    _ = pair.client.goOnline()
    pair.open()
    pair.exchange()
    return pair
  }

  private func asks(_ pair: LinkPair) -> Int {
    pair.serverActions.count { $0.hasPrefix("renew") }
  }

  private func answer(_ pair: LinkPair, _ answer: DeviceLinkServer.RenewalAnswer) {
    pair.server.answerRenewal(answer, output: &pair.toClient)
    pair.exchange()
  }

  @Test
  func
    `a device that trusts other authorities renews at once and reconnects with its new certificate`()
  {
    let pair = pair(Self.new)
    #expect(pair.serverActions.last == "renew(publicKey: [9, 9])")
    answer(pair, .renewed(Self.renewed))
    #expect(pair.clientActions.last == "\(DeviceLinkClient.Action.renewed(Self.renewed))")
    pair.client.use(
      LinkCredential(publicKey: [9, 9], trustMark: Self.new, renewAtSeconds: .max))
    let action = pair.client.comeBack(at: pair.now, output: &pair.toServer)
    #expect(action == .disconnect(LinkFault(.goodbye)))
    pair.lose()
    #expect(
      pair.client.timerFired(at: pair.now, output: &pair.toServer) == .connect(host: "", port: 0))
    pair.open()
    pair.exchange()
    pair.advance(seconds: 600)
    #expect(pair.isUp && asks(pair) == 1)
  }

  @Test func `a device that trusts them asks when its certificate is due, by the gateway's clock`()
  {
    let pair = pair(Self.former, renewAt: Self.upSeconds + 3_600)
    pair.advance(seconds: 3_500)
    #expect(asks(pair) == 0)
    pair.advance(seconds: 200)
    #expect(asks(pair) == 1)
  }

  @Test func `authorities that change while the link is up are heard of`() {
    let pair = pair(Self.former)
    #expect(asks(pair) == 0)
    pair.server.announce(trustMark: Self.new, output: &pair.toClient)
    pair.exchange()
    #expect(asks(pair) == 1)
  }

  @Test func `a gateway that renews nothing is never asked`() {
    let pair = pair(nil, renewAt: 0)
    pair.advance(seconds: 4_000)
    #expect(pair.isUp && asks(pair) == 0)
  }

  @Test func `a device that does not renew receives no renewal frames and must not send any`() {
    let pair = LinkPair()
    pair.trustMark = Self.new
    _ = pair.client.goOnline()
    pair.open()
    pair.feedServer()
    let connected = LinkFrame.connected(
      device: LinkPair.device, unixMilliseconds: 1_700_000_000_000)
    #expect(pair.toClient.suffix(connected.encoded.count) == connected.encoded[...])
    LinkFrame.renew(publicKey: [9, 9]).encode(to: &pair.toServer)
    pair.exchange()
    let fault = LinkFault(.unexpectedFrame, frameType: LinkFrameType.renew.rawValue)
    #expect(pair.serverActions.last == "\(DeviceLinkServer.Action.close(fault))")
  }

  @Test func `a device whose renewal is refused waits as long as the gateway asks`() {
    let pair = pair(Self.new)
    answer(pair, .refused(.tooMany, afterSeconds: 900))
    pair.advance(seconds: 890)
    #expect(asks(pair) == 1)
    pair.advance(seconds: 20)
    #expect(asks(pair) == 2)
  }

  @Test func `a renewal that could not be stored is requested again an hour later`() {
    let pair = pair(Self.new)
    answer(pair, .renewed(Self.renewed))
    pair.client.renewalFailed(at: pair.now)
    pair.advance(seconds: 3_500)
    #expect(pair.isUp && asks(pair) == 1)
    pair.advance(seconds: 200)
    #expect(asks(pair) == 2)
  }

  @Test func `an answer that is lost with the connection is asked for again, a minute after`() {
    let pair = pair(Self.new)
    #expect(asks(pair) == 1)
    pair.lose()
    while pair.client.isWaiting {
      pair.now = max(pair.now, pair.client.deadline)
      _ = pair.client.timerFired(at: pair.now, output: &pair.toServer)
    }
    pair.open()
    pair.exchange()
    pair.advance(seconds: 50)
    #expect(pair.isUp && asks(pair) == 1)
    pair.advance(seconds: 20)
    #expect(asks(pair) == 2)
  }

  @Test func `a second request while one is open closes the link`() {
    let pair = pair(Self.new)
    LinkFrame.renew(publicKey: [9, 9]).encode(to: &pair.toServer)
    pair.exchange()
    let fault = LinkFault(.tooManyRequests, frameType: LinkFrameType.renew.rawValue)
    #expect(pair.serverActions.last == "\(DeviceLinkServer.Action.close(fault))")
  }

  @Test func `a certificate that was not asked for closes the link`() {
    let pair = pair(Self.former)
    LinkFrame.renewed(Self.renewed).encode(to: &pair.toClient)
    pair.exchange()
    let fault = LinkFault(.unexpectedFrame, frameType: LinkFrameType.renewed.rawValue)
    #expect(pair.clientActions.last == "\(DeviceLinkClient.Action.disconnect(fault))")
  }
}
