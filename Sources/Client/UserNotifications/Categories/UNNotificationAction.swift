public import Foundation

/// A button of a notification.
open class UNNotificationAction: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The identifier that the app receives when the action is chosen.
  public let identifier: String

  /// The button's text.
  public let title: String

  /// How it behaves.
  public let options: UNNotificationActionOptions

  /// Its picture, if any.
  public let icon: UNNotificationActionIcon?

  /// An action without a picture.
  public convenience init(
    identifier: String, title: String, options: UNNotificationActionOptions = []
  ) {
    self.init(identifier: identifier, title: title, options: options, icon: nil)
  }

  /// An action with a picture.
  public init(
    identifier: String, title: String, options: UNNotificationActionOptions = [],
    icon: UNNotificationActionIcon?
  ) {
    self.identifier = identifier
    self.title = title
    self.options = options
    self.icon = icon
    super.init()
  }

  /// The action's fields, for a log.
  open override var description: String {
    ObjectDescription.make(
      self,
      [
        ("identifier", identifier),
        ("title", title),
        ("options", options.words),
      ])
  }

  /// Whether the other action is the same in every respect.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UNNotificationAction else { return false }
    return identifier == other.identifier && title == other.title && options == other.options
      && icon == other.icon
  }

  /// The hash of the identifier.
  open override var hash: Int { identifier.hashValue }

  /// Returns the action itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Actions can be archived securely.
  open class var supportsSecureCoding: Bool { true }

  /// Reads an archived action; nil when the archive has none.
  public required init?(coder: NSCoder) {
    guard
      let identifier = coder.decodeObject(of: NSString.self, forKey: "identifier"),
      let title = coder.decodeObject(of: NSString.self, forKey: "title")
    else { return nil }
    self.identifier = identifier as String
    self.title = title as String
    options = UNNotificationActionOptions(
      rawValue: UInt(truncatingIfNeeded: coder.decodeInt64(forKey: "options")))
    icon = coder.decodeObject(of: UNNotificationActionIcon.self, forKey: "icon")
    super.init()
  }

  /// Writes the action to an archive.
  open func encode(with coder: NSCoder) {
    coder.encode(identifier as NSString, forKey: "identifier")
    coder.encode(title as NSString, forKey: "title")
    coder.encode(Int64(truncatingIfNeeded: options.rawValue), forKey: "options")
    coder.encode(icon, forKey: "icon")
  }
}
