@testable import Agent
import BelfryWire

/// Work in the background: a push that wakes an app reaches it or waits for it in the records, unless its
/// manifest wants none, and no app is woken more often than it may.
final class BackgroundLedger {
  private struct State {
    /// Wakes that are left, and the time that had gone by then.
    var budgets: [AppID: (level: Double, atMilliseconds: Int64)] = [:]
  }

  private struct Arrival {
    let app: AppID
    let kind: TokenKind
    let wantsFetch: Bool
    /// Whether the app's manifest lets the push reach it behind.
    let isWanted: Bool
    let presence: Routing.AppPresence
  }

  private unowned let world: AgentSimulation
  private var state = State()
  private var durable = State()
  /// Milliseconds by which the wall clock has gone on, all in all.
  private var passed: Int64 = 0
  private var lastWall: Int64?
  private var states: [ConnectionID: AppState] = [:]
  private var arriving: Arrival?
  /// Apps that are started for a push and have not greeted yet.
  private var awaited: Set<AppID> = []
  private var isArmed = false

  init(in world: AgentSimulation) { self.world = world }

  func agentCrashed() {
    state = durable
    states = [:]
    awaited = []
    isArmed = false
  }

  func onDurable() { durable = state }

  private func presence(of app: AppID) -> Routing.AppPresence {
    let connections = world.ledger.knowledge.connections(of: app)
    if connections.contains(where: { states[$0] == .foreground }) { return .foreground }
    return connections.isEmpty ? .notRunning : .background
  }

  // MARK: Events

  /// Called before the other ledgers know the event.
  func willHandle(_ event: AgentEvent) {
    let wall = world.machine.now.wall
    passed += max(0, wall - (lastWall ?? wall))
    lastWall = wall
    arriving = nil
    switch event {
    case .pushReceived(let push):
      guard let record = world.ledger.apps[push.app], record.registrations[push.kind] != nil,
        !world.ledger.notifications.hasCome(push)
      else { break }
      let presence = presence(of: push.app)
      let isContentAvailable = PushPayload(push.payload)?.isContentAvailable == true
      // One that never asked for a type gets everything silently.
      let isSilent = record.requested.isEmpty && record.status == .notDetermined
      arriving = Arrival(
        app: push.app, kind: push.kind,
        wantsFetch: push.kind != .alert || isContentAvailable
          || (isSilent && presence != .foreground),
        isWanted: push.kind != .alert || Self.wantsPushesBehind(record),
        presence: presence)
    case .appDisconnected(let connection): states[connection] = nil
    case .appRequested(let ask, .setState(let state)):
      if world.ledger.knowledge.app(of: ask.connection) != nil { states[ask.connection] = state }
    case .backgroundWorkDue: isArmed = false
    default: break
    }
  }

  func onHandled(_ event: AgentEvent, _ effects: [AgentEffect]) {
    if case .appGreeted(let ask, let hello, _) = event { onGreeted(ask.connection, hello, effects) }
    var handedOver: Set<AppID> = []
    var retained: Set<AppID> = []
    var released: Set<AppID> = []
    for effect in effects {
      switch effect {
      case .ask(let question, .arrived, _):
        if let app = world.ledger.knowledge.app(of: question.connection) { handedOver.insert(app) }
      case .tell(let connection, .arrived):
        if let app = world.ledger.knowledge.app(of: connection) { handedOver.insert(app) }
      case .launch(let order) where order.reason == .push:
        handedOver.insert(order.app.id)
        awaited.insert(order.app.id)
      case .persist(.put(.fetches, let key, _)): if let app = AppID(key) { retained.insert(app) }
      case .persist(.remove(.fetches, let key)): if let app = AppID(key) { released.insert(app) }
      case .persist(.remove(.apps, let key)): if let app = AppID(key) { forget(app) }
      case .armBackgroundWork(let moment): isArmed = moment != nil
      default: break
      }
    }
    checkArrival(isHandedOver: handedOver.contains, isRetained: retained.contains)
    for app in released where handedOver.contains(app) { checkWake(app) }
    if let arriving, arriving.kind == .alert, arriving.wantsFetch, !retained.contains(arriving.app),
      handedOver.contains(arriving.app), arriving.presence != .foreground
    {
      checkWake(arriving.app)
    }
    guard world.ledger.hasStarted, !world.ledger.conditions.holdsBackgroundWork else { return }
    world.expect(
      world.ledger.mirror[.fetches].isEmpty || isArmed,
      "a background push waits, and nobody looks after it")
  }

  private static func wantsPushesBehind(_ app: LocalApp) -> Bool {
    app.installation == nil || app.backgroundModes.contains("remote-notification")
  }

  private func forget(_ app: AppID) {
    awaited.remove(app)
    state.budgets[app] = nil
  }

  private func onGreeted(_ connection: ConnectionID, _ hello: AppHello, _ effects: [AgentEffect]) {
    guard let app = world.ledger.knowledge.app(of: connection) else { return }
    states[connection] = hello.state
    if awaited.remove(app) != nil {
      let isHandedOver = effects.contains {
        if case .ask(let question, .arrived, _) = $0 {
          world.ledger.knowledge.app(of: question.connection) == app
        } else {
          false
        }
      }
      // Installed anew, it may want none any more.
      let isWanted = world.ledger.apps[app].map { Self.wantsPushesBehind($0) } ?? false
      world.expect(
        isHandedOver || !isWanted, "\(app) was started for a push and is not given it")
    }
  }

  // MARK: Promises

  private func checkArrival(isHandedOver: (AppID) -> Bool, isRetained: (AppID) -> Bool) {
    guard let arriving else { return }
    let app = arriving.app
    let isDealtWith = isHandedOver(app) || isRetained(app)
    if arriving.presence == .foreground {
      return world.expect(isHandedOver(app), "\(app) is in front and does not hear of a push")
    }
    guard arriving.wantsFetch, arriving.isWanted else {
      return world.expect(!isDealtWith, "\(app) is given a push that it is not to have behind")
    }
    if arriving.presence == .background {
      world.expect(isDealtWith, "\(app) runs and is not given a background push")
    } else {
      world.expect(
        isDealtWith || world.ledger.apps[app]?.installation == nil,
        "\(app) is not started for a background push")
    }
  }

  /// An app is woken: by its budget at the most that an app whose wakes are all of use may have.
  private func checkWake(_ app: AppID) {
    guard presence(of: app) != .foreground else { return }
    world.expect(
      !world.ledger.conditions.holdsBackgroundWork,
      "\(app) is woken while work in the background waits")
    let (level, before) = state.budgets[app] ?? (BackgroundBudget.capacity, passed)
    let gained = Double(passed - before) / 3_600_000 * BackgroundBudget.wakesPerHour
    let left = min(BackgroundBudget.capacity, level + gained)
    world.expect(left > 0.999, "\(app) is woken more often than it may")
    state.budgets[app] = (left - 1, passed)
  }
}
