public import Foundation

/// What the user did with a notification.
open class UNNotificationResponse: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// Which notification.
  public let notification: UNNotification

  /// The action's identifier, or the identifier for opening or dismissing.
  public let actionIdentifier: String

  package init(notification: UNNotification, actionIdentifier: String) {
    self.notification = notification
    self.actionIdentifier = actionIdentifier
    super.init()
  }

  /// The response's fields, for a log.
  open override var description: String {
    ObjectDescription.make(
      self,
      [
        ("actionIdentifier", actionIdentifier),
        ("notification", notification),
      ])
  }

  /// Whether the other response is the same in every respect.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UNNotificationResponse else { return false }
    return actionIdentifier == other.actionIdentifier && notification == other.notification
  }

  /// The hash of the notification.
  open override var hash: Int { notification.hashValue }

  /// Returns the response itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Responses can be archived securely.
  open class var supportsSecureCoding: Bool { true }

  /// Reads an archived response; nil when the archive has none.
  public required init?(coder: NSCoder) {
    guard
      let notification = coder.decodeObject(of: UNNotification.self, forKey: "notification"),
      let action = coder.decodeObject(of: NSString.self, forKey: "actionIdentifier")
    else { return nil }
    self.notification = notification
    actionIdentifier = action as String
    super.init()
  }

  /// Writes the response to an archive.
  open func encode(with coder: NSCoder) {
    coder.encode(notification, forKey: "notification")
    coder.encode(actionIdentifier as NSString, forKey: "actionIdentifier")
  }
}
