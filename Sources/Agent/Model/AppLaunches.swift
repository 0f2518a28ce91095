import BelfryWire

/// Apps that were started and have not greeted yet.
struct AppLaunches {
  /// The token that each app's greeting has to contain.
  private var tokens: [AppID: String] = [:]
  private let agentRun: String
  private var nextNumber: UInt64 = 1

  /// Creates an empty set; `agentRun` makes the tokens differ from those of other runs of the agent.
  init(agentRun: String) {
    assert(!agentRun.isEmpty, "each run has a name of its own")
    self.agentRun = agentRun
  }

  /// Returns a token that was not given out before.
  mutating func makeToken(_ kind: String) -> String {
    defer { nextNumber += 1 }
    return "\(agentRun)-\(kind)\(nextNumber)"
  }

  /// Makes the order to start an app; the token of an earlier order becomes invalid.
  mutating func order(
    _ app: LocalApp, _ reason: AppLaunch.Reason, isForeground: Bool, activationToken: String?
  ) -> LaunchOrder {
    let token = makeToken("")
    tokens[app.id] = token
    return LaunchOrder(
      app: app, reason: reason, isForeground: isForeground, token: token,
      activationToken: activationToken)
  }

  /// Whether this is the expected token of an app.
  func isAwaited(_ app: AppID, token: String) -> Bool { tokens[app] == token }

  /// Uses up an app's token if it is the expected one.
  ///
  /// An app started by D-Bus cannot know its token: the next connection of the app counts.
  mutating func claim(_ app: AppID, token: String?, isAnyTokenGood: Bool) -> Bool {
    guard let awaited = tokens[app], awaited == token || isAnyTokenGood else { return false }
    tokens[app] = nil
    return true
  }

  /// Stops expecting an app.
  mutating func forget(_ app: AppID) { tokens[app] = nil }

  /// Traps in debug builds when an expected app is unknown.
  func checkInvariants(_ apps: AppRegistry) {
    for (app, token) in tokens {
      assert(apps[app]?.installation != nil, "only installed apps are started")
      assert(token.hasPrefix(agentRun), "a token is of this run")
    }
  }
}
