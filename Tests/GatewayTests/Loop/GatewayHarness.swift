import PushWire
import System
import Transport

@testable import Gateway
@testable import TestSupport

/// A harness that runs the real gateway in a simulated world; only the test causes faults.
final class GatewayHarness {
  let world: GatewaySimulation

  /// Starts a gateway, or a cluster if there are several nodes.
  init(loops: Int = 2, servesWebPush: Bool = false, nodes: Int = 1) throws {
    var profile = SimulationProfile.quiet(loops: loops)
    profile.servesWebPush = servesWebPush
    if nodes > 1 { profile.cluster = .quiet(nodes: nodes) }
    world = try GatewaySimulation(seed: 1, isTracing: true, profile: profile)
    for gateway in world.gateways { gateway.start() }
    pass(milliseconds: nodes > 1 ? 5_000 : 10)
  }

  deinit { world.end() }

  /// Lets virtual time pass, and processes all events that occur in that time.
  func pass(milliseconds: Int64) { world.step(until: world.time.now + milliseconds * 1_000_000) }

  /// Advances virtual time in one step, as on a suspended machine, so that every timer is late.
  func sleep(milliseconds: Int64) {
    world.time.advance(to: world.time.now + milliseconds * 1_000_000)
  }

  /// The first guarantee that was broken, or nil.
  var violation: String? { world.violation }

  /// Returns a device that has enrolled and has a token for the first app.
  func device() -> SimulatedDevice {
    world.addDevice(world.devices.count + 1)
    pass(milliseconds: 2_000)
    return world.devices[world.devices.count - 1]
  }

  /// Returns a provider of the given kind: 0 uses tokens, 1 uses a certificate, and 2 uses the port without TLS.
  func provider(_ kind: Int = 0) -> SimulatedProvider { SimulatedProvider(kind, in: world) }

  /// Sends a push, waits for it to arrive, and returns its number in the ledger.
  @discardableResult
  func push(
    to device: SimulatedDevice, by provider: SimulatedProvider, wait: Int64 = 1_000
  ) throws -> UInt64 {
    let number = open(for: device)
    provider.push(
      number, to: try token(of: device), topic: world.topics[0], priority: 10, expiration: nil,
      collapseID: "")
    pass(milliseconds: wait)
    return number
  }

  /// Records a push in the ledger and returns its number.
  func open(for device: SimulatedDevice) -> UInt64 {
    world.ledger.open(
      .init(device: device.number, topic: world.topics[0]), priority: 10,
      expiration: world.time.unixMilliseconds / 1_000 + 3_600, collapseID: "", keep: 1)
  }

  /// Returns the current token of the device's first app.
  func token(of device: SimulatedDevice, generation: UInt16 = 0) throws -> [UInt8] {
    world.tokens.seal(
      TokenContents(
        environment: .sandbox, kind: .alert, generation: generation, app: 1,
        device: device.number))
  }

  /// Returns the labels of a push's states in the delivery log.
  func labels(of number: UInt64) -> [String] { state(of: number)?.states.map(\.label) ?? [] }

  func state(of number: UInt64) -> DeliveryLedger.Push? { world.ledger.push(number) }
}

/// A client that sends raw bytes.
///
/// The client records the bytes that it receives, and whether the gateway has closed the connection.
final class RawClient: SimulatedClient {
  private(set) var received: [UInt8] = []
  private(set) var isClosed = false
  private(set) var connection: SimulatedConnection?

  init(_ harness: GatewayHarness, port: UInt16, as identity: StreamIdentity? = nil) {
    connection = harness.world.network.connect(to: port, as: identity, self)
  }

  func send(_ bytes: [UInt8]) { connection?.send(bytes) }

  /// Sends bytes and shuts down the client's output.
  ///
  /// The client continues to read.
  func sendLast(_ bytes: [UInt8]) { connection?.sendLast(bytes) }

  func received(_ bytes: [UInt8], on connection: SimulatedConnection) { received += bytes }

  func closed(_ connection: SimulatedConnection) { isClosed = true }
}
