package import BelfryWire
import Foundation

extension AgentSession {
  /// Begins the conversation and waits until the agent has said what it knows of the app (badge,
  /// settings, registration, languages, why it was launched), so that the first call of the app's
  /// delegate finds it.
  ///
  /// Without an agent it returns after a moment and says so on the error output.
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
