import Agent
import BelfryWire
import PushWire

/// The gateway and the device's link to it.
///
/// The link resends each push until the agent acknowledges it, and sometimes delivers a push twice.
final class SimulatedPushService: SimulatedPushLink {
  private struct Subject: Hashable {
    let app: AppID
    let kind: TokenKind
  }

  private unowned let world: AgentSimulation
  private var isUp = false
  private var life = 0
  /// The unacknowledged pushes, oldest first.
  private var waiting: [ReceivedPush] = []
  private var acknowledged: [ReceivedPush] = []
  private var registered: [Subject] = []
  /// The subjects that the link still has to cancel.
  ///
  /// The list is lost when the agent's process exits.
  private var owed: [Subject] = []
  /// The subjects with a token at the gateway.
  private var alive: Set<Subject> = []
  /// The subjects that were registered while the agent had changes that were not on disk.
  ///
  /// If the agent then crashes, the gateway can keep a token for a registration that the agent has lost.
  private var uncertain: Set<Subject> = []
  /// The number of the device's current identity.
  ///
  /// Each identity has its own tokens.
  private var identity = 1
  private(set) var count = 0

  init(in world: AgentSimulation) { self.world = world }

  var unacknowledged: [NotificationID] { waiting.map(\.uniqueID) }

  func plan() {
    world.plan(every: world.profile.pushEvery) { [self] in push() }
    world.plan(every: world.profile.linkEvery) { [self] in isUp ? goDown() : goUp() }
  }

  func calmDown() { if !isUp { goUp() } }

  // MARK: The link

  /// Simulates, in some worlds, that the data was moved to another machine, or that the gateway was replaced.
  func agentStarts(_ engine: AgentEngine) {
    guard world.isTroubled, world.chance(0.05) else { return }
    identityReplaced()
    if world.chance(0.5) { engine.handle(.machineReplaced) }
    engine.handle(.identityReplaced)
  }

  func carryOut(_ effect: AgentEffect) {
    switch effect {
    case .register(let app, let kind): register(app, kind)
    case .unregister(let app, let kind): unregister(app, kind)
    case .acknowledge(let id): isAcknowledged(id)
    case .rejectPush(let id): isRejected(id)
    default: break
    }
  }

  func recordsAreDurable() {}

  func agentStarted() {
    registered = []
    after(2_000) { [self] in goUp() }
  }

  func agentCrashed() {
    isUp = false
    owed = []
    life += 1
  }

  private func goUp() {
    guard !isUp, world.agent.isUp else { return }
    isUp = true
    world.agent.report(.linkChanged(isUp: true))
    for subject in owed { sendCancellation(of: subject) }
    for subject in registered { answer(subject) }
    for push in waiting { handOver(push) }
  }

  private func goDown() {
    isUp = false
    life += 1
    world.agent.report(.linkChanged(isUp: false))
    // The gateway's folder was replaced, so the gateway no longer knows the device.
    if world.isTroubled, world.chance(0.1) {
      identityReplaced()
      world.agent.report(.identityReplaced)
    }
    // The device reconnects automatically.
    let life = life
    world.time.after(world.milliseconds(20_000)) { [self] in if life == self.life { goUp() } }
  }

  /// Gives the device a new identity, for which the gateway has not stored any data.
  private func identityReplaced() {
    identity += 1
    alive = []
    waiting = []
    acknowledged = []
  }

  private func after(_ milliseconds: Int64, _ body: @escaping () -> Void) {
    let life = life
    world.time.after(world.milliseconds(milliseconds)) { [self] in
      if life == self.life { body() }
    }
  }

  // MARK: Registrations

  private func register(_ app: AppID, _ kind: TokenKind) {
    let subject = Subject(app: app, kind: kind)
    if !registered.contains(subject) { registered.append(subject) }
    if world.agent.hasUnpersisted { uncertain.insert(subject) } else { uncertain.remove(subject) }
    if isUp { answer(subject) }
  }

  private func unregister(_ app: AppID, _ kind: TokenKind) {
    let subject = Subject(app: app, kind: kind)
    registered.removeAll { $0 == subject }
    if !owed.contains(subject) { owed.append(subject) }
    if isUp { sendCancellation(of: subject) }
  }

  /// Sends a cancellation, which the gateway always receives before a later registration.
  private func sendCancellation(of subject: Subject) {
    after(100) { [self] in cancel(subject) }
  }

  private func cancel(_ subject: Subject) {
    guard isUp, let index = owed.firstIndex(of: subject) else { return }
    owed.remove(at: index)
    alive.remove(subject)
    world.agent.report(.registrationCancelled(subject.app, subject.kind))
  }

