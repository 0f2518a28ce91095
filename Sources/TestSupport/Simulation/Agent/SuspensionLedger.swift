import Agent
import AppWire

/// A check of suspension and termination: the agent may suspend only processes that it started, and never a process
/// that it is asking something.
///
/// The agent must terminate a process that does not answer in time. It must not terminate an app before telling the app
/// that its time is over.
final class SuspensionLedger {
  private unowned let world: AgentSimulation
  private(set) var suspended: Set<AppID> = []
  /// The apps that the agent has warned since they last became idle.
  private var warned: Set<AppID> = []
  private var work: [Question: AppID] = [:]
  /// The questions that must be answered within the background time limit.
  private var fetches: Set<Question> = []
  /// The apps that are currently being informed that their time is over.
  private var expirations: [Question: AppID] = [:]
  /// The apps that have used up their time and have neither been terminated nor received new work.
  private var overdue: Set<AppID> = []
  /// The apps that the current event terminates.
  private var ended: Set<AppID> = []
  /// The launch tokens of apps that were started in the background and have not sent their greeting yet.
  private var tokens: [AppID: String] = [:]
  /// The connections of processes that have been in the background since they were started.
  private var startedBehind: Set<ConnectionID> = []
  /// The connections of apps in the foreground.
  private var front: Set<ConnectionID> = []

  init(in world: AgentSimulation) { self.world = world }

  func agentCrashed() {
    suspended = []
    warned = []
    work = [:]
    fetches = []
    expirations = [:]
    overdue = []
    tokens = [:]
    startedBehind = []
    front = []
  }

  func willHandle(_ event: AgentEvent) {
    ended = []
    switch event {
    case .questionTimedOut(let question):
      if fetches.contains(question), let app = work[question], isBehind(app) { overdue.insert(app) }
      settle(question)
    case .appReplied(let question, _): settle(question)
    case .appDisconnected(let connection):
      for question in work.keys where question.connection == connection { settle(question) }
      for question in expirations.keys where question.connection == connection { settle(question) }
      front.remove(connection)
      startedBehind.remove(connection)
    case .appExpected(let app, let token), .appLaunchFailed(let app, let token):
      if tokens[app] == token { tokens[app] = nil }
    case .appGreeted(let ask, let hello, _):
      if hello.state == .foreground { front.insert(ask.connection) }
    case .appRequested(let ask, .setState(let state)):
      if state == .foreground {
        front.insert(ask.connection)
        startedBehind.remove(ask.connection)
      } else {
        front.remove(ask.connection)
      }
    default: break
    }
  }

  private func settle(_ question: Question) {
    work[question] = nil
    fetches.remove(question)
    expirations[question] = nil
  }

  private func isBehind(_ app: AppID) -> Bool {
    let connections = world.ledger.knowledge.connections(of: app)
    // A terminated process stays connected until the agent notices its exit.
    let isRunning = connections.contains { connection in
      world.apps.contains { $0.process(connection) != nil }
    }
    return isRunning && front.isDisjoint(with: connections)
  }

  func onDecided(_ effect: AgentEffect) {
    switch effect {
    case .suspend(let id):
      world.expect(suspended.insert(id).inserted, "\(id) was suspended twice")
      world.expect(!work.values.contains(id), "\(id) was suspended while it had unfinished work")
      world.expect(mayStop(id), "\(id) was suspended, although the agent must not suspend it")
    case .resume(let id):
      world.expect(suspended.remove(id) != nil, "\(id) was resumed, although it was not suspended")
      warned.remove(id)
      overdue.remove(id)
    case .launch(let order):
      if order.isForeground {
        tokens[order.app.id] = nil
      } else if !order.isJoined {
        tokens[order.app.id] = order.token
      }
    case .persist(.remove(.apps, let key)): if let id = AppID(key) { tokens[id] = nil }
    case .ask(let question, let event, _): onQuestion(question, event)
    // A refused greeting does not bring an app to the foreground.
    case .close(let connection):
      if world.ledger.knowledge.app(of: connection) == nil { front.remove(connection) }
    case .end(let id):
      ended.insert(id)
      // The agent cannot warn an app that has not sent its greeting.
      let hasGreeted = !world.ledger.knowledge.connections(of: id).isEmpty
      world.expect(
        !hasGreeted || warned.remove(id) != nil, "\(id) was terminated without a warning")
    case .kill(let id):
      world.expect(suspended.contains(id), "\(id) was killed, although it was not suspended")
    default: break
    }
  }

  func onHandled(_ event: AgentEvent) {
    if case .appGreeted(let ask, let hello, _) = event,
      let app = world.ledger.knowledge.app(of: ask.connection)
    {
      // A greeting resets the app's background time.
      overdue.remove(app)
      if let token = hello.launch, tokens[app] == token {
        tokens[app] = nil
        if hello.state == .background { startedBehind.insert(ask.connection) }
      }
    }
    for app in overdue.sorted() {
      guard isBehind(app), mayStop(app), !ended.contains(app) else {
        overdue.remove(app)
        continue
      }
      world.expect(
        expirations.values.contains(app), "\(app) used up its background time, but was not warned")
    }
  }

  /// Returns true if the agent can suspend and terminate an app that runs in the background.
  private func mayStop(_ app: AppID) -> Bool {
    guard let record = world.ledger.apps[app] else { return false }
    return startedBehind.isSuperset(of: world.ledger.knowledge.connections(of: app))
      && !BackgroundModes.giveUnlimitedTime(record.backgroundModes)
  }

  /// Checks that an app in the background receives only what its manifest requests.
  private func checkMode(_ mode: String, _ app: SimulatedApp) {
    guard !app.isInFront(front), let record = world.ledger.apps[app.id] else { return }
    world.expect(
      record.installation == nil || record.backgroundModes.contains(mode),
      "\(app.id) received work in the background without the background mode \(mode)")
  }

  private func onQuestion(_ question: Question, _ event: AppEvent) {
    guard let app = world.apps.first(where: { $0.process(question.connection) != nil }) else {
      return
    }
    // Ignore questions to an extension, which is a separate process.
    switch event {
    case .extend, .contentAction: return
    default: break
    }
    world.expect(
      !suspended.contains(app.id), "\(app.id) was asked a question while it was suspended")
    switch event {
    case .backgroundTimeEnds:
      warned.insert(app.id)
      expirations[question] = app.id
    case .arrived(let arrival):
      begin(question, of: app, isFetch: true)
      if arrival.kind == .alert { checkMode("remote-notification", app) }
    case .task(let task):
      begin(question, of: app, isFetch: true)
      checkMode(task.kind == .refresh ? "fetch" : "processing", app)
      world.expect(!app.isInFront(front), "\(app.id) received a background task in the foreground")
    case .response: begin(question, of: app, isFetch: false)
    default: break
    }
  }

  private func begin(_ question: Question, of app: SimulatedApp, isFetch: Bool) {
    work[question] = app.id
    if isFetch { fetches.insert(question) }
    overdue.remove(app.id)
  }
}
