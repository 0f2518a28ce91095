public import Foundation

/// An action that a notification offers as a button.
open class UNNotificationAction: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The identifier that the app receives when the user chooses the action.
  public let identifier: String

  /// The title of the button.
  public let title: String

  /// The behavior of the action, for example, whether it brings the app to the foreground.
  public let options: UNNotificationActionOptions

  /// The icon of the action, if any.
  public let icon: UNNotificationActionIcon?

  /// Creates an action without an icon.
  public convenience init(
    identifier: String, title: String, options: UNNotificationActionOptions = []
  ) {
    self.init(identifier: identifier, title: title, options: options, icon: nil)
  }

  /// Creates an action with an icon.
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

  /// A description of the action's fields, for logs.
  open override var description: String {
    ObjectDescription.make(
      self,
      [
        ("identifier", identifier),
        ("title", title),
        ("options", options.words),
      ])
  }

  /// Returns whether all fields of the other action are equal to those of this one.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UNNotificationAction else { return false }
    return identifier == other.identifier && title == other.title && options == other.options
      && icon == other.icon
  }

  /// The hash value of the identifier.
  open override var hash: Int { identifier.hashValue }

  /// Returns the same object, because actions are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// A Boolean value that indicates whether the class supports secure coding; always true.
  open class var supportsSecureCoding: Bool { true }

  /// Creates an action from an archive; nil if the archive does not contain one.
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
