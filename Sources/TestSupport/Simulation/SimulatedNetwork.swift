import System
import Transport

/// A network on a single thread, with real streams over socket pairs whose far ends the simulation holds.
///
/// The network decides when bytes are transferred, in which pieces, and whether they are transferred at all.
final class SimulatedNetwork: @unchecked Sendable {
  // The class is used only on the simulation's own thread, which makes the unchecked conformance safe.
  private final class Arrival: @unchecked Sendable {
    // Used only on the simulation's own thread.
    private var descriptor: Int32
    let security: StreamSecurity

    init(descriptor: Int32, security: StreamSecurity) {
      assert(descriptor >= 0, "a connection has a socket")
      self.descriptor = descriptor
      self.security = security
    }

    /// Closes the descriptor if the loop stops before it reads its mailbox.
    deinit { if descriptor >= 0 { Socket.close(descriptor) } }

    /// Returns the descriptor and transfers its ownership to the caller.
    func take() -> Int32 {
      assert(descriptor >= 0, "a connection is taken only once")
      return exchange(&descriptor, with: -1)
    }
  }

  private final class SimulatedListener: Listener {
    let port: UInt16
    unowned let process: SimulatedGatewayProcess
    let arrivals: Mailbox<Arrival>
    private(set) var isOpen = true

    init(port: UInt16, of process: SimulatedGatewayProcess, arrivals: Mailbox<Arrival>) {
      self.port = port
      self.process = process
      self.arrivals = arrivals
    }

    /// Does nothing, because the simulation's connections are not encrypted.
    func use(_ security: StreamSecurity) {}
    /// Does nothing, because the simulation limits the number of connections itself.
    func limitAdmissions(perSecond: Int, burst: Int) {}
    func close() { isOpen = false }
  }

  private unowned let world: GatewaySimulation
  private var listeners: [SimulatedListener] = []
  private(set) var connections: [SimulatedConnection] = []
  /// The connections whose output is shut down when all of it has been sent.
  private var finishing: [SimulatedConnection] = []
  private var lastNumber = 0
  private var nextFreePort: UInt16 = 40_000
  /// The loop that handles the far ends of all connections.
  let clientLoop: EventLoop
  /// True if a far end might have become readable or writable since the loop last polled.
  private var mayBeReady = true

  init(in world: GatewaySimulation) throws(SystemFailure) {
    self.world = world
    clientLoop = try EventLoop(clock: world.time)
  }

  /// Adds a listener of a process; the processes of a cluster have the same ports, as behind a load balancer.
  fileprivate func listen(
    in process: SimulatedGatewayProcess, on loop: EventLoop, at address: SocketAddress,
    sharing: Socket.PortSharing, accept: @escaping (ByteStream) -> (any StreamHandler)?
  ) -> any Listener {
    var port = address.port
    if port == 0 {
      port = nextFreePort
      nextFreePort += 1
    }
    world.expect(
      sharing == .further
        || !listeners.contains { $0.process === process && $0.port == port && $0.isOpen },
      "two listeners share port \(port)")
    let arrivals = loop.mailbox(of: Arrival.self) { [unowned loop] arrivals in
      for arrival in arrivals {
        ByteStream.adopt(arrival.take(), on: loop, security: arrival.security, accept: accept)
      }
    }
    let listener = SimulatedListener(port: port, of: process, arrivals: arrivals)
    listeners.append(listener)
    return listener
  }

  /// Opens a connection to one of the loops, of any process, that listen on the port; returns nil if no loop does.
  func connect(
    to port: UInt16, as identity: StreamIdentity?, _ client: any SimulatedClient
  ) -> SimulatedConnection? {
    let open = listeners.filter { $0.port == port && $0.isOpen }
    guard !open.isEmpty, let ends = try? Socket.pair(bufferBytes: world.profile.bufferBytes) else {
      return nil
    }
    let listener = open[world.random(0...open.count - 1)]
    lastNumber += 1
    let connection = SimulatedConnection(
      number: lastNumber, in: world, to: listener.process, client: client, descriptor: ends.other)
    ByteStream.adopt(ends.other, on: clientLoop, security: .plain) { _ in connection }
    connections.append(connection)
    listener.arrivals.post(
      Arrival(
        descriptor: ends.one, security: identity.map { .identified($0) } ?? .plain))
    return connection
  }

  /// Handles the exit of a gateway's process.
  func gatewayCrashed(_ process: SimulatedGatewayProcess) {
    listeners.removeAll { $0.process === process }
    mayBeReady = true
  }

  /// Records that the gateway read, wrote, or closed a near end, or that a far end reads again.
  func farEndsMayBeReady() { mayBeReady = true }

  /// Shuts down the output of a connection as soon as its bytes are in the socket.
  func finishLater(_ connection: SimulatedConnection) { finishing.append(connection) }

  /// Runs a turn of the far ends, which read the gateway's output; returns true if they had anything to do.
  func turn() -> Bool {
    mayBeReady = clientLoop.turn(mayBlock: false, polls: mayBeReady)
    finishing.removeAll { $0.finishWriting() }
    if mayBeReady { connections.removeAll(where: \.isOver) }
    return mayBeReady
  }

  /// Closes all open connections without notifying their clients.
  func release() {
    clientLoop.releaseAll()
    finishing = []
    connections = []
  }
}

/// The listeners of one process.
final class SimulatedListeners: ListenerFactory, @unchecked Sendable {
  // The class is used only on the simulation's own thread, which makes the unchecked conformance safe.
  private unowned let network: SimulatedNetwork
  private unowned let process: SimulatedGatewayProcess

  init(of process: SimulatedGatewayProcess, on network: SimulatedNetwork) {
    self.process = process
    self.network = network
  }

  func listen(
    on loop: EventLoop, at address: SocketAddress, security: StreamSecurity,
    sharing: Socket.PortSharing, accept: @escaping (ByteStream) -> (any StreamHandler)?
  ) throws(SystemFailure) -> any Listener {
    network.listen(in: process, on: loop, at: address, sharing: sharing, accept: accept)
  }
}