  /// Returns the subjects with a token for which the agent has not stored a registration.
  func tokensWithoutRegistration(_ isKept: (AppID, TokenKind) -> Bool) -> [String] {
    alive.subtracting(uncertain).filter { !isKept($0.app, $0.kind) }.map { "\($0.app) \($0.kind)" }
      .sorted()
  }

  private func answer(_ subject: Subject) {
    after(200) { [self] in
      guard isUp, registered.contains(subject) else { return }
      cancel(subject)
      if world.isTroubled, world.chance(0.1) {
        alive.remove(subject)
        registered.removeAll { $0 == subject }
        world.agent.report(
          .registrationRefused(subject.app, subject.kind, message: "no such topic"))
      } else {
        alive.insert(subject)
        let version = world.isTroubled ? world.random(1...2) : 1
        world.agent.report(
          .registrationSucceeded(
            subject.app, subject.kind,
            token: Array("\(subject.app) \(subject.kind) \(identity) \(version)".utf8)))
      }
    }
  }

  // MARK: Pushes

  private func isAcknowledged(_ id: NotificationID) {
    guard let index = waiting.firstIndex(where: { $0.uniqueID == id }) else { return }
    acknowledged.append(waiting.remove(at: index))
  }

  private func isRejected(_ id: NotificationID) {
    after(5_000) { [self] in
      if isUp, let push = waiting.first(where: { $0.uniqueID == id }) { handOver(push) }
    }
  }

  private func push() {
    let app = world.chance(0.95) ? world.pick(world.apps).id : AppID("org.example.unknown")
    guard let app else { return }
    count += 1
    let number = UInt64(count)
    let (payload, kind) = SimulatedPayload.make(in: world)
    let push = ReceivedPush(
      id: NotificationID(high: 7, low: number), uniqueID: NotificationID(high: 0, low: number),
      app: app, kind: kind, payload: payload,
      collapseID: world.chance(0.3) ? "c-\(world.random(1...2))" : "")
    waiting.append(push)
    if isUp { handOver(push) }
    if world.chance(0.1), let old = acknowledged.last, isUp { handOver(old) }
  }

  private func handOver(_ push: ReceivedPush) {
    after(300) { [self] in
      guard isUp else { return }
      world.agent.report(.pushReceived(push))
      if world.isTroubled, world.chance(0.05) { world.agent.report(.pushReceived(push)) }
    }
  }
}

/// Generators of payloads: alerts of every kind, background pushes, and payloads that no provider should send.
enum SimulatedPayload {
  static func make(in world: AgentSimulation) -> ([UInt8], TokenKind) {
    let kind: TokenKind = world.chance(0.9) ? .alert : world.pick([.voip, .location])
    if world.chance(0.05) { return (Array(world.pick(hostile).utf8), kind) }
    var object = valid(in: world)
    if world.chance(0.05) { SimulatedExtremes.widen(&object, in: world) }
    return (Array(object.text.utf8), kind)
  }

  /// Returns a payload that a gateway accepts.
  static func valid(in world: AgentSimulation) -> JSONObject {
    let serial = world.takeSerial()
    var aps = JSONObject()
    if world.chance(0.8) {
      aps["alert"] =
        world.chance(0.5)
        ? .string("B\(serial)")
        : .object(["title": .string("T\(serial)"), "body": .string("B\(serial)")])
    }
    if world.chance(0.3) { aps["badge"] = .integer(world.random(Int64(0)...5)) }
    if world.chance(0.4) {
      aps["sound"] =
        world.chance(0.8) ? "default" : .object(["critical": .integer(1), "name": "default"])
    }
    if world.chance(0.3) { aps["content-available"] = .integer(1) }
    if world.chance(0.3) { aps["mutable-content"] = .integer(1) }
    if world.chance(0.4) { aps["category"] = .string("K\(world.random(1...2))") }
    if world.chance(0.3) {
      aps["interruption-level"] = .string(
        world.pick(["passive", "active", "time-sensitive", "critical"]))
    }
    return ["aps": .object(aps), "serial": .integer(Int64(serial))]
  }

  private static let hostile = [
    "", "{}", "[]", "null", "{\"aps\":7}", "{\"aps\":{\"alert\":[1,{}],\"badge\":-3}}",
    "{\"aps\":{\"alert\":{\"title\":null,\"loc-key\":9,\"loc-args\":{}}}}", "\u{0}", "{\"aps\":",
    "{\"aps\":{\"badge\":9223372036854775807,\"sound\":{\"volume\":1e300}}}",
  ]
}
