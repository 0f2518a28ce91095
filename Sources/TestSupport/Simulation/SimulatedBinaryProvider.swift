import BelfryWire
import PushWire
import Transport

/// A provider on the legacy binary interface.
///
/// On this interface, silence means success. An error packet identifies the frame at fault and means that all frames
/// before it were accepted.
final class SimulatedBinaryProvider: SimulatedClient {
  private unowned let world: GatewaySimulation
  private var connection: SimulatedConnection?
  private var isDialling = false
  private(set) var isOffline = false
  private var queue: [(push: UInt64, frame: [UInt8])] = []
  /// The frames sent on this connection, with their identifiers.
  ///
  /// As long as the connection stays open, a frame counts as accepted unless an error packet identifies it.
  private var sent: [(identifier: UInt32, push: UInt64)] = []
  private var answer: [UInt8] = []
  private var lastIdentifier: UInt32 = 0

  init(in world: GatewaySimulation) { self.world = world }

  func push(_ number: UInt64, to token: [UInt8], priority: UInt8, expiration: UInt32) {
    lastIdentifier += 1
    var items: [UInt8] = []
    func add(_ item: UInt8, _ value: [UInt8]) {
      items += [item, UInt8(value.count >> 8), UInt8(value.count & 255)] + value
    }
    func bytes(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * $0) & 255) } }
    add(1, token)
    add(
      2, world.payload(push: number, limit: WireLimits.binaryPayloadBytesMax))
    add(3, bytes(lastIdentifier))
    add(4, bytes(expiration))
    add(5, [priority])
    queue.append((number, [2] + bytes(UInt32(items.count)) + items))
    identifiers[number] = lastIdentifier
    advance()
  }

  private var identifiers: [UInt64: UInt32] = [:]

  private func advance() {
    guard let connection else { return dial() }
    var bytes: [UInt8] = []
    for (push, frame) in queue {
      sent.append((identifiers[push] ?? 0, push))
      world.ledger.sent(push)
      bytes += frame
    }
    queue = []
    connection.send(bytes)
  }

  private func dial() {
    guard !isDialling, !isOffline, connection == nil, !queue.isEmpty else { return }
    isDialling = true
    world.time.after(world.random(500_000...world.profile.latencyMost * 3)) { [self] in
      isDialling = false
      guard !isOffline, connection == nil else { return }
      connection = world.network.connect(
        to: world.ports.binary,
        as: StreamIdentity(certificate: world.identities.providerCertificate), self)
      guard let connection else {
        world.time.after(200_000_000) { [self] in dial() }
        return
      }
      world.note("the binary provider opens connection \(connection.number)")
      answer = []
      advance()
    }
  }

  var current: SimulatedConnection? { connection }

  /// Returns a description of where a push currently is, or nil if this provider does not have the push.
  func whereabouts(of push: UInt64) -> String? {
    let peer =
      "the binary provider, connection \(connection?.number ?? 0), dark \(connection?.isDark ?? false)"
    if queue.contains(where: { $0.push == push }) { return "queued at \(peer), \(isDialling)" }
    return sent.contains { $0.push == push } ? "sent by \(peer)" : nil
  }

  /// Counts as accepted every frame that no error packet has identified, because the connection has stayed open long
  /// enough.
  func settleAccounts() {
    guard connection?.isDark != true else { return }
    for (_, push) in sent { world.ledger.answered(push) }
    sent = []
  }

  func goOffline() {
    isOffline = true
    connection?.close()
    end()
  }

  func received(_ bytes: [UInt8], on connection: SimulatedConnection) {
    guard connection === self.connection else { return }
    answer += bytes
    world.expect(answer.count <= 6, "the gateway sent more than one error packet")
    guard answer.count >= 6 else { return }
    world.expect(answer[0] == 8, "the gateway's error packet begins with \(answer[0]) instead of 8")
    let identifier = answer[2...].prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    world.note("the binary provider receives status \(answer[1]) for frame \(identifier)")
    let isShutdown = answer[1] == BinaryStatus.shutdown.rawValue
    world.expect(
      identifier == 0 && isShutdown || sent.contains { $0.identifier == identifier },
      "an error packet identifies frame \(identifier), which was not sent")
    for (other, push) in sent {
      if other < identifier || isShutdown && other == identifier {
        world.ledger.answered(push)
      } else if other == identifier {
        world.ledger.refused(push)
      } else {
        // The gateway discarded this frame, which followed the frame at fault. A real provider would send it again.
        world.ledger.refused(push)
      }
    }
    sent = []
    connection.close()
    end()
  }

  func closed(_ connection: SimulatedConnection) {
    guard connection === self.connection else { return }
    end()
  }

  private func end() {
    connection = nil
    for (_, push) in sent { world.ledger.orphaned(push, isUnlogged: true) }
    sent = []
    dial()
  }
}

/// A client of the legacy feedback service that reads to the end of the stream.
///
/// Every token that it reads must belong to an inactive registration of the app in the client's certificate.
final class SimulatedFeedbackClient: SimulatedClient {
  private unowned let world: GatewaySimulation
  private var connection: SimulatedConnection?
  private var bytes: [UInt8] = []

  init(in world: GatewaySimulation) { self.world = world }

  func ask() {
    guard connection == nil else { return }
    bytes = []
    connection = world.network.connect(
      to: world.ports.feedback,
      as: StreamIdentity(certificate: world.identities.providerCertificate), self)
  }

  func goOffline() {
    connection?.close()
    connection = nil
  }

  func received(_ bytes: [UInt8], on connection: SimulatedConnection) {
    guard connection === self.connection else { return }
    self.bytes += bytes
  }

  func closed(_ connection: SimulatedConnection) {
    guard connection === self.connection else { return }
    self.connection = nil
    while bytes.count >= 38 {
      world.feedbackNames(Array(bytes[6..<38]))
      bytes.removeFirst(38)
    }
  }
}
