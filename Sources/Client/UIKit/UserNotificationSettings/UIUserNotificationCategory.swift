public import Foundation

/// A kind of notification with its buttons, in the API of iOS 8 and 9.
@available(iOS, deprecated: 10.0, message: "Use UNNotificationCategory")
@preconcurrency @MainActor
open class UIUserNotificationCategory: NSObject, NSCopying, NSMutableCopying, NSSecureCoding {
  struct Fields: Equatable {
    var identifier: String?
    var actions: [UInt: [UIUserNotificationAction]] = [:]
  }

  nonisolated let storage: FieldStorage<Fields>

  /// Creates a category without properties; the mutable subclass can set them.
  nonisolated public override init() {
    storage = FieldStorage(Fields())
    super.init()
  }

  nonisolated init(_ fields: Fields) {
    storage = FieldStorage(fields)
    super.init()
  }

  /// The identifier by which a notification refers to the category; unique within the app.
  open var identifier: String? { storage.fields.identifier }

  /// Returns the buttons for a context, in order.
  ///
  /// If no buttons are set for the minimal context, the result is the first two buttons of the default context.
  open func actions(
    for context: UIUserNotificationActionContext
  ) -> [UIUserNotificationAction]? {
    if let actions = storage.fields.actions[context.rawValue] { return actions }
    guard context == .minimal else { return nil }
    let all = storage.fields.actions[UIUserNotificationActionContext.default.rawValue]
    return all.map { Array($0.prefix(2)) }
  }

  /// Returns whether all fields of the other category are equal to those of this one.
  nonisolated open override func isEqual(_ object: Any?) -> Bool {
    (object as? UIUserNotificationCategory)?.storage.fields == storage.fields
  }

  /// The hash value of the identifier.
  nonisolated open override var hash: Int { storage.fields.identifier.hashValue }

  /// Returns an immutable copy of the category.
  nonisolated open func copy(with zone: NSZone? = nil) -> Any {
    UIUserNotificationCategory(storage.fields)
  }

  /// Returns a mutable copy of the category.
  nonisolated open func mutableCopy(with zone: NSZone? = nil) -> Any {
    UIMutableUserNotificationCategory(storage.fields)
  }

  /// A Boolean value that indicates whether the class supports secure coding; always true.
  nonisolated open class var supportsSecureCoding: Bool { true }

  /// Creates a category from an archive.
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

/// A kind of notification whose identifier and buttons can be changed, in the API of iOS 8 and 9.
@available(iOS, deprecated: 10.0, message: "Use UNNotificationCategory")
@preconcurrency @MainActor
open class UIMutableUserNotificationCategory: UIUserNotificationCategory {
  /// The identifier by which a notification refers to the category; unique within the app.
  open override var identifier: String? {
    get { storage.fields.identifier }
    set { storage.fields.identifier = newValue }
  }

  /// Sets the buttons in display order; nil removes them.
  open func setActions(
    _ actions: [UIUserNotificationAction]?, for context: UIUserNotificationActionContext
  ) {
    storage.fields.actions[context.rawValue] = actions?.compactMap {
      $0.copy() as? UIUserNotificationAction
    }
  }
}
