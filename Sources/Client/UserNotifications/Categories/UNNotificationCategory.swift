public import Foundation

/// A kind of notification that the app knows, with the buttons that it offers.
open class UNNotificationCategory: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The name that a notification's `categoryIdentifier` gives; unique in the app, not empty.
  public let identifier: String

  /// The buttons, in the order in which they are shown; the first two where space is short.
  public let actions: [UNNotificationAction]

  /// Intents; stored, this system has none.
  public let intentIdentifiers: [String]

  /// How its notifications behave.
  public let options: UNNotificationCategoryOptions

  /// Shown in place of the body where previews are hidden; `%u` is the number of messages.
  public let hiddenPreviewsBodyPlaceholder: String

  /// How a group sums itself up; `%u` is the number of messages.
  public let categorySummaryFormat: String

  /// A category with the system's texts for hidden previews and groups.
  public convenience init(
    identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String],
    options: UNNotificationCategoryOptions = []
  ) {
    self.init(
      identifier: identifier, actions: actions, intentIdentifiers: intentIdentifiers,
      hiddenPreviewsBodyPlaceholder: nil, categorySummaryFormat: nil, options: options)
  }

  /// A category with its own text for hidden previews.
  public convenience init(
    identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String],
    hiddenPreviewsBodyPlaceholder: String, options: UNNotificationCategoryOptions = []
  ) {
    self.init(
      identifier: identifier, actions: actions, intentIdentifiers: intentIdentifiers,
      hiddenPreviewsBodyPlaceholder: hiddenPreviewsBodyPlaceholder, categorySummaryFormat: nil,
      options: options)
  }

  /// A category with its own texts for hidden previews and groups.
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

  /// The category's fields, for a log.
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

  /// Whether the other category is the same in every respect.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UNNotificationCategory else { return false }
    return identifier == other.identifier && actions == other.actions
      && intentIdentifiers == other.intentIdentifiers && options == other.options
      && hiddenPreviewsBodyPlaceholder == other.hiddenPreviewsBodyPlaceholder
      && categorySummaryFormat == other.categorySummaryFormat
  }

  /// The hash of the identifier.
  open override var hash: Int { identifier.hashValue }

  /// Returns the category itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Categories can be archived securely.
  open class var supportsSecureCoding: Bool { true }

  /// Reads an archived category; nil when the archive has none.
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
