import PushWire
import Testing

/// Tests of requests that were refused temporarily or sent without a connection.
@Suite struct DeviceLinkRetryTests {
  @Test func `requests made offline are sent on the next connection`() {
    let pair = LinkPair.up()
    pair.lose()
    pair.client.cancel(.topic(LinkPair.topic), at: pair.now, output: &pair.toServer)
    let other = LinkTopic(bundleID: "com.example.other", kind: .voip)
    pair.client.register(.topic(other), at: pair.now, output: &pair.toServer)
    func owed() -> [LinkTopic] {
      [LinkPair.topic, other].filter { pair.client.owesCancellation(of: .topic($0)) }
    }
    #expect(owed() == [LinkPair.topic])
    pair.serverActions = []
    pair.advance(seconds: 1)
    pair.open()
    pair.exchange()
    #expect(owed().isEmpty)
    #expect(
      pair.serverActions.filter { $0.hasPrefix("request") } == [
        "\(DeviceLinkServer.Action.request(2, .topic(.unregister, LinkPair.topic)))",
        "\(DeviceLinkServer.Action.request(3, .topic(.register, other)))",
      ])
    #expect(pair.client.wanted == [.topic(other)])
    #expect(
      pair.clientActions.contains("\(DeviceLinkClient.Action.cancelled(.topic(LinkPair.topic)))"))
  }

  @Test func `a cancel refused for now is asked again`() {
    let pair = LinkPair.up()
    pair.answer = { _, _ in .refused(.tryLater) }
    pair.client.cancel(.topic(LinkPair.topic), at: pair.now, output: &pair.toServer)
    pair.exchange()
    pair.lose()
    pair.serverActions = []
    pair.advance(seconds: 1)
    pair.open()
    pair.exchange()
    #expect(
      pair.serverActions.filter { $0.hasPrefix("request") } == [
        "\(DeviceLinkServer.Action.request(3, .topic(.unregister, LinkPair.topic)))"
      ])
  }

  @Test
  func `a temporarily refused request is retried on the same connection after growing pauses`() {
    let pair = LinkPair.up()
    let other = LinkTopic(bundleID: "com.example.other", kind: .voip)
    func requests() -> Int { pair.serverActions.count { $0.hasPrefix("request") } }
    pair.answer = { _, _ in .refused(.tryLater) }
    pair.serverActions = []
    pair.client.register(.topic(other), at: pair.now, output: &pair.toServer)
    pair.exchange()
    #expect(requests() == 1)
    var pauses: [Int64] = []
    for count in 2...5 {
      let asked = pair.now
      while requests() < count, pair.now - asked < 20_000_000_000 { pair.advance(seconds: 0.25) }
      #expect(requests() == count)
      pauses.append(pair.now - asked)
    }
    #expect(pauses[0] <= 1_250_000_000)
    #expect(pauses[3] >= 4_000_000_000)
    pair.answer = { _, _ in .token(handle: 0x32, token: LinkPair.token) }
    pair.clientActions = []
    pair.advance(seconds: 60)
    #expect(pair.clientActions.filter { $0.hasPrefix("registered") }.count == 1)
    #expect(requests() == 6)
  }

  @Test func `a cancel asked again does not undo a newer registration`() {
    let pair = LinkPair.up()
    pair.answer = { _, _ in .refused(.tryLater) }
    pair.client.cancel(.topic(LinkPair.topic), at: pair.now, output: &pair.toServer)
    pair.exchange()
    pair.answer = { _, request in
      if case .topic(.register, _) = request { return .token(handle: 0x31, token: LinkPair.token) }
      return .done
    }
    pair.client.register(.topic(LinkPair.topic), at: pair.now, output: &pair.toServer)
    pair.exchange()
    pair.serverActions = []
    pair.advance(seconds: 2)
    #expect(
      pair.serverActions.filter { $0.hasPrefix("request") } == [
        "\(DeviceLinkServer.Action.request(4, .topic(.unregister, LinkPair.topic)))",
        "\(DeviceLinkServer.Action.request(5, .topic(.register, LinkPair.topic)))",
      ])
  }

  @Test func `a registration after a cancel is asked again though the topic had a handle before`() {
    let pair = LinkPair.up()
    pair.answer = { _, request in
      if case .topic(.register, _) = request { return .refused(.tryLater) }
      return .done
    }
    pair.client.cancel(.topic(LinkPair.topic), at: pair.now, output: &pair.toServer)
    pair.client.register(.topic(LinkPair.topic), at: pair.now, output: &pair.toServer)
    pair.exchange()
    pair.serverActions = []
    pair.answer = { _, _ in .token(handle: 0x31, token: LinkPair.token) }
    pair.advance(seconds: 2)
    #expect(
      pair.serverActions.filter { $0.hasPrefix("request") } == [
        "\(DeviceLinkServer.Action.request(4, .topic(.register, LinkPair.topic)))"
      ])
  }

  @Test func `temporarily refused requests are retried in the order of a new connection`() {
    let pair = LinkPair.up()
    pair.answer = { _, _ in .refused(.tryLater) }
    let other = LinkSubject.channel(
      LinkChannel(bundleID: "com.example.app", identifier: Array(0..<16)))
    pair.client.register(other, at: pair.now, output: &pair.toServer)
    pair.client.cancel(other, at: pair.now, output: &pair.toServer)
    pair.client.register(other, at: pair.now, output: &pair.toServer)
    pair.exchange()
    pair.serverActions = []
    pair.answer = { _, request in
      if case .subscribe = request { return .subscribed(handle: 0x40) }
      return .done
    }
    pair.advance(seconds: 2)
    let requests = pair.serverActions.filter { $0.hasPrefix("request") }
    #expect(requests.count == 2)
    #expect(requests.last?.contains(".subscribe(") == true)
  }

  @Test
  func `a cancellation that was answered is not repeated, even if its topic is registered again`() {
    let pair = LinkPair.up()
    pair.client.cancel(.topic(LinkPair.topic), at: pair.now, output: &pair.toServer)
    pair.client.register(.topic(LinkPair.topic), at: pair.now, output: &pair.toServer)
    pair.exchange()
    pair.lose()
    pair.serverActions = []
    pair.advance(seconds: 1)
    pair.open()
    pair.exchange()
    #expect(
      pair.serverActions.filter { $0.hasPrefix("request") } == [
        "\(DeviceLinkServer.Action.request(4, .topic(.register, LinkPair.topic)))"
      ])
  }

  /// Returns the requests that the device sends on its next connection.
  private func requestsOfNextConnection(_ pair: LinkPair) -> [String] {
    pair.lose()
    pair.serverActions = []
    pair.advance(seconds: 1)
    pair.open()
    pair.exchange()
    return pair.serverActions.filter { $0.hasPrefix("request") }
  }

  @Test func `topics that are cancelled together are forgotten one by one`() {
    let pair = LinkPair.up()
    let other = LinkTopic(bundleID: "com.example.other")
    pair.client.register(.topic(other), at: pair.now, output: &pair.toServer)
    pair.exchange()
    for topic in [LinkPair.topic, other] {
      pair.client.cancel(.topic(topic), at: pair.now, output: &pair.toServer)
    }
    pair.exchange()
    #expect(requestsOfNextConnection(pair).isEmpty)
  }

  @Test func `a switch that was changed offline is sent once`() {
    let pair = LinkPair.up()
    pair.client.setEnabled(false, LinkPair.topic, at: pair.now, output: &pair.toServer)
    pair.exchange()
    pair.lose()
    pair.client.setEnabled(true, LinkPair.topic, at: pair.now, output: &pair.toServer)
    let register = DeviceLinkServer.Action.request(3, .topic(.register, LinkPair.topic))
    let enable = DeviceLinkServer.Action.request(4, .topic(.enable, LinkPair.topic))
    #expect(requestsOfNextConnection(pair) == ["\(register)", "\(enable)"])
    let again = DeviceLinkServer.Action.request(5, .topic(.register, LinkPair.topic))
    #expect(requestsOfNextConnection(pair) == ["\(again)"])
  }
}
