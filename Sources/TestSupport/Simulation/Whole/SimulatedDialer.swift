import Agent
import PushWire
import System
import Transport

/// The network of a device with the real agent.
final class SimulatedDialer: GatewayDialer {
  private unowned let device: AgentDevice
  /// The latest connection.
  private(set) var stream: SimulatedGatewayStream?

  init(of device: AgentDevice) { self.device = device }

  func end() { stream = nil }

  func dial(
    host: String, port: UInt16, identity: DeviceIdentity, authorities: TLSClientContext,
    for connection: GatewayConnection
  ) throws(TLSFailure) -> any GatewayStream {
    let certificate = identity.shownChainPEM.flatMap { try? PeerCertificate(pem: $0) }
    let stream = SimulatedGatewayStream(of: device, for: connection)
    self.stream = stream
    let world = device.world
    world.time.after(world.random(500_000...world.profile.latencyMost * 3)) {
      stream.connect(to: port, showing: certificate)
    }
    return stream
  }
}

/// The agent's end of a connection over the simulated network, with simulated TLS.
///
/// Events reach the agent in turns of its loop.
final class SimulatedGatewayStream: GatewayStream, SimulatedClient {
  private unowned let device: AgentDevice
  private weak var owner: GatewayConnection?
  private(set) var connection: SimulatedConnection?
  private var isOpen = true
  /// True if the agent has closed the connection; the agent then receives no further events.
  private var isClosing = false

  init(of device: AgentDevice, for owner: GatewayConnection) {
    self.device = device
    self.owner = owner
  }

  var negotiatedProtocol: String? { LinkLimits.applicationProtocol }

  func connect(to port: UInt16, showing certificate: PeerCertificate?) {
    guard isOpen else { return }
    assert(connection == nil, "a stream connects once")
    let identity = StreamIdentity(
      certificate: certificate, negotiatedProtocol: LinkLimits.applicationProtocol)
    connection = device.world.network.connect(to: port, as: identity, self)
    guard connection != nil else { return end(.connectFailed("no gateway listens")) }
    device.simulation.agent.inTurn { [self] in
      if isOpen, !isClosing { owner?.opened(self) }
    }
  }

  func write(_ bytes: [UInt8]) { connection?.send(bytes) }

  func close(afterFlush: Bool) {
    isClosing = true
    connection?.close()
    end(.local)
  }

  /// Ends the connection because the agent's process has exited.
  func abandon() {
    isOpen = false
    connection?.abandon()
    connection = nil
  }

  func received(_ bytes: [UInt8], on connection: SimulatedConnection) {
    device.simulation.agent.inTurn { [self] in
      guard isOpen, !isClosing else { return }
      bytes.withUnsafeBytes { owner?.received($0, on: self) }
    }
  }

  func closed(_ connection: SimulatedConnection) { end(.peer) }

  private func end(_ closure: StreamClosure) {
    guard isOpen else { return }
    device.simulation.agent.inTurn { [self] in
      guard isOpen else { return }
      isOpen = false
      connection = nil
      owner?.closed(self, because: closure)
    }
  }
}
