public import Foundation

/// Changes a push before it is shown, in a process of its own.
///
/// The agent starts it for an alert with `mutable-content: 1`. It has 30 s; then it is told to
/// hand over what it has, and the original is shown when it does not.
open class UNNotificationServiceExtension: NSObject {
  /// The system makes the object, one for each notification.
  public override init() { super.init() }

  /// A push to change: the handler takes the content to show.
  ///
  /// This form hands the content back unchanged.
  open func didReceive(
    _ request: UNNotificationRequest,
    withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
  ) {
    contentHandler(request.content)
  }

  /// The time is nearly up: the last moment to call the handler.
  open func serviceExtensionTimeWillExpire() {}
}
