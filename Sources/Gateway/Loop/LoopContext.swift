import BelfryWire
import PushWire
import Storage
import System
import Transport
import WebPush

/// The state that a loop's provider front and device home share, and the means by which they exchange messages.
///
/// The context is confined to its loop.
final class LoopContext {
  /// The address of this loop's front and home.
  let route: Route
  let loop: EventLoop
  let shared: GatewayShared
  /// The assignment of devices to homes.
  let homes: HomeMap
  /// The credentials and apps, which are replaced as a whole when something changes.
  private(set) var directory: CredentialDirectory
  private(set) var rotation: LoopRotation
  private(set) var outbox = LoopOutbox()
  /// The gate that admits provider and device connections.
  var gate: ConnectionGate
  var random: SystemRandom.Generator
  var expiryClock: ExpiryClock
  /// A function that handles a message to this loop's own front or home.
  var handleHere: (RoutedMessage) -> Void = { _ in
    assertionFailure("a message was sent before the loop was complete")
  }
  /// A function that gives an open WebSocket to this loop's home, with the bytes that followed the handshake.
  var openAutopush: (_ stream: ByteStream, _ unread: [UInt8], _ opening: AutopushOpening) -> Void =
    { stream, _, _ in stream.close() }
  /// A function that schedules the end of the loop's turn.
  var scheduleTurnEnd: () -> Void = {}

  var environment: BelfryWire.Environment { shared.configuration.environment }
  var metrics: GatewayMetrics { shared.metrics }
  var log: Log { shared.log }
  var tokens: DeviceTokenCodec { rotation.tokens }

  init(
    index: Int, loop: EventLoop, shared: GatewayShared, directory: CredentialDirectory
  ) throws(CryptoFailure) {
    route = Route(loop: index)
    self.loop = loop
    self.shared = shared
    self.directory = directory
    homes = HomeMap(count: shared.configuration.loops)
    gate = ConnectionGate(shared.census)
    random = GatewayShared.generator(of: index, seed: shared.randomSeed)
    expiryClock = ExpiryClock(
      nanoseconds: loop.nowNanoseconds, unixMilliseconds: loop.unixMilliseconds)
    rotation = try LoopRotation(
      tokenKeys: shared.tokenKeys, trustMark: shared.trustMark,
      environment: shared.configuration.environment, cell: shared.cell)
  }

  // MARK: Messages

  func post(_ message: ControlPlaneMessage) { shared.controlPlane.post(message) }

  /// Sends a request to the control plane.
  func ask(_ request: ControlPlaneRequest) { post(.request(loop: route.loop, request)) }

  /// Returns true if the device's home is on this loop.
  func isHome(of device: UInt64) -> Bool { homes.home(of: device) == route }

  /// Sends a message to the front or the home at `route`: immediately if the route is on this loop, or at the end of
  /// the turn if it is on another loop.
  ///
  /// Returns false if no loop has this route; other loops aren't known before the gateway opens.
  func send(_ message: RoutedMessage, to route: Route) -> Bool {
    if route == self.route {
      handleHere(message)
      return true
    }
    guard outbox.add(.routed(message), to: route.loop) else { return false }
    scheduleTurnEnd()
    return true
  }

  /// The mailbox of this loop, to which other threads can post; nil until the gateway opens.
  var ownMailbox: LoopMailbox? {
    outbox.peers.indices.contains(route.loop) ? outbox.peers[route.loop] : nil
  }

  /// Posts a message to a loop immediately; returns false if no loop has this route.
  func post(_ message: LoopMessage, to route: Route) -> Bool {
    guard outbox.peers.indices.contains(route.loop) else { return false }
    outbox.peers[route.loop].post(message)
    return true
  }

  /// Sets the mailboxes of all loops, once the gateway opens.
  func open(_ peers: LoopPeers) { outbox.open(peers) }

  /// Posts the messages that were collected during the turn.
  func flush() { outbox.flush() }

  // MARK: Changes

  func use(_ directory: CredentialDirectory) {
    assert(directory.version > self.directory.version, "a new directory has a higher version")
    self.directory = directory
  }

  /// Sets the hash that identifies the trusted authorities; returns false if it is unchanged.
  func use(trustMark: [UInt8]) -> Bool {
    guard trustMark != rotation.trustMark else { return false }
    rotation.trustMark = trustMark
    return true
  }

  func use(tokenKeys: [[UInt8]]) {
    do throws(CryptoFailure) {
      rotation = try LoopRotation(
        tokenKeys: tokenKeys, trustMark: rotation.trustMark, environment: environment,
        cell: shared.cell)
    } catch {
      log.error("cannot read the token keys: keeping the previous ones", ["why": "\(error)"])
    }
  }

  func makeID() -> NotificationID { NotificationID(high: random.next(), low: random.next()) }

  /// Asserts the invariants that hold between turns.
  func checkInvariants(isTurnEndScheduled: Bool) {
    assert(
      outbox.loopCount == 0 || outbox.loopCount == homes.count, "every loop has a mailbox")
    assert(
      outbox.isEmpty || isTurnEndScheduled, "the end of the turn is scheduled while messages wait")
    assert(route.loop < homes.count, "the loop's route is one of the homes")
  }
}
