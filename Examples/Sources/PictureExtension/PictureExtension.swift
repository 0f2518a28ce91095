// A service extension that runs in a separate process and changes an alert before it is shown.
import UserNotifications

@main
class NotificationService: UNNotificationServiceExtension {
  var contentHandler: ((UNNotificationContent) -> Void)?
  var bestAttemptContent: UNMutableNotificationContent?

  override func didReceive(
    _ request: UNNotificationRequest,
    withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
  ) {
    self.contentHandler = contentHandler
    bestAttemptContent = request.content.mutableCopy() as? UNMutableNotificationContent
    guard let bestAttemptContent = bestAttemptContent else { return }
    if bestAttemptContent.userInfo["broken"] != nil { exit(1) }
    bestAttemptContent.title = "\(bestAttemptContent.title) [modified]"
    if bestAttemptContent.userInfo["slow"] == nil { contentHandler(bestAttemptContent) }
  }

  override func serviceExtensionTimeWillExpire() {
    if let contentHandler = contentHandler, let bestAttemptContent = bestAttemptContent {
      contentHandler(bestAttemptContent)
    }
  }
}
