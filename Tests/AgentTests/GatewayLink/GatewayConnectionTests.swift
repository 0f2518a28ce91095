import Agent
import BelfryWire
import System
import TestSupport
import Testing
import Transport

/// The device's end of the link against a gateway over real TLS sockets.
@Suite struct GatewayLinkTests {
  static let topic = LinkSubject.topic(LinkTopic(bundleID: "com.example.app"))

  @Test func `a fresh device enrols comes back with its certificate and receives`() throws {
    let stage = try LinkStage()
    stage.link.register(Self.topic)
    stage.link.goOnline()
    #expect(try stage.run { stage.device.tokens.count == 1 })
    #expect(stage.gateway.enrolled == 1)
    #expect(stage.device.identity?.device == 1)
    #expect(stage.device.tokens[Self.topic]?.count == 32)
    let connection = try #require(stage.gateway.links.first { $0.isReady })
    #expect(connection.device == 1)
    for number in 1...3 {
      #expect(
        connection.deliver(
          UInt64(number), handle: 1, payload: Array("{\"n\":\(number)}".utf8),
          fromStorage: number == 2))
    }
    #expect(try stage.run { stage.gateway.settled == [1, 2, 3] })
    #expect(stage.device.received.map(\.payload) == ["{\"n\":1}", "{\"n\":2}", "{\"n\":3}"])
    #expect(stage.device.received.map(\.isFromStorage) == [false, true, false])
  }

  @Test func `a device with an identity does not enrol again`() throws {
    let first = try LinkStage()
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
    let stage = try LinkStage { $0.enrolmentCode = "wrong" }
    stage.link.goOnline()
    #expect(try stage.run { stage.link.isStopped })
    #expect(stage.device.refusals == [.wrongCode])
    #expect(stage.gateway.enrolled == 0)
  }

  @Test func `a gateway of another authority is not trusted`() throws {
    let loop = try EventLoop()
    let other = try LinkGateway(on: loop)
    let stage = try LinkStage { $0.authorityPEM = other.authority.certificatePEM }
    stage.link.goOnline()
    #expect(try stage.run { !stage.device.downs.isEmpty })
    #expect(stage.device.downs.first?.hasPrefix("TLS failed") == true, "\(stage.device.downs)")
    #expect(stage.gateway.enrolled == 0)
  }

  @Test func `a peer that speaks another protocol is left`() throws {
    let stage = try LinkStage()
    let identity = try stage.gateway.authority.issueServer(
      names: ["localhost"], addresses: ["127.0.0.1"], now: SystemClock.unixMilliseconds / 1_000)
    let tls = try TLSServerContext(
      certificateChainPEM: identity.certificateChainPEM, privateKeyPEM: identity.privateKeyPEM,
      alpn: [LinkLimits.applicationProtocol, "h2"], unmatchedALPN: .ignore)
    let handler = SilentHandler()
    let listener = try StreamListener(
      loop: stage.loop, address: .loopback(port: 0), security: .tls(tls)
    ) { _ in handler }
    defer { listener.close() }
    var configuration = stage.configuration
    configuration.port = listener.port
    configuration.settings.openNanoseconds = 300_000_000
    let link = GatewayConnection(
      on: stage.loop, configuration, identity: stage.link.identity, delegate: stage.device)
    link.goOnline()
    #expect(try stage.run { !stage.device.downs.isEmpty })
    #expect(stage.device.downs.first == "too slow")
    link.goOffline()
  }

  @Test func `after a crash the device comes back and shows nothing twice`() throws {
    let stage = try LinkStage()
    stage.device.keepsAtOnce = false
    stage.link.register(Self.topic)
    stage.link.goOnline()
    #expect(try stage.run { stage.device.tokens.count == 1 })
    let first = try #require(stage.gateway.links.first { $0.isReady })
    #expect(first.deliver(1, handle: 1, payload: Array("{}".utf8)))
    #expect(try stage.run { stage.device.received.count == 1 })
    let port = stage.gateway.port
    stage.gateway.crash()
    #expect(try stage.run { !stage.link.isUp && stage.gateway.links.isEmpty })
    try stage.gateway.listen(port: port)
    #expect(try stage.run { stage.gateway.links.contains { $0.isReady } })
    let second = try #require(stage.gateway.links.first { $0.isReady })
    #expect(second.deliver(1, handle: 1, payload: Array("{}".utf8), fromStorage: true))
    #expect(second.deliver(2, handle: 1, payload: Array("{}".utf8)))
    #expect(try stage.run { stage.device.received.count == 2 })
    stage.device.keepAll(stage.link)
    #expect(try stage.run { stage.gateway.settled == [1, 2] })
    #expect(stage.device.received.map(\.id.low) == [1, 2])
  }

  @Test func `a draining gateway is left and found again`() throws {
    let stage = try LinkStage()
    stage.link.goOnline()
    #expect(try stage.run { stage.link.isUp })
    stage.gateway.drain(
      LinkFrame.ReconnectHint(afterMilliseconds: 50, jitterMilliseconds: 50))
    #expect(try stage.run { !stage.link.isUp })
    #expect(stage.device.downs.last == "goodbye")
    #expect(try stage.run { stage.link.isUp })
  }

  @Test func `a revoked device is sent away for good`() throws {
    let stage = try LinkStage()
    stage.gateway.revoked = [1]
    stage.link.goOnline()
    #expect(try stage.run { stage.link.isStopped })
    #expect(stage.device.downs.last == "revoked")
  }

  @Test func `a gateway that falls silent is noticed by the keep alive`() throws {
    let stage = try LinkStage { $0.settings.graceNanoseconds = 200_000_000 }
    stage.gateway.settings.keepAlive = KeepAliveInterval.Policy(
      firstSeconds: 1, leastSeconds: 1, mostSeconds: 1)
    stage.link.goOnline()
    #expect(try stage.run { stage.link.isUp })
    for link in stage.gateway.links { link.stream.pauseReading() }
    #expect(try stage.run { !stage.link.isUp })
    #expect(stage.device.downs.last == "silent")
  }

  @Test func `intervals that one network proved say nothing of the next`() throws {
    let stage = try LinkStage()
    func firstInterval() throws -> UInt16? {
      stage.link.goOffline()
      #expect(try stage.run { stage.link.isOffline && stage.gateway.links.isEmpty })
      stage.link.goOnline()
      #expect(try stage.run { stage.gateway.links.contains(where: \.isReady) })
      return stage.gateway.links.first(where: \.isReady)?.intervalSeconds
    }
    stage.gateway.settings.keepAlive = .init(firstSeconds: 1, leastSeconds: 1, proofs: 1)
    stage.link.goOnline()
    #expect(try stage.run { stage.device.signsOfLife > 0 }, "a whole interval was proved")
    stage.gateway.settings.keepAlive = .init(firstSeconds: 9, leastSeconds: 1, proofs: 1)
    #expect(try firstInterval() == 1, "the network is still the one that was proved")
    stage.link.networkChanged()
    #expect(try firstInterval() == 9)
    stage.link.goOffline()
  }

  @Test func `states and refusals reach the other end`() throws {
    let stage = try LinkStage()
    let refused = LinkSubject.topic(LinkTopic(bundleID: "com.example.refused", kind: .voip))
    let channel = LinkSubject.channel(LinkChannel(bundleID: "com.example.app", identifier: [1, 2]))
    stage.link.register(refused)
    stage.link.register(channel)
    stage.link.register(Self.topic)
    stage.link.goOnline()
    #expect(try stage.run { stage.device.refused.count == 2 && stage.device.tokens.count == 1 })
    #expect(stage.device.refused[refused] == .unknownApp)
    #expect(stage.device.refused[channel] == .notOffered)
    stage.link.setState([.asleep, .metered])
    let connection = try #require(stage.gateway.links.first { $0.isReady })
    #expect(try stage.run { connection.state == [.asleep, .metered] })
    stage.link.cancel(Self.topic)
    #expect(try stage.run { stage.device.cancelled == [Self.topic] })
  }

  @Test func `links behind a gate dial in turn`() throws {
    let stage = try LinkStage { $0.gate = ConnectLimiter(limit: 2) }
    var others: [GatewayConnection] = []
    for _ in 0..<8 {
      let link = GatewayConnection(
        on: stage.loop, stage.configuration, identity: DeviceIdentity(key: try ES256PrivateKey()),
        delegate: stage.device)
      link.goOnline()
      others.append(link)
    }
    // One that goes away while it waits for its turn, and one that comes back, block nobody.
    others[5].goOffline()
    others[6].goOffline()
    others[6].goOnline()
    #expect(try stage.run { others.count { $0.isUp } == 7 })
    #expect(others[5].isOffline)
  }
}

private final class SilentHandler: StreamHandler {
  func streamOpened(_ stream: ByteStream) {}
  func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {}
  func streamDrained(_ stream: ByteStream) {}
  func stream(_ stream: ByteStream, closed reason: StreamClosure) {}
}
