import Agent
import BelfryWire
import AppWire
import System
import Transport

/// A process at the far end of a simulated app link.
protocol SimulatedPeer: AnyObject {
  func received(_ message: AppMessage)
  /// Called once when the agent has closed the connection.
  func wasCut()
}

/// A process's end of a connection to the agent's real ``AppServer``; the agent reads the other end of the socket.
final class SimulatedAppLink {
  let identity: ProcessIdentity
  /// The first greeting that the agent has read from this connection; nil until then.
  fileprivate(set) var greeting: RequestID?
  /// The number that the agent has given to the connection; nil before the agent has read the greeting.
  var connection: ConnectionID? { greeting?.connection }
  private unowned let world: AgentSimulation
  private weak var peer: (any SimulatedPeer)?
  private var descriptor: Int32
  /// The agent's end; nil after the agent has closed it.
  fileprivate(set) weak var stream: ByteStream?
  private var decoder = AppFrameDecoder(limit: WireLimits.appFrameBytesMaxFromAgent)
  /// The bytes that the socket has not accepted yet.
  private var unsent: [UInt8] = []
  /// The time at which the last sent bytes arrive; bytes are never reordered.
  private var lastArrival: Int64 = 0
  /// False while the process is suspended.
  var isReading = true
  var isOpen: Bool { descriptor >= 0 }

  fileprivate init(
    _ descriptor: Int32, of identity: ProcessIdentity, _ peer: any SimulatedPeer,
    in world: AgentSimulation
  ) {
    self.descriptor = descriptor
    self.identity = identity
    self.peer = peer
    self.world = world
  }

  /// Closes the socket if the world ends before the connection does.
  deinit { if isOpen { Socket.close(descriptor) } }

  /// Sends a frame.
  ///
  /// Sometimes splits the frame into two pieces and delays the second piece.
  func send(_ frame: AppFrame) {
    let bytes = frame.encoded
    guard world.isTroubled, world.chance(0.05) else { return arrive(bytes[...], at: 0) }
    let cut = world.random(0...bytes.count)
    arrive(bytes[..<cut], at: 0)
    arrive(bytes[cut...], at: world.time.now + world.milliseconds(50))
  }

  private func arrive(_ bytes: ArraySlice<UInt8>, at moment: Int64) {
    lastArrival = max(lastArrival, moment)
    guard lastArrival > world.time.now else { return write(bytes) }
    world.time.at(lastArrival) { [weak self] in self?.write(bytes) }
  }

  private func write(_ bytes: ArraySlice<UInt8>) {
    guard isOpen, !bytes.isEmpty else { return }
    unsent += bytes
    flush()
  }

  private func flush() {
    guard isOpen, !unsent.isEmpty else { return }
    switch unsafe unsent.withUnsafeBytes({ unsafe Socket.write(descriptor, $0) }) {
    case .bytes(let count):
      unsent.removeFirst(count)
      world.agent.mayBeReady()
    case .wouldBlock: break
    // The agent has closed its end, which `read` detects and reports.
    case .failed: unsent = []
    }
  }

  /// Closes the connection, as happens when the process exits.
  func close() {
    guard isOpen else { return }
    // End the connection before closing the descriptor. A program that another test is starting might still hold a copy
    // of the socket, and the connection would otherwise stay open until that program closes the copy.
    Socket.finishWriting(descriptor)
    Socket.close(descriptor)
    descriptor = -1
    world.agent.mayBeReady()
  }

  /// Exchanges bytes with the agent after a turn of the agent's loop.
  fileprivate func exchange() {
    flush()
    read()
  }

  /// Reads the bytes that the agent has sent, and delivers the messages.
  func read() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while isOpen, isReading {
      switch unsafe buffer.withUnsafeMutableBytes({ unsafe Socket.read(descriptor, into: $0) }) {
      case .bytes(0), .failed: return end()
      case .wouldBlock:
        // The agent can now write the rest of its output.
        if let stream, stream.pendingOutputBytes > 0 { world.agent.mayBeReady() }
        return
      case .bytes(let count):
        decoder.append(buffer[..<count])
        handleFrames()
      }
    }
  }

  private func handleFrames() {
    do {
      while isOpen, let frame = try decoder.next() { peer?.received(try AppMessage(frame)) }
    } catch {
      world.fail("the agent sent an unreadable frame: \(error)")
    }
  }

  private func end() {
    close()
    peer?.wasCut()
  }
}

/// The transport of a simulated agent, whose connections are socket pairs.
final class SimulatedAppTransport: AppTransport {
  private unowned let world: AgentSimulation
  private let loop: EventLoop
  private var accept: ((ByteStream) -> (any StreamHandler)?)?
  private var links: [SimulatedAppLink] = []
  /// The connection that the agent is accepting.
  private var arriving: SimulatedAppLink?

  init(on loop: EventLoop, in world: AgentSimulation) {
    self.loop = loop
    self.world = world
  }

  func listen(
    on loop: EventLoop, accept: @escaping (ByteStream) -> (any StreamHandler)?
  ) throws(SystemFailure) {
    self.accept = accept
  }

  func close() { accept = nil }

  func credentials(of stream: ByteStream) -> Socket.PeerCredentials? {
    arriving.map { Socket.PeerCredentials(pid: $0.identity.pid, uid: $0.identity.uid, gid: 7) }
  }

  func identity(of stream: ByteStream, _ credentials: Socket.PeerCredentials) -> ProcessIdentity {
    arriving?.identity ?? ProcessIdentity(pid: credentials.pid, uid: credentials.uid)
  }

  /// Opens a connection from a process; returns nil if the agent is not listening.
  func connect(_ identity: ProcessIdentity, _ peer: any SimulatedPeer) -> SimulatedAppLink? {
    guard let accept, let ends = try? Socket.pair(bufferBytes: world.profile.bufferBytes) else {
      return nil
    }
    let link = SimulatedAppLink(ends.other, of: identity, peer, in: world)
    arriving = link
    ByteStream.adopt(ends.one, on: loop, security: .plain) { stream in
      link.stream = stream
      return accept(stream)
    }
    arriving = nil
    links.append(link)
    world.agent.mayBeReady()
    return link
  }

  /// Tells a process's link that the agent is reading the process's greeting.
  func greeted(_ greeting: RequestID, by process: ProcessIdentity) {
    let link = link(of: process)
    link?.greeting = link?.greeting ?? greeting
  }

  /// Returns true if this is the first greeting that the agent read from the process.
  func isFirstGreeting(_ greeting: RequestID, of process: ProcessIdentity) -> Bool {
    link(of: process)?.greeting == greeting
  }

  private func link(of process: ProcessIdentity) -> SimulatedAppLink? {
    links.first { $0.identity.pid == process.pid }
  }

  /// Lets the processes read the bytes that the agent has written in its turn.
  func exchange() {
    for link in links { link.exchange() }
    links.removeAll { !$0.isOpen }
  }
}
