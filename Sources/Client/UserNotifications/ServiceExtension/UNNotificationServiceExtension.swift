public import Foundation

/// An extension that changes a push before it is shown, in a separate process.
///
/// The agent starts it for an alert with `mutable-content: 1`. It has 30 s. Then it must deliver the content that it
/// has; if it does not, the original is shown.
open class UNNotificationServiceExtension: NSObject {
  /// Creates an extension; the system creates one for each notification.
  public override init() { super.init() }

  /// Changes a push.
  ///
  /// The handler receives the content to show.
  ///
  /// This implementation passes the content on unchanged.
  open func didReceive(
    _ request: UNNotificationRequest,
    withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
  ) {
    contentHandler(request.content)
  }

  /// Tells the extension that its time is nearly over; this is the last chance to call the handler.
  open func serviceExtensionTimeWillExpire() {}
}
