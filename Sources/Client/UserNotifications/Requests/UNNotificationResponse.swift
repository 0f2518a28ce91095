public import Foundation

/// The user's response to a notification.
open class UNNotificationResponse: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The notification that the user responded to.
  public let notification: UNNotification

  /// The identifier of the chosen action; `UNNotificationDefaultActionIdentifier` if the user opened the notification,
  /// or `UNNotificationDismissActionIdentifier` if the user dismissed it.
  public let actionIdentifier: String

  package init(notification: UNNotification, actionIdentifier: String) {
    self.notification = notification
    self.actionIdentifier = actionIdentifier
    super.init()
  }

  /// A description of the response's fields, for logs.
  open override var description: String {
    ObjectDescription.make(
      self,
      [
        ("actionIdentifier", actionIdentifier),
        ("notification", notification),
      ])
  }

  /// Returns whether all fields of the other response are equal to those of this one.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UNNotificationResponse else { return false }
    return actionIdentifier == other.actionIdentifier && notification == other.notification
  }

  /// The hash value of the notification.
  open override var hash: Int { notification.hashValue }

  /// Returns the same object, because responses are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// A Boolean value that indicates whether the class supports secure coding; always true.
  open class var supportsSecureCoding: Bool { true }

  /// Creates a response from an archive; nil if the archive does not contain one.
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
