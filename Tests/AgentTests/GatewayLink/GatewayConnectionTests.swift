import Agent
import PushWire
import System
import TestSupport
import Testing
import Transport

/// Tests of the device's end of the link, connected to a gateway over real TLS sockets.
@Suite struct GatewayLinkTests {
  static let topic = LinkSubject.topic(LinkTopic(bundleID: "com.example.app"))

  @Test func `a new device enrolls, reconnects with its certificate and receives pushes`() throws {
    let scenario = try LinkScenario()
    scenario.link.register(Self.topic)
    scenario.link.goOnline()
    #expect(try scenario.run { scenario.device.tokens.count == 1 })
    #expect(scenario.gateway.enrolled == 1)
    #expect(scenario.device.identity?.device == 1)
    #expect(scenario.device.tokens[Self.topic]?.count == 32)
    let connection = try #require(scenario.gateway.links.first { $0.isReady })
    #expect(connection.device == 1)
    for number in 1...3 {
      #expect(
        connection.deliver(
          UInt64(number), handle: 1, payload: Array("{\"n\":\(number)}".utf8),
          fromStorage: number == 2))
    }
    #expect(try scenario.run { scenario.gateway.settled == [1, 2, 3] })
    #expect(scenario.device.received.map(\.payload) == ["{\"n\":1}", "{\"n\":2}", "{\"n\":3}"])
    #expect(scenario.device.received.map(\.isFromStorage) == [false, true, false])
  }

  @Test func `a device with an identity does not enroll again`() throws {
    let first = try LinkScenario()
    first.link.goOnline()
    #expect(try first.run { first.link.isUp })
    let identity = try #require(first.device.identity)
    first.link.goOffline()
    #expect(try first.run { first.gateway.links.isEmpty })
    let again = GatewayConnection(
      on: first.loop, first.configuration, identity: identity, delegate: first.device)
    again.goOnline()
    #expect(try first.run { again.isUp })
    #expect(first.gateway.enrolled == 1)
    again.goOffline()
    #expect(try first.run { again.isOffline })
  }

  @Test func `a wrong code stops the link and says so`() throws {
    let scenario = try LinkScenario { $0.enrollmentCode = "wrong" }
    scenario.link.goOnline()
    #expect(try scenario.run { scenario.link.isStopped })
    #expect(scenario.device.refusals == [.wrongCode])
    #expect(scenario.gateway.enrolled == 0)
  }

  @Test func `a gateway of another authority is not trusted`() throws {
    let loop = try EventLoop()
    let other = try LinkGateway(on: loop)
    let scenario = try LinkScenario { $0.authorityPEM = other.authority.certificatePEM }
    scenario.link.goOnline()
    #expect(try scenario.run { !scenario.device.downs.isEmpty })
    #expect(
      scenario.device.downs.first?.hasPrefix("TLS failed") == true, "\(scenario.device.downs)")
    #expect(scenario.gateway.enrolled == 0)
  }

  @Test func `a peer that speaks another protocol is left`() throws {
    let scenario = try LinkScenario()
    let identity = try scenario.gateway.authority.issueServer(
      names: ["localhost"], addresses: ["127.0.0.1"], now: SystemClock.unixMilliseconds / 1_000)
    let tls = try TLSServerContext(
      certificateChainPEM: identity.certificateChainPEM, privateKeyPEM: identity.privateKeyPEM,
      alpn: [LinkLimits.applicationProtocol, "h2"], unmatchedALPN: .ignore)
    let handler = SilentHandler()
    let listener = try StreamListener(
      loop: scenario.loop, address: .loopback(port: 0), security: .tls(tls)
    ) { _ in handler }
    defer { listener.close() }
    var configuration = scenario.configuration
    configuration.port = listener.port
    configuration.settings.openNanoseconds = 300_000_000
    let link = GatewayConnection(
      on: scenario.loop, configuration, identity: scenario.link.identity, delegate: scenario.device)
    link.goOnline()
    #expect(try scenario.run { !scenario.device.downs.isEmpty })
    #expect(scenario.device.downs.first == "too slow")
    link.goOffline()
  }

  @Test func `after the gateway crashes, the device reconnects and receives nothing twice`() throws
  {
    let scenario = try LinkScenario()
    scenario.device.persistsAtOnce = false
    scenario.link.register(Self.topic)
    scenario.link.goOnline()
    #expect(try scenario.run { scenario.device.tokens.count == 1 })
    let first = try #require(scenario.gateway.links.first { $0.isReady })
    #expect(first.deliver(1, handle: 1, payload: Array("{}".utf8)))
    #expect(try scenario.run { scenario.device.received.count == 1 })
    let port = scenario.gateway.port
    scenario.gateway.crash()
    #expect(try scenario.run { !scenario.link.isUp && scenario.gateway.links.isEmpty })
    try scenario.gateway.listen(port: port)
    #expect(try scenario.run { scenario.gateway.links.contains { $0.isReady } })
    let second = try #require(scenario.gateway.links.first { $0.isReady })
    #expect(second.deliver(1, handle: 1, payload: Array("{}".utf8), fromStorage: true))
    #expect(second.deliver(2, handle: 1, payload: Array("{}".utf8)))
    #expect(try scenario.run { scenario.device.received.count == 2 })
    scenario.device.keepAll(scenario.link)
    #expect(try scenario.run { scenario.gateway.settled == [1, 2] })
    #expect(scenario.device.received.map(\.id.low) == [1, 2])
  }

  @Test func `a draining gateway is left and found again`() throws {
    let scenario = try LinkScenario()
    scenario.link.goOnline()
    #expect(try scenario.run { scenario.link.isUp })
    scenario.gateway.drain(
      LinkFrame.ReconnectHint(afterMilliseconds: 50, jitterMilliseconds: 50))
    #expect(try scenario.run { !scenario.link.isUp })
    #expect(scenario.device.downs.last == "the gateway was stopped")
    #expect(try scenario.run { scenario.link.isUp })
  }

  @Test func `a device that leaves on purpose does not blame the gateway`() throws {
    let scenario = try LinkScenario()
    scenario.link.goOnline()
    #expect(try scenario.run { scenario.link.isUp })
    scenario.link.goOffline()
    #expect(try scenario.run { !scenario.device.downs.isEmpty })
    #expect(scenario.device.downs == ["the device went offline"])
  }

  @Test func `a revoked device disconnects and does not reconnect`() throws {
    let scenario = try LinkScenario()
    scenario.gateway.revoked = [1]
    scenario.link.goOnline()
    #expect(try scenario.run { scenario.link.isStopped })
    #expect(scenario.device.downs.last == "revoked")
  }

  @Test func `a gateway that falls silent is noticed by the keep alive`() throws {
    let scenario = try LinkScenario { $0.settings.graceNanoseconds = 200_000_000 }
    scenario.gateway.settings.keepAlive = KeepAliveInterval.Policy(
      firstSeconds: 1, leastSeconds: 1, mostSeconds: 1)
    scenario.link.goOnline()
    #expect(try scenario.run { scenario.link.isUp })
    for link in scenario.gateway.links { link.stream.pauseReading() }
    #expect(try scenario.run { !scenario.link.isUp })
    #expect(scenario.device.downs.last == "silent")
  }

  @Test func `intervals that one network proved say nothing of the next`() throws {
    let scenario = try LinkScenario()
    func firstInterval() throws -> UInt16? {
      scenario.link.goOffline()
      #expect(try scenario.run { scenario.link.isOffline && scenario.gateway.links.isEmpty })
      scenario.link.goOnline()
      #expect(try scenario.run { scenario.gateway.links.contains(where: \.isReady) })
      return scenario.gateway.links.first(where: \.isReady)?.intervalSeconds
    }
    scenario.gateway.settings.keepAlive = .init(firstSeconds: 1, leastSeconds: 1, proofs: 1)
    scenario.link.goOnline()
    #expect(
      try scenario.run { scenario.device.signsOfLife > 0 },
      "the connection survived a full interval")
    scenario.gateway.settings.keepAlive = .init(firstSeconds: 9, leastSeconds: 1, proofs: 1)
    #expect(try firstInterval() == 1, "the network has not changed since the proof")
    scenario.link.networkChanged()
    #expect(try firstInterval() == 9)
    scenario.link.goOffline()
  }

  @Test func `states and refusals reach the other end`() throws {
    let scenario = try LinkScenario()
    let refused = LinkSubject.topic(LinkTopic(bundleID: "com.example.refused", kind: .voip))
    let channel = LinkSubject.channel(LinkChannel(bundleID: "com.example.app", identifier: [1, 2]))
    scenario.link.register(refused)
    scenario.link.register(channel)
    scenario.link.register(Self.topic)
    scenario.link.goOnline()
    #expect(
      try scenario.run { scenario.device.refused.count == 2 && scenario.device.tokens.count == 1 })
    #expect(scenario.device.refused[refused] == .unknownApp)
    #expect(scenario.device.refused[channel] == .notOffered)
    scenario.link.setState([.asleep, .metered])
    let connection = try #require(scenario.gateway.links.first { $0.isReady })
    #expect(try scenario.run { connection.state == [.asleep, .metered] })
    scenario.link.cancel(Self.topic)
    #expect(try scenario.run { scenario.device.cancelled == [Self.topic] })
  }

  @Test
  func `links that share a connect limiter take turns, and links that go offline block no other`()
    throws
  {
    let scenario = try LinkScenario { $0.gate = ConnectLimiter(limit: 2) }
    var others: [GatewayConnection] = []
    for _ in 0..<8 {
      let link = GatewayConnection(
        on: scenario.loop, scenario.configuration,
        identity: DeviceIdentity(key: try ES256PrivateKey()),
        delegate: scenario.device)
      link.goOnline()
      others.append(link)
    }
    // The other links come up even if one link goes offline while it waits for its turn, or goes offline and back
    // online.
    others[5].goOffline()
    others[6].goOffline()
    others[6].goOnline()
    #expect(try scenario.run { others.count { $0.isUp } == 7 })
    #expect(others[5].isOffline)
  }
}

private final class SilentHandler: StreamHandler {
  func streamOpened(_ stream: ByteStream) {}
  func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {}
  func streamDrained(_ stream: ByteStream) {}
  func stream(_ stream: ByteStream, closed reason: StreamClosure) {}
}
