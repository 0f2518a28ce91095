import System
import Transport

/// The peer at the far end of a simulated connection.
protocol SimulatedClient: AnyObject {
  func received(_ bytes: [UInt8], on connection: SimulatedConnection)
  func closed(_ connection: SimulatedConnection)
}

/// A connection to the gateway whose bytes arrive late, in pieces, in order, or not at all.
///
/// The near end is a socket from which the gateway reads. This class holds the far end of the socket pair, and
/// simulates the path between the far end and the client.
final class SimulatedConnection: StreamHandler {
  private enum Direction: Int {
    case toGateway = 0
    case toClient = 1
  }

  let number: Int
  private unowned let world: GatewaySimulation
  /// The process that accepted the connection.
  unowned let process: SimulatedGatewayProcess
  private weak var client: (any SimulatedClient)?
  private var stream: ByteStream?
  private let latency: Int64
  /// The far end's socket, which the stream owns.
  private let descriptor: Int32
  /// The arrival time of the last piece in each direction; pieces are never reordered.
  private var arrival: [Int64] = [0, 0]
  /// True until the client has closed the connection or noticed that it is closed.
  private(set) var isOpen = true
  private var isSocketClosed = false
  /// True if both ends know that the connection is closed.
  var isOver: Bool { isSocketClosed && !isOpen }
  /// True if bytes sent on the connection are silently lost.
  private(set) var isDark = false
  /// True if the client has ever stopped reading for a while.
  private(set) var wasStalled = false
  /// True if the client has shut down its output but still reads.
  private(set) var hasFinishedSending = false
  /// The number of bytes that the client has sent so far.
  private(set) var sentBytes = 0
  private var writtenBytes = 0
  /// The number of sent bytes that have arrived at the gateway's socket.
  var deliveredBytes: Int { writtenBytes - (stream?.pendingOutputBytes ?? 0) }

  init(
    number: Int, in world: GatewaySimulation, to process: SimulatedGatewayProcess,
    client: any SimulatedClient, descriptor: Int32
  ) {
    self.number = number
    self.process = process
    self.descriptor = descriptor
    self.world = world
    self.client = client
    latency = world.random(200_000...world.profile.latencyMost)
  }

  // MARK: The client

  /// Sends bytes in up to three pieces.
  ///
  /// The number of pieces does not depend on the number of bytes, because the seed does not determine keys and
  /// signatures, and therefore does not determine their lengths.
  func send(_ bytes: [UInt8]) {
    guard isOpen, !hasFinishedSending, !bytes.isEmpty else { return }
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

  /// Sends bytes in a single piece and shuts down the output, as `nc -N` does.
  ///
  /// The client still reads.
  func sendLast(_ bytes: [UInt8]) {
    guard isOpen else { return }
    sentBytes += bytes.count
    hasFinishedSending = true
    // In half of the cases, the end of the stream arrives later than the bytes, possibly when the gateway is about to
    // write the answers.
    guard !bytes.isEmpty, world.chance(0.5) else {
      return carry(.toGateway) { $0.deliverLast(bytes) }
    }
    carry(.toGateway) { $0.deliver(bytes) }
    let pause = world.random(0...world.profile.commitMost)
    world.time.after(pause) { [weak self] in
      self?.carry(.toGateway) { $0.deliverLast([]) }
    }
  }

  /// Writes the bytes and the end of the stream together, so that the gateway can read both in a single turn.
  private func deliverLast(_ bytes: [UInt8]) {
    guard let stream else { return }
    var rest = bytes[...]
    if stream.pendingOutputBytes == 0, !rest.isEmpty,
      case .bytes(let count) = unsafe rest.withUnsafeBytes({ unsafe Socket.write(descriptor, $0) })
    {
      rest = rest.dropFirst(count)
      writtenBytes += count
    }
    if !rest.isEmpty { deliver(Array(rest)) }
    if !finishWriting() { world.network.finishLater(self) }
  }

  /// Shuts down the output of the socket, unless bytes are still waiting for space in the socket.
  ///
  /// Returns true if nothing remains to be done.
  func finishWriting() -> Bool {
    guard let stream else { return true }
    guard stream.pendingOutputBytes == 0 else { return false }
    Socket.finishWriting(descriptor)
    process.nearEndsMayBeReady()
    return true
  }

  private func deliver(_ piece: [UInt8]) {
    guard let stream else { return }
    stream.write(piece)
    writtenBytes += piece.count
  }

  /// Closes the connection from the client's side.
  ///
  /// Bytes that were sent earlier still arrive.
  func close() {
    guard isOpen else { return }
    isOpen = false
    carry(.toGateway) { $0.stream?.close() }
  }

  /// Simulates the exit of the client's process.
  ///
  /// The client receives nothing more, and the gateway soon loses the connection.
  func abandon() {
    isOpen = false
    guard !isDark else { return }
    world.time.after(world.random(0...500_000_000)) { [weak self] in
      self?.stream?.close(afterFlush: false)
    }
  }

  // MARK: Faults

  /// Breaks the connection.
  ///
  /// Each end notices at a different time, and bytes in transit are lost.
  func cut() {
    isDark = true
    world.time.after(world.random(0...2_000_000_000)) { [weak self] in
      self?.stream?.close(afterFlush: false)
    }
    world.time.after(world.random(0...2_000_000_000)) { [weak self] in self?.loseClient() }
  }

  /// Makes the connection silently lose all bytes that are sent after this call.
  func goDark() { isDark = true }

  /// Stops reading on the client's side for a while, so that the gateway's output must wait.
  func stall(_ nanoseconds: Int64) {
    wasStalled = true
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
