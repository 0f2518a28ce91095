public import Foundation

/// The user's response to a notification, with the text that the user entered.
open class UNTextInputNotificationResponse: UNNotificationResponse, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The text that the user entered.
  public let userText: String

  package init(notification: UNNotification, actionIdentifier: String, userText: String) {
    self.userText = userText
    super.init(notification: notification, actionIdentifier: actionIdentifier)
  }

  /// A description of the response's fields, for logs.
  open override var description: String {
    ObjectDescription.make(
      self,
      [
        ("actionIdentifier", actionIdentifier),
        ("notification", notification),
        ("userText", userText),
      ])
  }

  /// Returns whether all fields of the other response are equal to those of this one.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UNTextInputNotificationResponse else { return false }
    return super.isEqual(other) && userText == other.userText
  }

  /// Creates a response from an archive; nil if the archive does not contain one.
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
