public import Foundation

/// What an app asks for, or what it has, in the form of iOS 8 and 9.
@available(iOS, deprecated: 10.0, message: "Use UNAuthorizationOptions and UNNotificationSettings")
@preconcurrency @MainActor
open class UIUserNotificationSettings: NSObject, NSCopying {
  nonisolated private let storage: FieldStorage<Fields>

  private struct Fields: Equatable {
    var types: UIUserNotificationType
    var categories: Set<UIUserNotificationCategory>?
  }

  /// Types with the categories that the app's notifications may name.
  nonisolated public init(
    types: UIUserNotificationType, categories: Set<UIUserNotificationCategory>?
  ) {
    storage = FieldStorage(Fields(types: types, categories: categories))
    super.init()
  }

  /// What notifications may do.
  open var types: UIUserNotificationType { storage.fields.types }

  /// The categories that the app's notifications may name.
  open var categories: Set<UIUserNotificationCategory>? { storage.fields.categories }

  /// Whether the other settings are the same.
  nonisolated open override func isEqual(_ object: Any?) -> Bool {
    (object as? UIUserNotificationSettings)?.storage.fields == storage.fields
  }

  /// The hash of the types.
  nonisolated open override var hash: Int { storage.fields.types.rawValue.hashValue }

  /// Returns the settings themselves: they never change.
  nonisolated open func copy(with zone: NSZone? = nil) -> Any { self }
}
