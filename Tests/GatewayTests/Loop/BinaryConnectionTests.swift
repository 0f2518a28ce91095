import PushWire
import Storage
import Testing
import Transport

@testable import Gateway
@testable import TestSupport

@Suite struct BinaryConnectionTests {
  static func frame(_ identifier: UInt32, token: [UInt8], push: UInt64) -> [UInt8] {
    func bytes(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * $0) & 255) } }
    let payload = GatewaySimulation.payload(push: push)
    let items =
      [1, 0, 32] + token + [2, 0, UInt8(payload.count)] + payload + [3, 0, 4]
      + bytes(Int(identifier))
    return [2] + bytes(items.count) + items
  }

  static func client(_ harness: GatewayHarness) -> RawClient {
    RawClient(
      harness, port: 2_195,
      as: StreamIdentity(certificate: harness.world.identities.providerCertificate))
  }

  @Test
  func `frames are silent and arrive, for devices of either loop`() throws {
    let harness = try GatewayHarness()
    let devices = [harness.device(), harness.device()]
    let client = Self.client(harness)
    let pushes = devices.map { harness.open(for: $0) }
    for (index, device) in devices.enumerated() {
      client.send(
        Self.frame(UInt32(index), token: try harness.token(of: device), push: pushes[index]))
    }
    harness.pass(milliseconds: 1_000)
    #expect(client.received.isEmpty && !client.isClosed)
    for push in pushes { #expect(harness.state(of: push)?.shown == 1) }
    #expect(harness.violation == nil)
  }

  /// Returns a frame of the enhanced command, which has an expiry, or of the oldest command, which has none.
  private static func frame(
    token: [UInt8], push: UInt64, expiresUnixSeconds: Int64?
  ) -> [UInt8] {
    let payload = GatewaySimulation.payload(push: push)
    let rest = [0, 32] + token + [0, UInt8(payload.count)] + payload
    guard let seconds = expiresUnixSeconds else { return [0] + rest }
    let expiry = (0..<4).map { UInt8(truncatingIfNeeded: seconds >> (24 - 8 * $0)) }
    return [1, 0, 0, 0, 5] + expiry + rest
  }

  @Test
  func `An expiry is seconds since 1970, and the oldest command keeps as long as it can`() throws {
    let harness = try GatewayHarness(loops: 1)
    let devices = (0..<3).map { _ in harness.device() }
    for device in devices { device.goOffline() }
    harness.pass(milliseconds: 1_000)
    let now = harness.world.time.unixMilliseconds / 1_000
    let client = Self.client(harness)
    let day: Int64 = 86_400
    let expiries: [Int64?] = [now + 60, now + 3 * day, nil]
    let pushes = devices.map { device in
      harness.world.ledger.open(
        .init(device: device.number, topic: harness.world.topics[0]), priority: 10,
        expiration: now + 30 * day, collapseID: "", keep: 1)
    }
    for (index, device) in devices.enumerated() {
      client.send(
        Self.frame(
          token: try harness.token(of: device), push: pushes[index],
          expiresUnixSeconds: expiries[index]))
    }
    harness.pass(milliseconds: 1_000)
    #expect(client.received.isEmpty && !client.isClosed)
    harness.sleep(milliseconds: 2 * day * 1_000)
    for device in devices { device.goOnline() }
    harness.pass(milliseconds: 60_000)
    let shown = pushes.map { harness.state(of: $0)?.shown ?? 0 }
    // S3-11
    #expect(shown[0] == 0)
    // S3-14
    #expect(shown[1...] == [1, 1])
  }

  @Test
  func `An expiry beyond the longest storage ends with it, on the binary interface too`() throws {
    let harness = try GatewayHarness(loops: 1)
    let device = harness.device()
    device.goOffline()
    harness.pass(milliseconds: 1_000)
    let day: Int64 = 86_400
    let now = harness.world.time.unixMilliseconds / 1_000
    let push = harness.world.ledger.open(
      .init(device: device.number, topic: harness.world.topics[0]), priority: 10,
      expiration: now + 30 * day, collapseID: "", keep: 1)
    Self.client(harness).send(
      Self.frame(
        token: try harness.token(of: device), push: push, expiresUnixSeconds: now + 400 * day))
    harness.pass(milliseconds: 1_000)
    // The device reconnects after the maximum lifetime has passed, and long before the given expiry.
    harness.sleep(milliseconds: 31 * day * 1_000)
    device.goOnline()
    harness.pass(milliseconds: 60_000)
    // S3-13 part 2 of 2: the binary interface
    #expect(harness.state(of: push)?.shown == 0)
  }

  @Test
  func `the packet about a frame waits until those before it are decided`() throws {
    let harness = try GatewayHarness(loops: 1)
    let device = harness.device()
    device.goOffline()
    harness.pass(milliseconds: 100)
    harness.world.gateway.notificationStore.failingCommits = 1
    let client = Self.client(harness)
    // The first frame waits for a commit, which fails. The second frame has an invalid token.
    client.send(
      Self.frame(7, token: try harness.token(of: device), push: harness.open(for: device))
        + Self.frame(8, token: [UInt8](repeating: 1, count: 32), push: 0))
    harness.pass(milliseconds: 1_000)
    #expect(client.received == BinaryStatus.processingError.packet(identifier: 7))
    #expect(client.isClosed)
  }

  @Test
  func `a gateway that goes down names the last frame that it accepted`() throws {
    let harness = try GatewayHarness()
    let device = harness.device()
    let client = Self.client(harness)
    client.send(
      Self.frame(9, token: try harness.token(of: device), push: harness.open(for: device)))
    harness.pass(milliseconds: 500)
    harness.world.gateway.drain(backAfter: .max / 4)
    harness.pass(milliseconds: 1_000)
    #expect(client.received == BinaryStatus.shutdown.packet(identifier: 9))
    #expect(client.isClosed)
  }

  @Test
  func `a legacy port without a client certificate serves only channel management`() throws {
    let harness = try GatewayHarness()
    let other = RawClient(harness, port: 2_195, as: StreamIdentity())
    other.send([0, 1, 2])
    let silent = RawClient(harness, port: 2_196, as: StreamIdentity())
    let http = RawClient(harness, port: 2_196, as: StreamIdentity())
    http.send(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0])
    harness.pass(milliseconds: 1_000)
    #expect(other.isClosed && other.received.isEmpty)
    #expect(!silent.isClosed)
    #expect(!http.isClosed && http.received.count > 9, "the client received the gateway's SETTINGS")
    harness.pass(milliseconds: 2_000)
    #expect(silent.isClosed && !http.isClosed)
  }

  @Test
  func `feedback names what was unregistered, once`() throws {
    let harness = try GatewayHarness()
    let device = harness.device()
    let token = try harness.token(of: device)
    device.unregister(harness.world.topics[0])
    harness.pass(milliseconds: 500)
    for expected in [38, 0] {
      let client = RawClient(
        harness, port: 2_196,
        as: StreamIdentity(certificate: harness.world.identities.providerCertificate))
      harness.pass(milliseconds: 500)
      #expect(client.isClosed && client.received.count == expected)
      if expected > 0 { #expect(Array(client.received.dropFirst(6)) == token) }
    }
  }

  @Test
  func `feedback names the tokens of an app that was removed and installed again`() throws {
    let harness = try GatewayHarness()
    let device = harness.device()
    for _ in 0..<5 {
      device.unregister(harness.world.topics[0])
      harness.pass(milliseconds: 500)
      device.register(harness.world.topics[0])
      harness.pass(milliseconds: 500)
    }
    let client = Self.feedbackClient(harness)
    harness.pass(milliseconds: 500)
    let named = (0..<client.received.count / 38).map {
      Array(client.received[$0 * 38 + 6..<$0 * 38 + 38])
    }
    // These are the last four tokens before the current one, in the order in which they became inactive.
    #expect(named == (try (1...4).map { try harness.token(of: device, generation: $0) }))
    let next = Self.feedbackClient(harness)
    harness.pass(milliseconds: 500)
    #expect(next.isClosed && next.received.isEmpty)
  }

  /// Stores `count` inactive registrations of devices that disappeared long ago.
  private static func addFeedback(_ count: Int, to harness: GatewayHarness) throws {
    let records = (0..<UInt64(count)).map { index in
      ControlChange.putRegistration(
        RegistrationRecord(
          key: NotificationKey(device: 1 << 40 | index, app: 1, kind: 1), generation: 0,
          state: .unregistered, changedMilliseconds: Int64(1_000 + index / 10_000)))
    }
    try harness.world.gateway.controlStore.apply(records)
  }

  private static func feedbackClient(_ harness: GatewayHarness) -> RawClient {
    RawClient(
      harness, port: 2_196,
      as: StreamIdentity(certificate: harness.world.identities.providerCertificate))
  }

  @Test(arguments: [0, 1, 100])
  func `Feedback is sent in pages, and each row exactly once`(beyond: Int) throws {
    let harness = try GatewayHarness()
    let count = 2 * Limits.feedbackPageRows + beyond
    try Self.addFeedback(count, to: harness)
    let client = Self.feedbackClient(harness)
    harness.pass(milliseconds: 5_000)
    #expect(client.isClosed && client.received.count == 38 * count)
    let tokens = Set(
      (0..<client.received.count / 38).map { client.received[$0 * 38 + 6..<$0 * 38 + 38] })
    #expect(tokens.count == count)
    let next = Self.feedbackClient(harness)
    harness.pass(milliseconds: 500)
    #expect(next.isClosed && next.received.isEmpty)
  }

  @Test
  func `A feedback client that leaves before the end has not read anything`() throws {
    let harness = try GatewayHarness()
    let count = 2 * Limits.feedbackPageRows
    try Self.addFeedback(count, to: harness)
    let client = Self.feedbackClient(harness)
    client.connection?.stall(60_000_000_000)
    harness.pass(milliseconds: 500)
    client.connection?.abandon()
    harness.pass(milliseconds: 1_000)
    #expect(client.received.count < 38 * count)
    let next = Self.feedbackClient(harness)
    harness.pass(milliseconds: 5_000)
    #expect(next.isClosed && next.received.count == 38 * count)
  }
}
