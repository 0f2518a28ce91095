import BelfryWire

/// A window that the person looks at, by what it says of itself.
struct FocusedWindow: Hashable, Sendable {
  /// The process that it belongs to.
  var process: Int32?
  /// What it calls its app, the surest first.
  var names: [String]
}

/// Which app the person looks at, for apps with windows (linux-parts 5).
///
/// An app of which no window was ever in front is left alone: it has none, or says by itself where it
/// is.
struct FrontApp {
  /// Whom the person looks at, as far as something said so.
  private enum Front: Hashable {
    case unknown
    case nobody
    case app(AppID)
  }

  /// The window that the person looks at, where a desktop tells.
  private var window: FocusedWindow?
  private var front = Front.unknown

  /// The word of `belfry state` for it.
  var word: JSONValue {
    switch front {
    case .unknown: .null
    case .nobody: "none"
    case .app(let app): .string(app.text)
    }
  }

  /// Another window is in front; nil is none.
  mutating func onWindow(_ window: FocusedWindow?, _ context: inout AgentContext) {
    self.window = window
    let app = window.flatMap { Self.app(of: $0, context) }
    if let app { front = .app(app) } else if front != .unknown { front = .nobody }
    for peer in context.connections.all where peer.role == .app {
      context.setLookedAt(peer.connection, peer.app == app)
    }
  }

  /// A connection of an app is new: its window may have come before it.
  mutating func onConnected(_ connection: ConnectionID, _ context: inout AgentContext) {
    guard let window, let app = Self.app(of: window, context),
      app == context.connections[connection]?.app
    else { return }
    front = .app(app)
    context.setLookedAt(connection, true)
  }

  /// Whether a command may say this: the id of an app, or `none`.
  func canSet(_ word: String, _ context: AgentContext) -> Bool {
    word == "none" || AppID(word).map { context.apps[$0] != nil } == true
  }

  /// A command says whom the person looks at: that app comes to the front, and every other one leaves
  /// it.
  mutating func set(_ word: String, _ context: inout AgentContext) {
    assert(canSet(word, context), "a word is looked at before it is used")
    let app = AppID(word)
    front = app.map(Front.app) ?? .nobody
    for peer in context.connections.all where peer.role == .app {
      context.setLookedAt(peer.connection, peer.app == app, isCommand: true)
    }
  }

  /// The person cannot look at an app that is gone.
  mutating func onAppRemoved(_ app: AppID) {
    if front == .app(app) { front = .nobody }
  }

  /// The app of a window: the one that runs as its process, else the one that it names.
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
