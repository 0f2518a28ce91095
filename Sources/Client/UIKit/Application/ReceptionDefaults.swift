import BelfryClient
import Foundation

// Routes pushes, local notifications, and actions to the variant of the method that an app delegate implements. The
// agent's event is sent to the newest variant. The default implementation of each variant calls the next older variant.
extension UIApplicationDelegate {
  /// The default implementation does nothing.
  public func application(
    _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
  ) {}

  /// Records that the app does not implement this method; the variant without a result is then called instead.
  public func application(
    _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void
  ) {
    application.noteMissingFetchForm()
    completionHandler(.noData)
  }

  /// Calls the variant with a completion handler.
  public func application(
    _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
  ) async -> UIBackgroundFetchResult {
    await withCheckedContinuation { continuation in
      let done = CallOnce { continuation.resume(returning: $0) }
      self.application(application, didReceiveRemoteNotification: userInfo) { done.call($0) }
    }
  }

  /// The default implementation does nothing.
  public func application(
    _ application: UIApplication, didReceive notification: UILocalNotification
  ) {}

  /// Calls the completion handler immediately.
  public func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    for notification: UILocalNotification,
    completionHandler: @escaping @Sendable () -> Void
  ) { completionHandler() }

  /// Calls the variant with a completion handler.
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

  /// Calls the variant without response info.
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

  /// Calls the variant with a completion handler.
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

  /// Calls the completion handler immediately.
  public func application(
    _ application: UIApplication, handleActionWithIdentifier identifier: String?,
    forRemoteNotification userInfo: [AnyHashable: Any],
    completionHandler: @escaping @Sendable () -> Void
  ) { completionHandler() }

  /// Calls the variant with a completion handler.
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

  /// Calls the variant without response info.
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

  /// Calls the variant with a completion handler.
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
