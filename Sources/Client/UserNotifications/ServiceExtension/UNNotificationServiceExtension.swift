public import Foundation

/// An extension that changes a push before it is shown, in a separate process.
///
/// The agent starts the extension for an alert with `mutable-content: 1`. The extension has 30 s to deliver the
/// content. If it does not, the original notification is shown.
open class UNNotificationServiceExtension: NSObject {
  /// Creates an extension; the system creates one for each notification.
  public override init() { super.init() }

  /// Changes the content of a push.
  ///
  /// The handler receives the content to show. The default implementation passes the original content to the handler.
  open func didReceive(
    _ request: UNNotificationRequest,
    withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
  ) {
    contentHandler(request.content)
  }

  /// Tells the extension that its time is about to expire; this is the last chance to call the handler.
  open func serviceExtensionTimeWillExpire() {}
}
