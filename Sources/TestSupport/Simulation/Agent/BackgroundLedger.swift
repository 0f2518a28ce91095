import Agent
import BelfryWire
import AppWire

/// A check of background work: a push that wakes an app must reach the app or wait for it in the records.
///
/// Background pushes that the app's manifest does not request are exempt. No app may be woken too often.
final class BackgroundLedger {
  private struct State {
    /// The number of wake-ups that each app has left, and the elapsed time at which the number was valid.
    var budgets: [AppID: (level: Double, atMilliseconds: Int64)] = [:]
    /// The usefulness of each app's wake-ups, as `BackgroundBudget` computes it.
    var usefulness: [AppID: Double] = [:]
  }

  private struct Arrival {
    let app: AppID
    let kind: TokenKind
    let wantsFetch: Bool
    /// True if the app's manifest allows the app to receive the push in the background.
    let isWanted: Bool
    let presence: Routing.AppPresence
  }

  private unowned let world: AgentSimulation
  private var state = State()
  private var durable = State()
  /// The total time by which the wall clock has advanced, in milliseconds.
  private var passed: Int64 = 0
  private var lastWall: Int64?
  private var states: [ConnectionID: AppState] = [:]
  private var arriving: Arrival?
  /// The apps that were started for a push and have not sent their greeting yet.
  private var awaited: Set<AppID> = []
  /// The apps that were started for a task and have not sent their greeting yet.
  private var awaitedForTask: Set<AppID> = []
  /// The launch tokens of apps that were started and have not sent their greeting yet.
  private var tokens: [AppID: String] = [:]
  /// The questions about the result of a push or a task that apps have not answered yet.
  private var open: [Question: AppID] = [:]
  /// The apps whose budgets the current event affects.
  private var weighed: Set<AppID> = []
  private var isArmed = false

  init(in world: AgentSimulation) { self.world = world }

  func agentCrashed() {
    state = durable
    states = [:]
    awaited = []
    awaitedForTask = []
    tokens = [:]
    open = [:]
    isArmed = false
  }

  func onDurable() { durable = state }

  private func presence(of app: AppID) -> Routing.AppPresence {
    let connections = world.ledger.knowledge.connections(of: app)
    if connections.contains(where: { states[$0] == .foreground }) { return .foreground }
    return connections.isEmpty ? .notRunning : .background
  }

  // MARK: Events

  /// Records the event before the other ledgers receive it.
  func willHandle(_ event: AgentEvent) {
    let wall = world.machine.now.wall
    passed += max(0, wall - (lastWall ?? wall))
    lastWall = wall
    arriving = nil
    weighed = []
    switch event {
    case .pushReceived(let push):
      guard let record = world.ledger.apps[push.app], record.registrations[push.kind] != nil,
        !world.ledger.notifications.hasCome(push)
      else { break }
      let presence = presence(of: push.app)
      let isContentAvailable = PushPayload(push.payload)?.isContentAvailable == true
      // An app that never requested notification types receives everything silently.
      let isSilent = record.requested.isEmpty && record.status == .notDetermined
      arriving = Arrival(
        app: push.app, kind: push.kind,
        wantsFetch: push.kind != .alert || isContentAvailable
          || (isSilent && presence != .foreground),
        isWanted: push.kind != .alert || Self.wantsPushesBehind(record),
        presence: presence)
    case .appDisconnected(let connection):
      states[connection] = nil
      for question in open.keys where question.connection == connection { close(question, nil) }
    case .appReplied(let question, .fetched(let result)): close(question, result)
    case .appReplied(let question, _), .questionTimedOut(let question): close(question, nil)
    case .appExpected(let app, let token), .appLaunchFailed(let app, let token):
      guard tokens[app] == token else { break }
      tokens[app] = nil
      guard presence(of: app) == .notRunning else { break }
      awaitedForTask.remove(app)
      weigh(app, nil)
    case .appRequested(let ask, .setState(let state)):
      if world.ledger.knowledge.app(of: ask.connection) != nil { states[ask.connection] = state }
    case .backgroundWorkDue: isArmed = false
    default: break
    }
  }

  // MARK: Results of wake-ups

  private func close(_ question: Question, _ result: FetchResult?) {
    if let app = open.removeValue(forKey: question) { weigh(app, result) }
  }

  private func weigh(_ app: AppID, _ result: FetchResult?) {
    guard let before = state.usefulness[app] else { return }
    weighed.insert(app)
    state.usefulness[app] =
      switch result {
      case .newData: before + (1 - before) / 4
      case .noData: before * 0.9
      case .failed: before * 0.75
      case nil: before * 0.5
      }
  }

