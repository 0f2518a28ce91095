import Agent
import BelfryWire
import AppWire

/// A check of foreground states: the agent may report the foreground state only to the app that the user is looking at.
final class FrontLedger {
  private unowned let world: AgentSimulation
  private var told: [ConnectionID: AppState] = [:]
  /// The connections whose windows are in the foreground, according to the desktop or a command.
  ///
  /// Only windows move these connections to and from the foreground.
  private var haveWindows: Set<ConnectionID> = []
  /// The app with the foreground window, according to the latest report about windows.
  private var window: AppID?
  /// The expected output of `belfry state`: an app, `none`, or null if nothing is known yet.
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
      // The user opened one of the app's notifications. An app without windows reports on its own when it leaves the
      // foreground.
      return
    }
    told[connection] = state
  }

  /// Returns true if an event reports the owner of the foreground window.
  ///
  /// A command that unlocks the screen does not report the owner. Instead, unlocking carries out the choices that the
  /// user made on notifications earlier.
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
          "a command did not receive the app that is in the foreground: \(word.text)")
      }
    case .appGreeted(let ask, _, _):
      // The app's window might have appeared before the app connected.
      guard let app = world.ledger.knowledge.app(of: ask.connection), app == window else { break }
      word = .string(app.text)
      world.expect(
        told[ask.connection] == .foreground,
        "\(app) connected, but was not notified that it is in the foreground")
    default: break
    }
  }

  private func check(front: AppID?) {
    for connection in world.ledger.knowledge.connections(of: nil) {
      guard let app = world.ledger.knowledge.app(of: connection) else { continue }
      world.expect(
        (told[connection] == .foreground) == (app == front),
        app == front
          ? "\(app) was not notified that it is in the foreground"
          : "\(app) was not notified that it left the foreground")
    }
  }
}
