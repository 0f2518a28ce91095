package import BelfryWire
import Foundation

extension AgentSession {
  /// Connects and waits for the agent's welcome, so that badge, settings, registration, languages and
  /// the launch's reason are known in the first call of the app's delegate.
  ///
  /// Without an agent it returns after `Limits.launchMilliseconds` at most, with a message on the error output.
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
