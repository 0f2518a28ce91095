public import Foundation

/// The delegate for the events of notifications.
///
/// Every member is optional. All are called on the main thread.
@available(macOS, deprecated: 11.0, message: "Use UNUserNotificationCenterDelegate")
@preconcurrency
public protocol NSUserNotificationCenterDelegate: NSObjectProtocol {
  /// A notification was delivered, whether or not it is shown.
  func userNotificationCenter(
    _ center: NSUserNotificationCenter, didDeliver notification: NSUserNotification)

  /// The user answered a notification.
  func userNotificationCenter(
    _ center: NSUserNotificationCenter, didActivate notification: NSUserNotification)

  /// Whether a notification is shown although the app is in front.
  func userNotificationCenter(
    _ center: NSUserNotificationCenter, shouldPresent notification: NSUserNotification
  ) -> Bool
}

extension NSUserNotificationCenterDelegate {
  /// Does nothing.
  public func userNotificationCenter(
    _ center: NSUserNotificationCenter, didDeliver notification: NSUserNotification
  ) {}

  /// Does nothing.
  public func userNotificationCenter(
    _ center: NSUserNotificationCenter, didActivate notification: NSUserNotification
  ) {}

  /// It is not.
  public func userNotificationCenter(
    _ center: NSUserNotificationCenter, shouldPresent notification: NSUserNotification
  ) -> Bool { false }
}
