public import Foundation

/// The delegate that handles notification events.
///
/// Every member is optional. All methods are called on the main thread.
@available(macOS, deprecated: 11.0, message: "Use UNUserNotificationCenterDelegate")
@preconcurrency
public protocol NSUserNotificationCenterDelegate: NSObjectProtocol {
  /// Tells the delegate that a notification was delivered, regardless of whether it is shown.
  func userNotificationCenter(
    _ center: NSUserNotificationCenter, didDeliver notification: NSUserNotification)

  /// Tells the delegate that the user responded to a notification.
  func userNotificationCenter(
    _ center: NSUserNotificationCenter, didActivate notification: NSUserNotification)

  /// Returns whether a notification is shown while the app is in the foreground.
  func userNotificationCenter(
    _ center: NSUserNotificationCenter, shouldPresent notification: NSUserNotification
  ) -> Bool
}

extension NSUserNotificationCenterDelegate {
  /// The default implementation does nothing.
  public func userNotificationCenter(
    _ center: NSUserNotificationCenter, didDeliver notification: NSUserNotification
  ) {}

  /// The default implementation does nothing.
  public func userNotificationCenter(
    _ center: NSUserNotificationCenter, didActivate notification: NSUserNotification
  ) {}

  /// Returns false: the notification is not shown.
  public func userNotificationCenter(
    _ center: NSUserNotificationCenter, shouldPresent notification: NSUserNotification
  ) -> Bool { false }
}
