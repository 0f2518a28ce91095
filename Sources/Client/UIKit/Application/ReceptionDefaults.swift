import BelfryClient
import Foundation

// How pushes, local notifications and actions reach the form of the method that an app delegate
// has: the agent's event goes to the newest form, and each form that is left out calls the one
// before it.
extension UIApplicationDelegate {
  /// Does nothing.
  public func application(
    _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
  ) {}

  /// Says that the app has no such method: the form without a result is called instead where that
  /// is due.
  public func application(
    _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void
  ) {
    application.noteMissingFetchForm()
    completionHandler(.noData)
  }

  /// Calls the form with a completion handler.
  public func application(
    _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
  ) async -> UIBackgroundFetchResult {
    await withCheckedContinuation { continuation in
      let done = CallOnce { continuation.resume(returning: $0) }
      self.application(application, didReceiveRemoteNotification: userInfo) { done.call($0) }
    }
  }

  /// Does nothing.
  public func application(
    _ application: UIApplication, didReceive notification: UILocalNotification
  ) {}

  /// Reports that it is done.
  public func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    for notification: UILocalNotification,
    completionHandler: @escaping @Sendable () -> Void
  ) { completionHandler() }

  /// Calls the form with a completion handler.
  public func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    for notification: UILocalNotification
  ) async {
    await withCheckedContinuation { continuation in
      let done = CallOnce<Void> { continuation.resume() }
      self.application(application, handleActionWithIdentifier: identifier, for: notification) {
        done.call(())
      }
    }
  }

  /// Calls the form without text.
  public func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    for notification: UILocalNotification, withResponseInfo responseInfo: [AnyHashable: Any],
    completionHandler: @escaping @Sendable () -> Void
  ) {
    Task { @MainActor in
      await self.application(
        application, handleActionWithIdentifier: identifier, for: notification)
      completionHandler()
    }
  }

  /// Calls the form with a completion handler.
  public func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    for notification: UILocalNotification, withResponseInfo responseInfo: [AnyHashable: Any]
  ) async {
    await withCheckedContinuation { continuation in
      let done = CallOnce<Void> { continuation.resume() }
      self.application(
        application, handleActionWithIdentifier: identifier, for: notification,
        withResponseInfo: responseInfo
      ) { done.call(()) }
    }
  }

  /// Reports that it is done.
  public func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    forRemoteNotification userInfo: [AnyHashable: Any],
    completionHandler: @escaping @Sendable () -> Void
  ) { completionHandler() }

  /// Calls the form with a completion handler.
  public func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    forRemoteNotification userInfo: [AnyHashable: Any]
  ) async {
    await withCheckedContinuation { continuation in
      let done = CallOnce<Void> { continuation.resume() }
      self.application(
        application, handleActionWithIdentifier: identifier, forRemoteNotification: userInfo
      ) { done.call(()) }
    }
  }

  /// Calls the form without text.
  public func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    forRemoteNotification userInfo: [AnyHashable: Any],
    withResponseInfo responseInfo: [AnyHashable: Any],
    completionHandler: @escaping @Sendable () -> Void
  ) {
    let payload = MainThreadOnly(userInfo)
    Task { @MainActor in
      await self.application(
        application, handleActionWithIdentifier: identifier, forRemoteNotification: payload.value)
      completionHandler()
    }
  }

  /// Calls the form with a completion handler.
  public func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    forRemoteNotification userInfo: [AnyHashable: Any],
    withResponseInfo responseInfo: [AnyHashable: Any]
  ) async {
    await withCheckedContinuation { continuation in
      let done = CallOnce<Void> { continuation.resume() }
      self.application(
        application, handleActionWithIdentifier: identifier, forRemoteNotification: userInfo,
        withResponseInfo: responseInfo
      ) { done.call(()) }
    }
  }
}
