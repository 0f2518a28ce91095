public import Foundation

/// A kind of notification that the app defines, together with the buttons for notifications of this kind.
open class UNNotificationCategory: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The identifier of the category, which notifications specify as their `categoryIdentifier`.
  ///
  /// The identifier must be unique within the app and must not be empty.
  public let identifier: String

  /// The buttons in display order.
  ///
  /// If space is limited, only the first two are shown.
  public let actions: [UNNotificationAction]

  /// The identifiers of the intents that are related to the category's notifications.
  ///
  /// The identifiers are stored, but have no effect on this system.
  public let intentIdentifiers: [String]

  /// The behavior of the category's notifications.
  public let options: UNNotificationCategoryOptions

  /// The text that replaces the body when previews are hidden; `%u` is the number of messages.
  public let hiddenPreviewsBodyPlaceholder: String

  /// The format of a group's summary; `%u` is the number of messages.
  public let categorySummaryFormat: String

  /// Creates a category that uses the system's strings for hidden previews and groups.
  public convenience init(
    identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String],
    options: UNNotificationCategoryOptions = []
  ) {
    self.init(
      identifier: identifier, actions: actions, intentIdentifiers: intentIdentifiers,
      hiddenPreviewsBodyPlaceholder: nil, categorySummaryFormat: nil, options: options)
  }

  /// Creates a category with a custom string for hidden previews.
  public convenience init(
    identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String],
    hiddenPreviewsBodyPlaceholder: String, options: UNNotificationCategoryOptions = []
  ) {
    self.init(
      identifier: identifier, actions: actions, intentIdentifiers: intentIdentifiers,
      hiddenPreviewsBodyPlaceholder: hiddenPreviewsBodyPlaceholder, categorySummaryFormat: nil,
      options: options)
  }

  /// Creates a category with custom strings for hidden previews and groups.
  public init(
    identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String],
    hiddenPreviewsBodyPlaceholder: String?, categorySummaryFormat: String?,
    options: UNNotificationCategoryOptions = []
  ) {
    self.identifier = identifier
    self.actions = actions
    self.intentIdentifiers = intentIdentifiers
    self.options = options
    self.hiddenPreviewsBodyPlaceholder = hiddenPreviewsBodyPlaceholder ?? ""
    self.categorySummaryFormat = categorySummaryFormat ?? ""
    super.init()
  }

  /// A description of the category's fields, for logs.
  open override var description: String {
    ObjectDescription.make(
      self,
      [
        ("identifier", identifier),
        ("actions", ObjectDescription.list(actions)),
        ("intentIdentifiers", ObjectDescription.list(intentIdentifiers)),
        ("hiddenPreviewsBodyPlaceholder", hiddenPreviewsBodyPlaceholder),
        ("categorySummaryFormat", categorySummaryFormat),
        ("options", options.words),
      ])
  }

  /// Returns whether all fields of the other category are equal to those of this one.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UNNotificationCategory else { return false }
    return identifier == other.identifier && actions == other.actions
      && intentIdentifiers == other.intentIdentifiers && options == other.options
      && hiddenPreviewsBodyPlaceholder == other.hiddenPreviewsBodyPlaceholder
      && categorySummaryFormat == other.categorySummaryFormat
  }

  /// The hash value of the identifier.
  open override var hash: Int { identifier.hashValue }

  /// Returns the same object, because categories are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// A Boolean value that indicates whether the class supports secure coding; always true.
  open class var supportsSecureCoding: Bool { true }

  /// Creates a category from an archive; nil if the archive does not contain one.
  public required init?(coder: NSCoder) {
    guard let name = coder.decodeObject(of: NSString.self, forKey: "identifier") else { return nil }
    identifier = name as String
    actions =
      coder.decodeObject(
        of: [NSArray.self, UNNotificationAction.self, UNTextInputNotificationAction.self],
        forKey: "actions") as? [UNNotificationAction] ?? []
    intentIdentifiers =
      coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "intentIdentifiers")
      as? [String] ?? []
    options = UNNotificationCategoryOptions(
      rawValue: UInt(truncatingIfNeeded: coder.decodeInt64(forKey: "options")))
    hiddenPreviewsBodyPlaceholder =
      coder.decodeObject(of: NSString.self, forKey: "hiddenPreviewsBodyPlaceholder") as String?
      ?? ""
    categorySummaryFormat =
      coder.decodeObject(of: NSString.self, forKey: "categorySummaryFormat") as String? ?? ""
    super.init()
  }

  /// Writes the category to an archive.
  open func encode(with coder: NSCoder) {
    coder.encode(identifier as NSString, forKey: "identifier")
    coder.encode(actions as NSArray, forKey: "actions")
    coder.encode(intentIdentifiers as NSArray, forKey: "intentIdentifiers")
    coder.encode(Int64(truncatingIfNeeded: options.rawValue), forKey: "options")
    coder.encode(
      hiddenPreviewsBodyPlaceholder as NSString, forKey: "hiddenPreviewsBodyPlaceholder")
    coder.encode(categorySummaryFormat as NSString, forKey: "categorySummaryFormat")
  }
}
