public import Foundation

/// What the user did with a notification, and wrote.
open class UNTextInputNotificationResponse: UNNotificationResponse, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// What the user wrote.
  public let userText: String

  package init(notification: UNNotification, actionIdentifier: String, userText: String) {
    self.userText = userText
    super.init(notification: notification, actionIdentifier: actionIdentifier)
  }

  /// The response's fields, for a log.
  open override var description: String {
    ObjectDescription.make(
      self,
      [
        ("actionIdentifier", actionIdentifier),
        ("notification", notification),
        ("userText", userText),
      ])
  }

  /// Whether the other response is the same in every respect.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UNTextInputNotificationResponse else { return false }
    return super.isEqual(other) && userText == other.userText
  }

  /// Reads an archived response; nil when the archive has none.
  public required init?(coder: NSCoder) {
    guard let text = coder.decodeObject(of: NSString.self, forKey: "userText") else { return nil }
    userText = text as String
    super.init(coder: coder)
  }

  /// Writes the response to an archive.
  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(userText as NSString, forKey: "userText")
  }
}
