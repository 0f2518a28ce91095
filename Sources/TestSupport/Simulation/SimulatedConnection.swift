import Transport

/// The peer at the far end of a simulated connection.
protocol SimulatedClient: AnyObject {
  func received(_ bytes: [UInt8], on connection: SimulatedConnection)
  func closed(_ connection: SimulatedConnection)
}

/// A connection to the gateway: bytes arrive late, in pieces, in order, or not at all.
///
/// The near end is a socket that the gateway reads; this is the far end of the pair, and the way between it
/// and the client.
final class SimulatedConnection: StreamHandler {
  private enum Direction: Int {
    case toGateway = 0
    case toClient = 1
  }

  let number: Int
  private unowned let world: GatewaySimulation
  private weak var client: (any SimulatedClient)?
  private var stream: ByteStream?
  private let latency: Int64
  /// When the last piece in each direction arrives: nothing overtakes it.
  private var arrival: [Int64] = [0, 0]
  /// The client has not ended it, nor heard of its end.
  private(set) var isOpen = true
  private var isSocketClosed = false
  /// Both ends know that it is over.
  var isOver: Bool { isSocketClosed && !isOpen }
  /// What is sent is lost silently.
  private(set) var isDark = false
  /// Bytes that the client has sent so far.
  private(set) var sentBytes = 0
  private var writtenBytes = 0
  /// Bytes of those that are in the gateway's socket.
  var deliveredBytes: Int { writtenBytes - (stream?.pendingOutputBytes ?? 0) }

  init(number: Int, in world: GatewaySimulation, client: any SimulatedClient) {
    self.number = number
    self.world = world
    self.client = client
    latency = world.random(200_000...world.profile.latencyMost)
  }

  // MARK: The client

  /// Sends bytes, in up to three pieces whose number does not depend on how many bytes there are: keys and
  /// signatures are not the seed's, and neither are their lengths.
  func send(_ bytes: [UInt8]) {
    guard isOpen, !bytes.isEmpty else { return }
    sentBytes += bytes.count
    var cuts = [0, bytes.count]
    if world.chance(0.2) {
      for _ in 0..<2 {
        cuts.append(Int(Double(bytes.count) * Double(world.random(0...1_000)) / 1_000))
      }
      cuts.sort()
    }
    for index in cuts.indices.dropFirst() {
      let piece = Array(bytes[cuts[index - 1]..<cuts[index]])
      carry(.toGateway) { $0.deliver(piece) }
    }
  }

  private func deliver(_ piece: [UInt8]) {
    guard let stream else { return }
    stream.write(piece)
    writtenBytes += piece.count
  }

  /// The client ends the connection; what it sent before still arrives.
  func close() {
    guard isOpen else { return }
    isOpen = false
    carry(.toGateway) { $0.stream?.close() }
  }

  /// The client's process is gone: it hears nothing more, the gateway loses the connection soon.
  func abandon() {
    isOpen = false
    guard !isDark else { return }
    world.time.after(world.random(0...500_000_000)) { [weak self] in
      self?.stream?.close(afterFlush: false)
    }
  }

  // MARK: What befalls it

  /// Both ends lose it, each at its own time; what is on its way is lost.
  func cut() {
    isDark = true
    world.time.after(world.random(0...2_000_000_000)) { [weak self] in
      self?.stream?.close(afterFlush: false)
    }
    world.time.after(world.random(0...2_000_000_000)) { [weak self] in self?.loseClient() }
  }

  /// Loses everything silently from now on.
  func goDark() { isDark = true }

  /// The client's side takes nothing for a while, so that the gateway's output has to wait.
  func stall(_ nanoseconds: Int64) {
    stream?.pauseReading()
    world.time.after(nanoseconds) { [weak self] in
      guard let self else { return }
      stream?.resumeReading()
      world.network.farEndsMayBeReady()
    }
  }

  private func loseClient() {
    guard isOpen else { return }
    isOpen = false
    client?.closed(self)
  }

  private func carry(
    _ direction: Direction, _ body: @escaping (SimulatedConnection) -> Void
  ) {
    let at = max(
      arrival[direction.rawValue], world.time.now + latency + world.random(0...latency))
    arrival[direction.rawValue] = at
    world.time.at(at) { [self] in
      guard !isDark else { return }
      body(self)
    }
  }

  // MARK: The far end of the pair

  func streamOpened(_ stream: ByteStream) { self.stream = stream }

  func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
    guard !isDark else { return }
    let piece = Array(bytes)
    world.mix(UInt64(piece.count))
    carry(.toClient) { connection in
      guard connection.isOpen else { return }
      connection.client?.received(piece, on: connection)
    }
  }

  func streamDrained(_ stream: ByteStream) {}

  func stream(_ stream: ByteStream, closed reason: StreamClosure) {
    self.stream = nil
    isSocketClosed = true
    carry(.toClient) { $0.loseClient() }
  }
}
