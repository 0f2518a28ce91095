public import Foundation

/// A kind of notification with its buttons, in the form of iOS 8 and 9.
@available(iOS, deprecated: 10.0, message: "Use UNNotificationCategory")
@preconcurrency @MainActor
open class UIUserNotificationCategory: NSObject, NSCopying, NSMutableCopying, NSSecureCoding {
  struct Fields: Equatable {
    var identifier: String?
    var actions: [UInt: [UIUserNotificationAction]] = [:]
  }

  nonisolated let storage: FieldStorage<Fields>

  /// A category without properties; the mutable subclass gives it some.
  nonisolated public override init() {
    storage = FieldStorage(Fields())
    super.init()
  }

  nonisolated init(_ fields: Fields) {
    storage = FieldStorage(fields)
    super.init()
  }

  /// The name that a notification gives; unique in the app.
  open var identifier: String? { storage.fields.identifier }

  /// The buttons in order; the first two of the default ones where no minimal ones were set.
  open func actions(
    for context: UIUserNotificationActionContext
  ) -> [UIUserNotificationAction]? {
    if let actions = storage.fields.actions[context.rawValue] { return actions }
    guard context == .minimal else { return nil }
    let all = storage.fields.actions[UIUserNotificationActionContext.default.rawValue]
    return all.map { Array($0.prefix(2)) }
  }

  /// Whether the other category is the same in every respect.
  nonisolated open override func isEqual(_ object: Any?) -> Bool {
    (object as? UIUserNotificationCategory)?.storage.fields == storage.fields
  }

  /// The hash of the identifier.
  nonisolated open override var hash: Int { storage.fields.identifier.hashValue }

  /// A copy that does not follow later changes.
  nonisolated open func copy(with zone: NSZone? = nil) -> Any {
    UIUserNotificationCategory(storage.fields)
  }

  /// A copy that can be changed.
  nonisolated open func mutableCopy(with zone: NSZone? = nil) -> Any {
    UIMutableUserNotificationCategory(storage.fields)
  }

  /// Categories can be archived securely.
  nonisolated open class var supportsSecureCoding: Bool { true }

  /// Reads an archived category.
  nonisolated public required init?(coder: NSCoder) {
    var fields = Fields()
    fields.identifier = coder.decodeObject(of: NSString.self, forKey: "identifier") as String?
    for (key, context) in Self.archiveKeys {
      fields.actions[context.rawValue] =
        coder.decodeObject(
          of: [
            NSArray.self, UIUserNotificationAction.self, UIMutableUserNotificationAction.self,
          ], forKey: key) as? [UIUserNotificationAction]
    }
    storage = FieldStorage(fields)
    super.init()
  }

  /// Writes the category to an archive.
  nonisolated open func encode(with coder: NSCoder) {
    coder.encode(storage.fields.identifier as NSString?, forKey: "identifier")
    for (key, context) in Self.archiveKeys {
      coder.encode(storage.fields.actions[context.rawValue] as NSArray?, forKey: key)
    }
  }

  nonisolated private static let archiveKeys: [(String, UIUserNotificationActionContext)] = [
    ("defaultActions", .default), ("minimalActions", .minimal),
  ]
}

/// A kind of notification while it is being put together, in the form of iOS 8 and 9.
@available(iOS, deprecated: 10.0, message: "Use UNNotificationCategory")
@preconcurrency @MainActor
open class UIMutableUserNotificationCategory: UIUserNotificationCategory {
  /// The name that a notification gives; unique in the app.
  open override var identifier: String? {
    get { storage.fields.identifier }
    set { storage.fields.identifier = newValue }
  }

  /// Sets the buttons in the order in which they are shown; nil removes them.
  open func setActions(
    _ actions: [UIUserNotificationAction]?, for context: UIUserNotificationActionContext
  ) {
    storage.fields.actions[context.rawValue] = actions?.compactMap {
      $0.copy() as? UIUserNotificationAction
    }
  }
}
