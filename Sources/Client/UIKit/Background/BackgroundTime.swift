public import Foundation

extension UIApplication {
  /// The remaining background time, in seconds; the largest finite number while the app is in the foreground.
  ///
  /// At the end of this time, the system calls the expiration handlers of background tasks and ends the tasks.
  ///
  /// An app that the system started in the background is suspended when it has nothing more to do, and terminated if it
  /// does not finish in time. An app that the user started, or that was in the foreground, might have windows, so its
  /// process is never terminated.
  public var backgroundTimeRemaining: TimeInterval {
    guard applicationState == .background else { return .greatestFiniteMagnitude }
    return backgroundTasks.remaining
  }

  /// Requests time to finish work when the app enters the background.
  ///
  /// - Parameter handler: A closure that is called when the time is about to expire and the task has not ended.
  /// - Returns: The identifier to pass to `endBackgroundTask(_:)`.
  @preconcurrency
  public func beginBackgroundTask(
    expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
  ) -> UIBackgroundTaskIdentifier {
    backgroundTasks.begin(name: nil, session: session, expirationHandler: handler)
  }

  /// Requests time to finish work, with a name for debugging.
  ///
  /// The handler is called when the time is about to expire and the task has not ended.
  ///
  /// - Returns: The identifier to pass to `endBackgroundTask(_:)`.
  @preconcurrency
  public func beginBackgroundTask(
    withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
  ) -> UIBackgroundTaskIdentifier {
    backgroundTasks.begin(name: taskName, session: session, expirationHandler: handler)
  }

  /// Reports that the work of a background task is done.
  public func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
    backgroundTasks.end(identifier, session: session)
  }

  /// The app's permission to run in the background; always `.available` on this system.
  public var backgroundRefreshStatus: UIBackgroundRefreshStatus { .available }

  /// Does nothing: on this system, pushes wake apps, but timers do not.
  @available(iOS, deprecated: 13.0, message: "Use a push with content-available")
  public func setMinimumBackgroundFetchInterval(_ minimumBackgroundFetchInterval: TimeInterval) {}

  /// The smallest fetch interval that the system supports, in seconds.
  nonisolated public static let backgroundFetchIntervalMinimum: TimeInterval = 0

  /// A fetch interval in seconds that turns background fetches off.
  nonisolated public static let backgroundFetchIntervalNever: TimeInterval =
    .greatestFiniteMagnitude
}
