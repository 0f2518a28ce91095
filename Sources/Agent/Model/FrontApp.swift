import AppWire
import BelfryWire

/// The window that the user looks at, with the properties that identify its app.
package struct FocusedWindow: Hashable, Sendable {
  /// The process that the window belongs to.
  var process: Int32?
  /// The names that the window provides for its app, most reliable first.
  package var names: [String]

  package init(process: Int32? = nil, names: [String]) {
    self.process = process
    self.names = names
  }
}

/// The app whose window the user looks at (linux-parts 5).
///
/// The state of an app that never had a focused window is not changed: such an app has no windows, or reports its state
/// itself.
struct FrontApp {
  /// The app that the user looks at, if known.
  private enum Front: Hashable {
    case unknown
    case nobody
    case app(AppID)
  }

  /// The window that the user looks at, if the desktop reports it.
  private var window: FocusedWindow?
  private var front = Front.unknown

  /// The foreground app as `belfry state` prints it.
  var word: JSONValue {
    switch front {
    case .unknown: .null
    case .nobody: "none"
    case .app(let app): .string(app.text)
    }
  }

  /// Handles a focus change to another window; `window` is nil if no window has the focus.
  mutating func onWindow(_ window: FocusedWindow?, _ context: inout AgentContext) {
    self.window = window
    let app = window.flatMap { Self.app(of: $0, context) }
    if let app { front = .app(app) } else if front != .unknown { front = .nobody }
    for peer in context.connections.all where peer.role == .app {
      context.setLookedAt(peer.connection, peer.app == app)
    }
  }

  /// Handles a new connection of an app, whose window might already have the focus.
  mutating func onConnected(_ connection: ConnectionID, _ context: inout AgentContext) {
    guard let window, let app = Self.app(of: window, context),
      app == context.connections[connection]?.app
    else { return }
    front = .app(app)
    context.setLookedAt(connection, true)
  }

  /// Returns true if a command may set this value: the ID of an app, `none`, or `auto`.
  func canSet(_ word: String, _ context: AgentContext) -> Bool {
    word == "none" || word == "auto" || AppID(word).map { context.apps[$0] != nil } == true
  }

  /// Sets the foreground app by command; every other running app leaves the foreground.
  ///
  /// The value `auto` discards the value of an earlier command: the window that the desktop reports determines the app
  /// again. If the desktop reports no window, no app's state changes.
  mutating func set(_ word: String, _ context: inout AgentContext) {
    assert(canSet(word, context), "only a valid value is set")
    if word == "auto" {
      front = .unknown
      if let window { onWindow(window, &context) }
      return
    }
    let app = AppID(word)
    front = app.map(Front.app) ?? .nobody
    for peer in context.connections.all where peer.role == .app {
      context.setLookedAt(peer.connection, peer.app == app, isCommand: true)
    }
  }

  /// Handles the removal of an app, which can no longer be in the foreground.
  mutating func onAppRemoved(_ app: AppID) {
    if front == .app(app) { front = .nobody }
  }

  /// Returns the app of a window: the app of its process, or, if that is unknown, the app that the window identifies.
  private static func app(of window: FocusedWindow, _ context: AgentContext) -> AppID? {
    if let process = window.process, let app = context.connections.app(ofProcess: process) {
      return app
    }
    for name in window.names {
      if let id = AppID(name), context.apps[id] != nil { return id }
      if let app = context.apps.app(ofWindowClass: name) { return app }
    }
    return nil
  }
}
