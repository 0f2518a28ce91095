public import Foundation

/// A request by an app to deliver a notification.
open class UNNotificationRequest: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Sendable: every stored property is a constant, and the content is a copy that never changes.

  /// The app's identifier for the request; another request with the same identifier replaces this one.
  public let identifier: String

  /// The content of the notification.
  public let content: UNNotificationContent

  /// The trigger of the notification; nil to deliver it immediately.
  public let trigger: UNNotificationTrigger?

  /// Creates a request with a copy of the content.
  public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
    self.identifier = identifier
    self.content = UNNotificationContent(content.fields)
    self.trigger = trigger
    super.init()
  }

  /// A description of the request's fields, for logs.
  open override var description: String {
    ObjectDescription.make(
      self,
      [
        ("identifier", identifier),
        ("content", content),
        ("trigger", trigger),
      ])
  }

  /// Returns whether all fields of the other request are equal to those of this one.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UNNotificationRequest else { return false }
    return identifier == other.identifier && content == other.content && trigger == other.trigger
  }

  /// The hash value of the identifier.
  open override var hash: Int { identifier.hashValue }

  /// Returns the same object, because requests are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// A Boolean value that indicates whether the class supports secure coding; always true.
  open class var supportsSecureCoding: Bool { true }

  /// Creates a request from an archive; nil if the archive does not contain one.
  public required init?(coder: NSCoder) {
    guard
      let name = coder.decodeObject(of: NSString.self, forKey: "identifier"),
      let content = coder.decodeObject(
        of: [UNNotificationContent.self, UNMutableNotificationContent.self], forKey: "content")
        as? UNNotificationContent
    else { return nil }
    identifier = name as String
    self.content = content
    trigger =
      coder.decodeObject(
        of: [
          UNPushNotificationTrigger.self, UNTimeIntervalNotificationTrigger.self,
          UNCalendarNotificationTrigger.self, UNLocationNotificationTrigger.self,
        ], forKey: "trigger") as? UNNotificationTrigger
    super.init()
  }

  /// Writes the request to an archive.
  open func encode(with coder: NSCoder) {
    coder.encode(identifier as NSString, forKey: "identifier")
    coder.encode(content, forKey: "content")
    coder.encode(trigger, forKey: "trigger")
  }
}
