public import Foundation

extension UIApplication {
  /// Seconds of background time left; without bound while the app is in front.
  ///
  /// An app that the system started in the background is suspended when it has nothing more to do there,
  /// and ended when it has not finished in time. An app that the user started, or that was in front, may have
  /// windows: it is never stopped, and its time has no bound.
  public var backgroundTimeRemaining: TimeInterval {
    guard applicationState == .background else { return .greatestFiniteMagnitude }
    return backgroundTasks.remaining
  }

  /// Asks for time to finish work when the app goes to the background.
  ///
  /// - Parameter handler: called when the time is nearly over and the task has not ended.
  /// - Returns: what `endBackgroundTask(_:)` takes.
  @preconcurrency
  public func beginBackgroundTask(
    expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
  ) -> UIBackgroundTaskIdentifier {
    backgroundTasks.begin(name: nil, session: session, expirationHandler: handler)
  }

  /// Asks for time to finish work, under a name for debugging.
  ///
  /// `handler`: called when the time is nearly over and the task has not ended.
  /// - Returns: what `endBackgroundTask(_:)` takes.
  @preconcurrency
  public func beginBackgroundTask(
    withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
  ) -> UIBackgroundTaskIdentifier {
    backgroundTasks.begin(name: taskName, session: session, expirationHandler: handler)
  }

  /// Reports that the work is done.
  public func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
    backgroundTasks.end(identifier, session: session)
  }

  /// Whether the app may be woken in the background: it may.
  public var backgroundRefreshStatus: UIBackgroundRefreshStatus { .available }

  /// Does nothing: on this system pushes wake apps, not the clock.
  @available(iOS, deprecated: 13.0, message: "Use a push with content-available")
  public func setMinimumBackgroundFetchInterval(_ minimumBackgroundFetchInterval: TimeInterval) {}

  /// As often as the system allows, in seconds.
  nonisolated public static let backgroundFetchIntervalMinimum: TimeInterval = 0

  /// Never, in seconds.
  nonisolated public static let backgroundFetchIntervalNever: TimeInterval =
    .greatestFiniteMagnitude
}
