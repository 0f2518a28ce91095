import BelfryWire

/// The window that the person looks at, with the properties that identify its app.
struct FocusedWindow: Hashable, Sendable {
  /// The process that it belongs to.
  var process: Int32?
  /// The names it gives for its app, the most reliable first.
  var names: [String]
}

/// Which app the person looks at, for apps with windows (linux-parts 5).
///
/// An app that never had a window in front is left alone: it has no windows, or reports its state itself.
struct FrontApp {
  /// The app that the person looks at, if known.
  private enum Front: Hashable {
    case unknown
    case nobody
    case app(AppID)
  }

  /// The window that the person looks at, if the desktop reports it.
  private var window: FocusedWindow?
  private var front = Front.unknown

  /// The app in front as `belfry state` prints it.
  var word: JSONValue {
    switch front {
    case .unknown: .null
    case .nobody: "none"
    case .app(let app): .string(app.text)
    }
  }

  /// Handles a change of the window in front; nil when there is none.
  mutating func onWindow(_ window: FocusedWindow?, _ context: inout AgentContext) {
    self.window = window
    let app = window.flatMap { Self.app(of: $0, context) }
    if let app { front = .app(app) } else if front != .unknown { front = .nobody }
    for peer in context.connections.all where peer.role == .app {
      context.setLookedAt(peer.connection, peer.app == app)
    }
  }

  /// Handles a new connection of an app, whose window may already be in front.
  mutating func onConnected(_ connection: ConnectionID, _ context: inout AgentContext) {
    guard let window, let app = Self.app(of: window, context),
      app == context.connections[connection]?.app
    else { return }
    front = .app(app)
    context.setLookedAt(connection, true)
  }

  /// Whether a command may give this value: the id of an app, or `none`.
  func canSet(_ word: String, _ context: AgentContext) -> Bool {
    word == "none" || AppID(word).map { context.apps[$0] != nil } == true
  }

  /// Sets the app in front by command; every other app leaves the front.
  mutating func set(_ word: String, _ context: inout AgentContext) {
    assert(canSet(word, context), "a word is looked at before it is used")
    let app = AppID(word)
    front = app.map(Front.app) ?? .nobody
    for peer in context.connections.all where peer.role == .app {
      context.setLookedAt(peer.connection, peer.app == app, isCommand: true)
    }
  }

  /// Handles the removal of an app, which cannot be in front any more.
  mutating func onAppRemoved(_ app: AppID) {
    if front == .app(app) { front = .nobody }
  }

  /// Returns the app of a window: the one with its process, otherwise the one that it names.
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
