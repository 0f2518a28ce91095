import BelfryClient
public import Foundation

/// The delegate for the events of notifications.
///
/// Every member is optional; of a method's two forms an app writes one. Those with a completion
/// handler are called on the main thread; one that is `async` runs where its own isolation says.
///
/// The delegate is set before `application(_:didFinishLaunchingWithOptions:)` returns, or else the
/// response that launched the app is lost to it.
@preconcurrency
public protocol UNUserNotificationCenterDelegate: NSObjectProtocol {
  /// One of the app's notifications arrived while the app is in the foreground: the app says what
  /// the system does with it.
  ///
  /// Without the method, or without an answer in time, nothing.
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
    withCompletionHandler completionHandler:
      @escaping @Sendable (UNNotificationPresentationOptions) -> Void)

  /// One of the app's notifications arrived while the app is in the foreground.
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, willPresent notification: UNNotification
  ) async -> UNNotificationPresentationOptions

  /// The user opened a notification, chose one of its actions, or dismissed it.
  ///
  /// The handler has to be called on every path.
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
    withCompletionHandler completionHandler: @escaping @Sendable () -> Void)

  /// The user opened a notification, chose one of its actions, or dismissed it.
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse
  ) async

  /// The user wants to see the app's own notification settings.
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?)
}

extension UNUserNotificationCenterDelegate {
  /// Answers that the app does not say.
  public func userNotificationCenter(
    _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
    withCompletionHandler completionHandler:
      @escaping @Sendable (UNNotificationPresentationOptions) -> Void
  ) {
    completionHandler(.unanswered)
  }

  /// Calls the form with a completion handler, on the main thread.
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

  /// Does nothing and reports that it is done.
  public func userNotificationCenter(
    _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
    withCompletionHandler completionHandler: @escaping @Sendable () -> Void
  ) {
    completionHandler()
  }

  /// Calls the form with a completion handler, on the main thread.
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

  /// Does nothing.
  public func userNotificationCenter(
    _ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?
  ) {}
}
