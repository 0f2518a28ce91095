@testable import Agent
import BelfryWire

/// Who is suspended: only what the agent started, never while it is asked something, and no app is ended
/// before it was told that its time is over.
final class SuspensionLedger {
  private unowned let world: AgentSimulation
  private(set) var suspended: Set<AppID> = []
  /// Apps that were told since they had last nothing to do.
  private var warned: Set<AppID> = []
  private var work: [Question: AppID] = [:]
  /// Connections of apps that are in front.
  private var front: Set<ConnectionID> = []

  init(in world: AgentSimulation) { self.world = world }

  func agentCrashed() {
    suspended = []
    warned = []
    work = [:]
    front = []
  }

  func willHandle(_ event: AgentEvent) {
    switch event {
    case .appReplied(let question, _), .questionTimedOut(let question): work[question] = nil
    case .appDisconnected(let connection):
      work = work.filter { $0.key.connection != connection }
      front.remove(connection)
    case .appGreeted(let ask, let hello, _):
      if hello.state == .foreground { front.insert(ask.connection) }
    case .appRequested(let ask, .setState(let state)):
      if state == .foreground { front.insert(ask.connection) } else { front.remove(ask.connection) }
    default: break
    }
  }

  func onDecided(_ effect: AgentEffect) {
    switch effect {
    case .suspend(let id):
      world.expect(suspended.insert(id).inserted, "\(id) is suspended twice")
      world.expect(!work.values.contains(id), "\(id) is suspended while it has something to do")
      let app = world.apps.first { $0.id == id }
      world.expect(
        app?.hasOnlyLaunchedProcesses == true, "\(id) is suspended, and a person started it")
    case .resume(let id):
      world.expect(suspended.remove(id) != nil, "\(id) is woken and was not suspended")
      warned.remove(id)
    case .ask(let question, let event, _): onQuestion(question, event)
    case .end(let id):
      let isRunning = world.apps.first { $0.id == id }?.isRunning == true
      world.expect(
        !isRunning || warned.remove(id) != nil, "\(id) is ended, and nobody has told it")
    default: break
    }
  }

  /// What is given to an app behind is what its manifest asks for.
  private func checkMode(_ mode: String, _ app: SimulatedApp) {
    guard !app.isInFront(front), let record = world.ledger.apps[app.id] else { return }
    world.expect(
      record.installation == nil || record.backgroundModes.contains(mode),
      "\(app.id) is given something behind, and its manifest lacks \(mode)")
  }

  private func onQuestion(_ question: Question, _ event: AppEvent) {
    guard let app = world.apps.first(where: { $0.process(question.connection) != nil }) else {
      return
    }
    // A service extension is another process.
    if case .extend = event { return }
    world.expect(!suspended.contains(app.id), "\(app.id) is suspended and is asked something")
    switch event {
    case .backgroundTimeEnds: warned.insert(app.id)
    case .arrived(let arrival):
      work[question] = app.id
      if arrival.kind == .alert { checkMode("remote-notification", app) }
    case .task(let task):
      work[question] = app.id
      checkMode(task.kind == .refresh ? "fetch" : "processing", app)
      world.expect(!app.isInFront(front), "\(app.id) is in front and begins a background task")
    case .response: work[question] = app.id
    default: break
    }
  }
}
