public import Foundation

/// A button of a notification, in the form of iOS 8 and 9.
@available(iOS, deprecated: 10.0, message: "Use UNNotificationAction")
@preconcurrency @MainActor
open class UIUserNotificationAction: NSObject, NSCopying, NSMutableCopying, NSSecureCoding {
  nonisolated let storage: FieldStorage<UserNotificationActionFields>

  /// An action without properties; the mutable subclass gives it some.
  nonisolated public override init() {
    storage = FieldStorage(UserNotificationActionFields())
    super.init()
  }

  nonisolated init(_ fields: UserNotificationActionFields) {
    storage = FieldStorage(fields)
    super.init()
  }

  /// The identifier that the app receives when the action is chosen.
  open var identifier: String? { storage.fields.identifier }

  /// The button's text.
  open var title: String? { storage.fields.title }

  /// Whether it asks for text.
  open var behavior: UIUserNotificationActionBehavior { storage.fields.behavior }

  /// Further properties by their keys.
  open var parameters: [AnyHashable: Any] { storage.fields.parameters }

  /// Whether it brings the app to the foreground.
  open var activationMode: UIUserNotificationActivationMode { storage.fields.activationMode }

  /// Whether the device is unlocked first.
  open var isAuthenticationRequired: Bool { storage.fields.isAuthenticationRequired }

  /// Whether it is shown as one that destroys something.
  open var isDestructive: Bool { storage.fields.isDestructive }

  /// Whether the other action is the same in every respect.
  nonisolated open override func isEqual(_ object: Any?) -> Bool {
    (object as? UIUserNotificationAction)?.storage.fields == storage.fields
  }

  /// The hash of the identifier.
  nonisolated open override var hash: Int { storage.fields.identifier.hashValue }

  /// A copy that does not follow later changes.
  nonisolated open func copy(with zone: NSZone? = nil) -> Any {
    UIUserNotificationAction(storage.fields)
  }

  /// A copy that can be changed.
  nonisolated open func mutableCopy(with zone: NSZone? = nil) -> Any {
    UIMutableUserNotificationAction(storage.fields)
  }

  /// Actions can be archived securely.
  nonisolated open class var supportsSecureCoding: Bool { true }

  /// Reads an archived action.
  nonisolated public required init?(coder: NSCoder) {
    storage = FieldStorage(UserNotificationActionFields(coder: coder))
    super.init()
  }

  /// Writes the action to an archive.
  nonisolated open func encode(with coder: NSCoder) { storage.fields.encode(with: coder) }
}

/// A button of a notification while it is being put together, in the form of iOS 8 and 9.
@available(iOS, deprecated: 10.0, message: "Use UNNotificationAction")
@preconcurrency @MainActor
open class UIMutableUserNotificationAction: UIUserNotificationAction {
  /// The identifier that the app receives when the action is chosen.
  open override var identifier: String? {
    get { storage.fields.identifier }
    set { storage.fields.identifier = newValue }
  }

  /// The button's text.
  open override var title: String? {
    get { storage.fields.title }
    set { storage.fields.title = newValue }
  }

  /// Whether it asks for text.
  open override var behavior: UIUserNotificationActionBehavior {
    get { storage.fields.behavior }
    set { storage.fields.behavior = newValue }
  }

  /// Further properties by their keys.
  open override var parameters: [AnyHashable: Any] {
    get { storage.fields.parameters }
    set { storage.fields.parameters = newValue }
  }

  /// Whether it brings the app to the foreground.
  open override var activationMode: UIUserNotificationActivationMode {
    get { storage.fields.activationMode }
    set { storage.fields.activationMode = newValue }
  }

  /// Whether the device is unlocked first.
  open override var isAuthenticationRequired: Bool {
    get { storage.fields.isAuthenticationRequired }
    set { storage.fields.isAuthenticationRequired = newValue }
  }

  /// Whether it is shown as one that destroys something.
  open override var isDestructive: Bool {
    get { storage.fields.isDestructive }
    set { storage.fields.isDestructive = newValue }
  }
}
