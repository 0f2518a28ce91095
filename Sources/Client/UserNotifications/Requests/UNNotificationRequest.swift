public import Foundation

/// A notification that an app asks for.
open class UNNotificationRequest: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Sendable: every stored property is a constant, and the content is a copy that never changes.

  /// The app's name for it; a request of the same name replaces it.
  public let identifier: String

  /// What it shows, plays and carries.
  public let content: UNNotificationContent

  /// What makes it appear; nil for at once.
  public let trigger: UNNotificationTrigger?

  /// A request with a copy of the content.
  public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
    self.identifier = identifier
    self.content = UNNotificationContent(content.fields)
    self.trigger = trigger
    super.init()
  }

  /// The request's fields, for a log.
  open override var description: String {
    ObjectDescription.make(
      self,
      [
        ("identifier", identifier),
        ("content", content),
        ("trigger", trigger),
      ])
  }

  /// Whether the other request is the same in every respect.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UNNotificationRequest else { return false }
    return identifier == other.identifier && content == other.content && trigger == other.trigger
  }

  /// The hash of the name.
  open override var hash: Int { identifier.hashValue }

  /// Returns the request itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Requests can be archived securely.
  open class var supportsSecureCoding: Bool { true }

  /// Reads an archived request; nil when the archive has none.
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
