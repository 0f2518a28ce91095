package import AppWire
import Foundation

extension AgentSession {
  /// Connects and waits for the agent's welcome, so that the badge, settings, registration, languages, and reason for
  /// the launch are known when the app's delegate is first called.
  ///
  /// Without an agent, the function returns after at most `Limits.launchMilliseconds` and prints a message to standard
  /// error.
  package func connectForLaunch() -> AppLaunch {
    if let welcome = connect(waitingMilliseconds: Limits.launchMilliseconds) {
      return welcome.launch
    }
    let reason = failure?.message ?? "the agent has not answered in time"
    FileHandle.standardError.write(
      Data("belfry: the app launches without its notifications: \(reason)\n".utf8))
    return AppLaunch(reason: .user)
  }
}
