import BelfryWire

/// Apps that were started and have not greeted yet.
struct AppLaunches {
  /// An app that was started.
  private struct Awaited {
    /// What its greeting will name.
    let token: String
    let isForeground: Bool
  }

  private var awaited: [AppID: Awaited] = [:]
  private let agentRun: String
  private var nextNumber: UInt64 = 1

  /// No app was started; `agentRun` tells tokens of this run of the agent from those of others.
  init(agentRun: String) {
    assert(!agentRun.isEmpty, "each run has a name of its own")
    self.agentRun = agentRun
  }

  /// A token that was not given out before.
  mutating func makeToken(_ kind: String) -> String {
    defer { nextNumber += 1 }
    return "\(agentRun)-\(kind)\(nextNumber)"
  }

  /// The order to start an app; an earlier one's token counts no more.
  mutating func order(
    _ app: LocalApp, _ reason: AppLaunch.Reason, isForeground: Bool, activationToken: String?
  ) -> LaunchOrder {
    let token = makeToken("")
    awaited[app.id] = Awaited(token: token, isForeground: isForeground)
    return LaunchOrder(
      app: app, reason: reason, isForeground: isForeground, token: token,
      activationToken: activationToken)
  }

  /// Whether this is the token that is awaited of an app.
  func isAwaited(_ app: AppID, token: String) -> Bool { awaited[app]?.token == token }

  /// Whether an app that greets with that token was started, and not to come to the front.
  func isBehind(_ app: AppID, token: String?) -> Bool {
    guard let awaited = awaited[app] else { return false }
    return awaited.token == token && !awaited.isForeground
  }

  /// Uses up an app's token where it is the one that is awaited.
  ///
  /// An app that D-Bus has started cannot know its token: it is the next one to come.
  mutating func claim(_ app: AppID, token: String?, isAnyTokenGood: Bool) -> Bool {
    guard let expected = awaited[app], expected.token == token || isAnyTokenGood else {
      return false
    }
    awaited[app] = nil
    return true
  }

  /// Awaits nothing of an app any more.
  mutating func forget(_ app: AppID) { awaited[app] = nil }

  /// Stops in a debug build when an app is awaited that nobody knows.
  func checkInvariants(_ apps: AppRegistry) {
    for (app, order) in awaited {
      assert(apps[app]?.installation != nil, "only installed apps are started")
      assert(order.token.hasPrefix(agentRun), "a token is of this run")
    }
  }
}
