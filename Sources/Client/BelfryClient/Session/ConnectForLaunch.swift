package import AppWire
import Foundation

extension AgentSession {
  /// Connects to the agent and waits for its welcome.
  ///
  /// When the app's delegate is first called, the app therefore knows its badge, settings, registration, and languages,
  /// and the reason for the launch.
  ///
  /// Without an agent, the function returns after at most `Limits.launchMilliseconds` and prints a message to standard
  /// error.
  package func connectForLaunch() -> AppLaunch {
    if let welcome = connect(waitingMilliseconds: Limits.launchMilliseconds) {
      return welcome.launch
    }
    let reason = failure?.message ?? "the agent did not answer in time"
    FileHandle.standardError.write(
      Data("belfry: the app launches without notifications: \(reason)\n".utf8))
    return AppLaunch(reason: .user)
  }
}
