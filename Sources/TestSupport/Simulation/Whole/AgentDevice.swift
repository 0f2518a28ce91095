import Agent
import BelfryWire
import PushWire
import System
import Transport

/// A device with the real agent, whose real ``PushReceiver`` is linked to the simulated gateway.
///
/// The device connects two ledgers. In the gateway's ledger, a push counts as displayed once the agent's records are
/// durable. From then on, the agent's own ledger checks that the push reaches the user and the app.
final class AgentDevice: SimulatedPushLink, SimulatedRecipient {
  let index: Int
  unowned let world: GatewaySimulation
  private(set) lazy var simulation = AgentSimulation(of: self, in: world)
  private let identities: SimulatedIdentityStore
  private var receiver: PushReceiver?
  private weak var engine: AgentEngine?
  private(set) lazy var dialer = SimulatedDialer(of: self)
  private(set) var hasLackedRoom = false
  private(set) var count = 0
  /// The subjects that the current run of the agent has registered.
  private var registered: Set<LinkTopic> = []
  /// The subjects that were registered while the agent had changes that were not on disk.
  ///
  /// If the agent then crashes, their tokens can remain at the gateway.
  private var uncertain: Set<LinkTopic> = []
  /// The pushes that the agent has handled, but whose records might not be durable yet.
  private var handled: [(id: NotificationID, origin: Origin)] = []

  /// The sender of a push.
  private enum Origin {
    /// A provider, with the number of the push.
    case provider(UInt64)
    /// The campaign, with the token of the recipient.
    case campaign(String)
  }

  /// The pushes in the agent's durable records.
  private var durable: Set<NotificationID> = []

  init(_ index: Int, in world: GatewaySimulation) {
    self.index = index
    self.world = world
    identities = SimulatedIdentityStore(in: world)
  }

  func begin() { simulation.begin() }

  /// The current connection to the gateway.
  var connection: SimulatedConnection? { dialer.stream?.connection }

