import AppWire

/// An order to start a service or content extension.
package struct ExtensionOrder: Hashable, Sendable {
  /// The extension's app.
  package let app: AppID
  /// The absolute path of the extension's program.
  package let executable: String
  /// The token that the extension's greeting will contain.
  package let token: String
}

/// Service extensions, which can change a push before it is shown (client-api 3.48).
package struct ServiceExtensions {
  /// A push that an extension is changing; the push is retained but not shown yet.
  struct Job: Hashable {
    let key: AppNotificationID
    /// The push's position in the order of delivery.
    let order: Int64
    /// The extension's program.
    let executable: String
    /// The extension's connection, once the extension has sent its greeting.
    fileprivate(set) var connection: ConnectionID?
  }

  /// The reason that an extension returned nothing.
  package enum Silence: Hashable {
    /// The extension's process exited before it sent a greeting.
    case ended
    /// The extension sent a greeting, and then its connection was closed.
    case left
    case timedOut

    /// A description of the problem.
    var problem: String {
      switch self {
      case .ended: "its process exited before it connected"
      case .left: "its connection closed before it called the content handler"
      case .timedOut: "it did not call the content handler in time"
      }
    }

    /// The advice for the developer.
    var advice: String {
      switch self {
      case .ended: "check whether it crashes, or lacks @main"
      case .left: "check whether it crashes"
      case .timedOut: "make it call the content handler within 30 s"
      }
    }
  }

  /// The jobs, keyed by their tokens.
  private var jobs: [String: Job] = [:]
  private var tokens: [ConnectionID: String] = [:]
  /// The reasons that the apps' extensions returned nothing for their latest push.
  private var silences: [AppID: Silence] = [:]

  /// Returns the program that may change a push; nil unless the push is an alert with text, is marked mutable, and
  /// belongs to an app whose alerts are on (client-api 3.48).
  static func executable(
    for payload: PushPayload, of app: AppID, _ context: AgentContext
  ) -> String? {
    guard payload.isMutable, payload.content.hasAlert,
      context.settings(of: app).alert == .enabled
    else { return nil }
    return context.apps[app]?.installation?.serviceExtension
  }

  /// Starts an extension for the push at this position in the order of delivery.
  mutating func start(
    _ executable: String, for key: AppNotificationID, order: Int64,
    _ context: inout AgentContext
  ) {
    let token = context.makeToken("extension-")
    assert(jobs[token] == nil, "extension tokens are unique")
    jobs[token] = Job(key: key, order: order, executable: executable, connection: nil)
    context.emit(
      .startExtension(ExtensionOrder(app: key.app, executable: executable, token: token)))
  }

  /// Handles the greeting of a service extension; returns its token and job, or nil if the extension is not expected.
  mutating func onGreeted(
    _ connection: ConnectionID, _ app: AppID, token: String?
  ) -> (token: String, job: Job)? {
    guard let token, let job = jobs[token], job.connection == nil, job.key.app == app else {
      return nil
    }
    jobs[token]?.connection = connection
    tokens[connection] = token
    return (token, job)
  }

  /// Warns the extension that its time is about to expire.
  func onTimeEnds(_ token: String, _ context: inout AgentContext) {
    guard let connection = jobs[token]?.connection else { return }
    context.tell(connection, .extensionTimeEnds)
  }

  /// Finishes a job whose extension answered or failed, and returns the job; returns nil if the job is already
  /// finished.
  mutating func finish(_ token: String) -> Job? {
    guard let job = jobs.removeValue(forKey: token) else { return nil }
    if let connection = job.connection { tokens[connection] = nil }
    return job
  }

  /// Handles the exit of an extension's process; returns its job if the process never sent a greeting.
  mutating func finishUnlessConnected(_ token: String) -> Job? {
    guard let job = jobs[token], job.connection == nil else { return nil }
    return finish(token)
  }

  /// Returns the job of a connection that was closed before its extension answered.
  mutating func onDisconnected(_ connection: ConnectionID) -> Job? {
    tokens[connection].flatMap { finish($0) }
  }

  /// Drops the jobs of a removed app.
  mutating func onAppRemoved(_ app: AppID) {
    for (token, job) in jobs where job.key.app == app { _ = finish(token) }
    silences[app] = nil
  }

  /// Returns the reason that an app's extension returned nothing for its latest push; nil if it returned content.
  func silence(of app: AppID) -> Silence? { silences[app] }

  /// Records whether an app's extension returned content for a push; the silence is nil if it did.
  mutating func onResult(_ silence: Silence?, of app: AppID) { silences[app] = silence }

  /// Traps in debug builds if jobs and connections contradict each other.
  func checkInvariants(_ context: AgentContext) {
    for (connection, token) in tokens {
      assert(jobs[token]?.connection == connection, "every extension connection belongs to a job")
      assert(context.connections[connection] != nil, "every job's connection is open")
    }
    for job in jobs.values {
      assert(context.apps[job.key.app] != nil, "every job belongs to a known app")
    }
    for app in silences.keys {
      assert(context.apps[app] != nil, "only known apps have extensions")
    }
  }
}
