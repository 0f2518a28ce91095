public import Foundation

/// The notification types that an app requests or may use, in the API of iOS 8 and 9.
@available(iOS, deprecated: 10.0, message: "Use UNAuthorizationOptions and UNNotificationSettings")
@preconcurrency @MainActor
open class UIUserNotificationSettings: NSObject, NSCopying {
  nonisolated private let storage: FieldStorage<Fields>

  private struct Fields: Equatable {
    var types: UIUserNotificationType
    var categories: Set<UIUserNotificationCategory>?
  }

  /// Creates settings with types and the categories that the app's notifications may use.
  nonisolated public init(
    types: UIUserNotificationType, categories: Set<UIUserNotificationCategory>?
  ) {
    storage = FieldStorage(Fields(types: types, categories: categories))
    super.init()
  }

  /// The ways in which notifications may alert the user.
  open var types: UIUserNotificationType { storage.fields.types }

  /// The categories that the app's notifications may use.
  open var categories: Set<UIUserNotificationCategory>? { storage.fields.categories }

  /// Returns whether the other settings are equal to these.
  nonisolated open override func isEqual(_ object: Any?) -> Bool {
    (object as? UIUserNotificationSettings)?.storage.fields == storage.fields
  }

  /// The hash value of the types.
  nonisolated open override var hash: Int { storage.fields.types.rawValue.hashValue }

  /// Returns the same object, because settings are immutable.
  nonisolated open func copy(with zone: NSZone? = nil) -> Any { self }
}