  /// Checks that the stored usefulness of an app's wake-ups matches the results of the wake-ups.
  private func checkUsefulness(_ app: AppID) {
    let record = world.ledger.mirror[.device]["budget/\(app)"]
    guard let wanted = state.usefulness[app],
      let kept = record.flatMap({ try? JSONValue(parsing: $0) })?.objectValue?["usefulness"]
    else { return world.fail("the usefulness of the wake-ups of \(app) is not stored") }
    let difference = abs((kept.doubleValue ?? -1) - wanted)
    world.expect(
      difference < 1e-9,
      "the stored usefulness of the wake-ups of \(app) does not match their results")
  }

  func onHandled(_ event: AgentEvent, _ effects: [AgentEffect]) {
    /// The app that was started for the first task of this event, if any.
    var startedForTask: AppID?
    if case .appGreeted(let ask, let hello, _) = event {
      onGreeted(ask.connection, hello, effects)
      if let app = world.ledger.knowledge.app(of: ask.connection), hello.role == .app {
        if tokens[app] == hello.launch { tokens[app] = nil }
        if awaitedForTask.remove(app) != nil { startedForTask = app }
      }
    }
    /// The apps that the current event wakes for a task.
    var begun: [AppID] = []
    var handedOver: Set<AppID> = []
    var retained: Set<AppID> = []
    var released: Set<AppID> = []
    for effect in effects {
      switch effect {
      case .ask(let question, .arrived, _):
        guard let app = world.ledger.knowledge.app(of: question.connection) else { break }
        handedOver.insert(app)
        open[question] = app
      case .ask(let question, .task, _):
        guard let app = world.ledger.knowledge.app(of: question.connection) else { break }
        open[question] = app
        if startedForTask == app { startedForTask = nil } else { begun.append(app) }
      case .tell(let connection, .arrived):
        if let app = world.ledger.knowledge.app(of: connection) { handedOver.insert(app) }
      case .launch(let order):
        tokens[order.app.id] = order.token
        if order.reason == .push {
          handedOver.insert(order.app.id)
          awaited.insert(order.app.id)
        }
        if order.reason == .task {
          awaitedForTask.insert(order.app.id)
          begun.append(order.app.id)
        }
      case .persist(.put(.device, let key, _)) where key.hasPrefix("budget/"):
        guard let app = AppID(String(key.dropFirst(7))) else { break }
        weighed.insert(app)
        if state.usefulness[app] == nil { state.usefulness[app] = 1 }
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
    for app in begun { checkWake(app) }
    for app in weighed.sorted() where state.usefulness[app] != nil { checkUsefulness(app) }
    guard world.ledger.hasStarted, !world.ledger.conditions.holdsBackgroundWork else { return }
    world.expect(
      world.ledger.mirror[.fetches].isEmpty || isArmed,
      "a background push is held, but no timer for background work is set")
  }

  private static func wantsPushesBehind(_ app: LocalApp) -> Bool {
    app.installation == nil || app.backgroundModes.contains("remote-notification")
  }

  private func forget(_ app: AppID) {
    awaited.remove(app)
    awaitedForTask.remove(app)
    tokens[app] = nil
    state.budgets[app] = nil
    state.usefulness[app] = nil
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
      // After a reinstallation, the app might no longer request pushes.
      let isWanted = world.ledger.apps[app].map { Self.wantsPushesBehind($0) } ?? false
      world.expect(
        isHandedOver || !isWanted, "\(app) was started for a push, but did not receive it")
    }
  }

  // MARK: Promises

  private func checkArrival(isHandedOver: (AppID) -> Bool, isRetained: (AppID) -> Bool) {
    guard let arriving else { return }
    let app = arriving.app
    let isDealtWith = isHandedOver(app) || isRetained(app)
    if arriving.presence == .foreground {
      return world.expect(
        isHandedOver(app), "\(app) is in the foreground, but did not receive a push")
    }
    guard arriving.wantsFetch, arriving.isWanted else {
      return world.expect(
        !isDealtWith, "a push that \(app) must not receive in the background was delivered or held")
    }
    if arriving.presence == .background {
      world.expect(
        isDealtWith,
        "a push for \(app), which runs in the background, was neither delivered nor held")
    } else {
      world.expect(
        isDealtWith || world.ledger.apps[app]?.installation == nil,
        "\(app) was not started for a background push, and the push was not held")
    }
  }

  /// Checks a wake-up against the largest possible budget, which is that of an app whose wake-ups are all useful.
  private func checkWake(_ app: AppID) {
    guard presence(of: app) != .foreground else { return }
    world.expect(
      !world.ledger.conditions.holdsBackgroundWork,
      "\(app) was woken while background work is postponed")
    let (level, before) = state.budgets[app] ?? (BackgroundBudget.capacity, passed)
    let gained = Double(passed - before) / 3_600_000 * BackgroundBudget.wakesPerHour
    let left = min(BackgroundBudget.capacity, level + gained)
    world.expect(left > 0.999, "\(app) was woken more often than its budget allows")
    state.budgets[app] = (left - 1, passed)
  }
}