  /// Returns a payload that the agent's ledger recognizes.
  func payload(push number: UInt64) -> [UInt8] {
    let rest = SimulatedPayload.valid(in: simulation).text.dropFirst()
    return Array((#"{"push":\#(number),"# + rest).utf8)
  }

  func goOffline() { receiver?.close() }

  /// Releases everything at the end of the world.
  func end() {
    simulation.agent.release()
    dialer.end()
    receiver = nil
  }

  // MARK: The ledgers

  var number: UInt64 { identities.identity.device ?? 0 }
  var isRevoked: Bool { false }
  var mayBeRevoked: Bool { false }
  var isRevocationForgotten: Bool { false }
  func isKnownAsRestricted(by process: SimulatedGatewayProcess) -> Bool { false }

  func wants(_ topic: LinkTopic) -> Bool { registered.contains(topic) }
  func isDisabled(_ topic: LinkTopic) -> Bool { false }
  func remembers(_ id: NotificationID) -> Bool { durable.contains(id) }

  private func markUnwanted(_ topic: LinkTopic) {
    world.markUnwanted(DeliveryLedger.Target(device: number, topic: topic))
  }

  func check() {
    simulation.ledger.checkEnd()
    guard world.violation == nil else { return }
    world.expect(
      receiver?.reason == nil, "the link of agent \(index) is down at the end of the run")
  }

  // MARK: The agent's life

  func agentStarts(_ engine: AgentEngine) {
    assert(receiver == nil && handled.isEmpty, "only one run of the agent is active")
    self.engine = engine
    registered = []
    if simulation.isTroubled, simulation.chance(0.05) { identities.replace(in: simulation) }
    let gateway = AgentConfiguration.Gateway(
      host: "gateway", port: world.ports.device,
      authorityPEM: world.identities.issuer.certificatePEM,
      enrollmentCode: SimulatedIdentities.enrollmentCode)
    do {
      let receiver = try PushReceiver(
        gateway, identities: identities, on: engine.loop, log: .silent, owner: self
      ) {
        $0.deviceName = "agent \(index)"
        $0.memory = engine.model.rememberedPushes
        $0.dialer = dialer
        let world = world
        $0.random = { world.random.next() }
        $0.settings.window = world.profile.window
      }
      // The agent can be killed while it records that its data is from another machine.
      if simulation.agent.isUp { self.receiver = receiver }
    } catch {
      world.fail("agent \(index) cannot load its identity: \(error)")
    }
  }

  func agentStarted() { simulation.agent.inTurn { [self] in receiver?.start() } }

  func agentCrashed() {
    dialer.stream?.abandon()
    receiver = nil
    handled = []
    // The agent might have crashed before it stored a registration.
    for topic in registered { markUnwanted(topic) }
  }

  func recordsAreDurable() {
    assert(receiver != nil || handled.isEmpty, "pushes arrive through a receiver")
    for (id, origin) in handled where durable.insert(id).inserted {
      switch origin {
      case .provider(let number):
        world.note("agent \(index) has stored #\(number)")
        world.ledger.shown(number, id, on: self)
      case .campaign(let token):
        world.note("agent \(index) has stored the campaign's push")
        world.campaign?.record { $0.arrive(token, id) }
      }
    }
    handled = []
  }

  func plan() {}

  func calmDown() {}

  // MARK: Effects

  func carryOut(_ effect: AgentEffect) {
    guard let receiver else { return }
    switch effect {
    case .register(let app, let kind):
      let topic = LinkTopic(bundleID: app.text, kind: kind)
      registered.insert(topic)
      if simulation.agent.hasUnpersisted {
        uncertain.insert(topic)
      } else {
        uncertain.remove(topic)
      }
      receiver.register(app, kind)
    case .unregister(let app, let kind):
      let topic = LinkTopic(bundleID: app.text, kind: kind)
      registered.remove(topic)
      markUnwanted(topic)
      receiver.unregister(app, kind)
    case .acknowledge(let id): receiver.acknowledge(id)
    case .rejectPush(let id):
      hasLackedRoom = true
      receiver.reject(id)
    case .moveLink(let isOnline): isOnline ? receiver.start() : receiver.close()
    case .announceState(let state): receiver.announce(state)
    case .probeGateway(let isOtherNetwork): receiver.probe(isOtherNetwork: isOtherNetwork)
    default: break
    }
  }

  // MARK: The end of the run

  /// Empty, because the gateway's ledger checks the pushes that the gateway stores.
  var unacknowledged: [NotificationID] { [] }

  func tokensWithoutRegistration(_ isKept: (AppID, TokenKind) -> Bool) -> [String] {
    world.gateway.controlStore.registered.filter { $0.device == number }.compactMap { key in
      guard let topic = world.topics.first(where: { world.app(of: $0) == key.app }),
        let app = AppID(topic.bundleID), let kind = TokenKind(rawValue: key.kind),
        !isKept(app, kind),
        !uncertain.contains(LinkTopic(bundleID: topic.bundleID, kind: kind))
      else { return nil }
      return "\(app) \(kind)"
    }.sorted()
  }
}

extension AgentDevice: PushReceiverOwner {
  func handle(_ event: AgentEvent) {
    switch event {
    case .pushReceived(let push): onPush(push)
    case .registrationSucceeded(let app, .alert, let token):
      world.registered(LinkTopic(bundleID: app.text), token: token, on: self)
    default: break
    }
    engine?.handle(event)
  }

  private func onPush(_ push: ReceivedPush) {
    if let token = world.hostedService?.token(of: push.id) {
      return handled.append((push.uniqueID, .campaign(token)))
    }
    guard let number = GatewaySimulation.push(push.payload), let known = world.ledger.push(number)
    else { return world.fail("agent \(index) received a notification that no provider sent") }
    count += 1
    let topic = LinkTopic(bundleID: push.app.text, kind: push.kind)
    world.note("agent \(index) receives #\(number)")
    world.expect(
      known.target == DeliveryLedger.Target(device: self.number, topic: topic),
      "#\(number) was delivered to another device or app")
    world.expect(wants(topic), "#\(number) was delivered to an app that is not registered")
    handled.append((push.uniqueID, .provider(number)))
  }

  func onMachineReplaced() {
    engine?.handle(.machineReplaced)
    engine?.turnEnded()
  }

  func identityChanged() {}
}

/// The identity of a device, on a disk that never fails.
final class SimulatedIdentityStore: DeviceIdentityStore {
  private unowned let world: GatewaySimulation
  private(set) var identity: DeviceIdentity
  private var hasMoved = false

  init(in world: GatewaySimulation) {
    self.world = world
    identity = DeviceIdentity(key: world.takeAgentKey())
  }

  var path: String { "identity" }

  /// Loses the identity, as if the gateway's folder was replaced or the data was moved to another machine.
  func replace(in simulation: AgentSimulation) {
    guard world.hasAgentKeys else { return }
    hasMoved = simulation.chance(0.5)
    world.note("the identity of device number \(identity.device ?? 0) is lost: moved \(hasMoved)")
    if let number = identity.device { world.formerNumbers.insert(number) }
    identity = DeviceIdentity(key: world.takeAgentKey())
  }

  func load(
    authorityPEM: [UInt8], willReplace: () -> Void
  ) throws(DeviceIdentityFolder.Failure) -> (identity: DeviceIdentity, hasMoved: Bool) {
    if hasMoved { willReplace() }
    defer { hasMoved = false }
    return (identity, hasMoved)
  }

  func save(_ identity: DeviceIdentity) throws(DeviceIdentityFolder.Failure) {
    self.identity = identity
  }
}
