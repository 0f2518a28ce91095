@testable import Agent
import BelfryWire

/// Who is told to be in front: the app at which the person looks, and no other one.
final class FrontLedger {
  private unowned let world: AgentSimulation
  private var told: [ConnectionID: AppState] = [:]
  /// Connections whose windows were in front, or for which a command said so: windows alone bring them
  /// there, and away.
  private var haveWindows: Set<ConnectionID> = []
  /// The app whose window is in front, as far as windows tell.
  private var window: AppID?
  /// What `belfry state` is to say: an app, `none`, or null before anything is known.
  private var word = JSONValue.null

  init(in world: AgentSimulation) { self.world = world }

  func agentCrashed() {
    told = [:]
    haveWindows = []
    window = nil
    word = .null
  }

  func willHandle(_ event: AgentEvent) {
    switch event {
    case .appDisconnected(let connection):
      told[connection] = nil
      haveWindows.remove(connection)
    case .focusedWindowChanged(let focused):
      window = focused?.names.first.flatMap(AppID.init)
    default: break
    }
  }

  func onDecided(_ effect: AgentEffect, _ event: AgentEvent) {
    if case .persist(.remove(.apps, let key)) = effect, word == .string(key) { word = "none" }
    guard case .tell(let connection, .state(let state)) = effect else { return }
    if Self.isAboutWindows(event) {
      if state == .foreground { haveWindows.insert(connection) }
    } else if !haveWindows.contains(connection) {
      // A person opened one of its notifications: one without windows says by itself when it leaves.
      return
    }
    told[connection] = state
  }

  /// Whether an event says whose window is in front.
  ///
  /// A command that unlocks the screen does not: it lets happen what a person chose of notifications before.
  private static func isAboutWindows(_ event: AgentEvent) -> Bool {
    switch event {
    case .focusedWindowChanged, .appGreeted: true
    case .appRequested(_, .control(.state(let changes))): changes["front"] != nil
    default: false
    }
  }

  func onHandled(_ event: AgentEvent, _ effects: [AgentEffect]) {
    switch event {
    case .focusedWindowChanged:
      if let app = window.flatMap({ world.ledger.apps[$0]?.id }) {
        word = .string(app.text)
      } else if word != .null {
        word = "none"
      }
      check(front: window.flatMap { world.ledger.apps[$0]?.id })
    case .appRequested(let ask, .control(.state(let changes))):
      let isRefused = effects.contains { if case .refuse = $0 { true } else { false } }
      if let front = changes["front"], !isRefused {
        word = .string(front)
        check(front: AppID(front))
      }
      for case .answer(ask, let answer) in effects {
        world.expect(
          answer.frame.object["rows"]?.arrayValue?.first?.objectValue?["front"] ?? .null == word,
          "a command is told that another app is in front than the one that is: \(word.text)")
      }
    case .appGreeted(let ask, _, _):
      // Its window may have come before it.
      guard let app = world.ledger.knowledge.app(of: ask.connection), app == window else { break }
      word = .string(app.text)
      world.expect(
        told[ask.connection] == .foreground, "\(app) connects and is not told to be in front")
    default: break
    }
  }

  private func check(front: AppID?) {
    for connection in world.ledger.knowledge.connections(of: nil) {
      guard let app = world.ledger.knowledge.app(of: connection) else { continue }
      world.expect(
        (told[connection] == .foreground) == (app == front),
        app == front
          ? "\(app) is not told to be in front" : "\(app) is not told that it left the front")
    }
  }
}
