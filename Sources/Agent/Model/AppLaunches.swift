import AppWire

/// Apps that were started and have not sent their greeting yet.
struct AppLaunches {
  /// An app that was started.
  private struct Awaited {
    /// The token that the app's greeting must contain.
    let token: String
    /// True if one of the orders to start the app brings the app to the foreground.
    var isForeground: Bool
    /// The time of the first of these orders, in milliseconds of time awake.
    let awakeMilliseconds: Int64
  }

  private var awaited: [AppID: Awaited] = [:]
  private let agentRun: String
  private var nextNumber: UInt64 = 1

  /// Creates an empty set; `agentRun` ensures that the tokens differ from those of other runs of the agent.
  init(agentRun: String) {
    assert(!agentRun.isEmpty, "the agent run has a name")
    self.agentRun = agentRun
  }

  /// Returns a token that was not issued before.
  mutating func makeToken(_ kind: String) -> String {
    defer { nextNumber += 1 }
    return "\(agentRun)-\(kind)\(nextNumber)"
  }

  /// Creates the order to start an app.
  ///
  /// An order for an app that is already being started joins that launch, and has the same token. If the app does not
  /// send its greeting in time, the next order starts the app again, and the earlier token becomes invalid.
  mutating func order(
    _ app: LocalApp, _ reason: AppLaunch.Reason, isForeground: Bool, activationToken: String?,
    atAwakeMilliseconds now: Int64
  ) -> LaunchOrder {
    var launch: Awaited
    let isJoined: Bool
    if let pending = awaited[app.id], now - pending.awakeMilliseconds < Limits.fetchMilliseconds {
      launch = pending
      launch.isForeground = pending.isForeground || isForeground
      isJoined = true
    } else {
      launch = Awaited(
        token: makeToken(""), isForeground: isForeground, awakeMilliseconds: now)
      isJoined = false
    }
    awaited[app.id] = launch
    return LaunchOrder(
      app: app, reason: reason, isForeground: isForeground, token: launch.token,
      isJoined: isJoined, activationToken: activationToken)
  }

  /// Returns true if this is the expected token of an app.
  func isAwaited(_ app: AppID, token: String) -> Bool { awaited[app]?.token == token }

  /// Returns true if an app whose greeting contains this token was started in the background.
  func isBehind(_ app: AppID, token: String?) -> Bool {
    guard let awaited = awaited[app] else { return false }
    return awaited.token == token && !awaited.isForeground
  }

  /// Consumes an app's token if the token is the expected one.
  ///
  /// Returns true if the app is to enter the foreground, false if it is to stay in the background, and nil if the token
  /// is not the expected one.
  ///
  /// `isAnyTokenGood` is true for an app that D-Bus started: such an app cannot know its token, so the app's next
  /// connection counts instead.
  mutating func claim(_ app: AppID, token: String?, isAnyTokenGood: Bool) -> Bool? {
    guard let expected = awaited[app], expected.token == token || isAnyTokenGood else {
      return nil
    }
    awaited[app] = nil
    return expected.isForeground
  }

  /// Stops waiting for an app's greeting.
  mutating func forget(_ app: AppID) { awaited[app] = nil }

  /// Traps in debug builds if an expected app is unknown.
  func checkInvariants(_ apps: AppRegistry) {
    for (app, order) in awaited {
      assert(apps[app]?.installation != nil, "only installed apps are started")
      assert(
        order.token.hasPrefix(agentRun),
        "a launch token begins with the name of the current agent run")
    }
  }
}
