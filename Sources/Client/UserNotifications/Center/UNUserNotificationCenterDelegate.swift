import BelfryClient
public import Foundation

/// The delegate that handles notification events.
///
/// Every member is optional; if a method has two variants, an app implements one of them. Methods with a completion
/// handler are called on the main thread; `async` methods run in their own isolation.
///
/// Set the delegate before `application(_:didFinishLaunchingWithOptions:)` returns. Otherwise, the delegate does not
/// receive the response that launched the app.
@preconcurrency
public protocol UNUserNotificationCenterDelegate: NSObjectProtocol {
  /// Asks the app how to present a notification that arrives while the app is in the foreground.
  ///
  /// If the app does not implement the method or does not answer before the timeout, the notification is not presented.
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
    withCompletionHandler completionHandler:
      @escaping @Sendable (UNNotificationPresentationOptions) -> Void)

  /// Asks the app how to present a notification that arrives while the app is in the foreground.
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, willPresent notification: UNNotification
  ) async -> UNNotificationPresentationOptions

  /// Tells the delegate that the user opened a notification, chose one of its actions, or dismissed it.
  ///
  /// The completion handler must be called on every path.
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
    withCompletionHandler completionHandler: @escaping @Sendable () -> Void)

  /// Tells the delegate that the user opened a notification, chose one of its actions, or dismissed it.
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse
  ) async

  /// Opens the app's own notification settings at the user's request.
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?)
}

extension UNUserNotificationCenterDelegate {
  /// Replies with a value that means that the app does not implement the method.
  public func userNotificationCenter(
    _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
    withCompletionHandler completionHandler:
      @escaping @Sendable (UNNotificationPresentationOptions) -> Void
  ) {
    completionHandler(.unanswered)
  }

  /// Calls the variant with a completion handler, on the main thread.
  public func userNotificationCenter(
    _ center: UNUserNotificationCenter, willPresent notification: UNNotification
  ) async -> UNNotificationPresentationOptions {
    let delegate = MainThreadOnly(self)
    return await withCheckedContinuation { continuation in
      let answer = CallOnce { continuation.resume(returning: $0) }
      DispatchQueue.main.async {
        delegate.value.userNotificationCenter(center, willPresent: notification) {
          answer.call($0)
        }
      }
    }
  }

  /// Calls the completion handler immediately.
  public func userNotificationCenter(
    _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
    withCompletionHandler completionHandler: @escaping @Sendable () -> Void
  ) {
    completionHandler()
  }

  /// Calls the variant with a completion handler, on the main thread.
  public func userNotificationCenter(
    _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse
  ) async {
    let delegate = MainThreadOnly(self)
    await withCheckedContinuation { continuation in
      let answer = CallOnce<Void> { continuation.resume() }
      DispatchQueue.main.async {
        delegate.value.userNotificationCenter(center, didReceive: response) { answer.call(()) }
      }
    }
  }

  /// The default implementation does nothing.
  public func userNotificationCenter(
    _ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?
  ) {}
}
