public import Foundation

/// A button of a notification, in the API of iOS 8 and 9.
@available(iOS, deprecated: 10.0, message: "Use UNNotificationAction")
@preconcurrency @MainActor
open class UIUserNotificationAction: NSObject, NSCopying, NSMutableCopying, NSSecureCoding {
  nonisolated let storage: FieldStorage<UserNotificationActionFields>

  /// Creates an action without properties; the mutable subclass can set them.
  nonisolated public override init() {
    storage = FieldStorage(UserNotificationActionFields())
    super.init()
  }

  nonisolated init(_ fields: UserNotificationActionFields) {
    storage = FieldStorage(fields)
    super.init()
  }

  /// The identifier that the app receives when the user chooses the action.
  open var identifier: String? { storage.fields.identifier }

  /// The title of the button.
  open var title: String? { storage.fields.title }

  /// The behavior of the action: a plain button, or a button with text input.
  open var behavior: UIUserNotificationActionBehavior { storage.fields.behavior }

  /// Additional properties of the action, by key.
  open var parameters: [AnyHashable: Any] { storage.fields.parameters }

  /// The mode in which the action activates the app: in the foreground or in the background.
  open var activationMode: UIUserNotificationActivationMode { storage.fields.activationMode }

  /// A Boolean value that indicates whether the device must be unlocked before the action is performed.
  open var isAuthenticationRequired: Bool { storage.fields.isAuthenticationRequired }

  /// A Boolean value that indicates whether the action is shown as destructive.
  open var isDestructive: Bool { storage.fields.isDestructive }

  /// Returns whether all fields of the other action are equal to those of this one.
  nonisolated open override func isEqual(_ object: Any?) -> Bool {
    (object as? UIUserNotificationAction)?.storage.fields == storage.fields
  }

  /// The hash value of the identifier.
  nonisolated open override var hash: Int { storage.fields.identifier.hashValue }

  /// Returns an immutable copy of the action.
  nonisolated open func copy(with zone: NSZone? = nil) -> Any {
    UIUserNotificationAction(storage.fields)
  }

  /// Returns a mutable copy of the action.
  nonisolated open func mutableCopy(with zone: NSZone? = nil) -> Any {
    UIMutableUserNotificationAction(storage.fields)
  }

  /// A Boolean value that indicates whether the class supports secure coding; always true.
  nonisolated open class var supportsSecureCoding: Bool { true }

  /// Creates an action from an archive.
  nonisolated public required init?(coder: NSCoder) {
    storage = FieldStorage(UserNotificationActionFields(coder: coder))
    super.init()
  }

  /// Writes the action to an archive.
  nonisolated open func encode(with coder: NSCoder) { storage.fields.encode(with: coder) }
}

/// A mutable button of a notification, in the API of iOS 8 and 9.
@available(iOS, deprecated: 10.0, message: "Use UNNotificationAction")
@preconcurrency @MainActor
open class UIMutableUserNotificationAction: UIUserNotificationAction {
  /// The identifier that the app receives when the user chooses the action.
  open override var identifier: String? {
    get { storage.fields.identifier }
    set { storage.fields.identifier = newValue }
  }

  /// The title of the button.
  open override var title: String? {
    get { storage.fields.title }
    set { storage.fields.title = newValue }
  }

  /// The behavior of the action: a plain button, or a button with text input.
  open override var behavior: UIUserNotificationActionBehavior {
    get { storage.fields.behavior }
    set { storage.fields.behavior = newValue }
  }

  /// Additional properties of the action, by key.
  open override var parameters: [AnyHashable: Any] {
    get { storage.fields.parameters }
    set { storage.fields.parameters = newValue }
  }

  /// The mode in which the action activates the app: in the foreground or in the background.
  open override var activationMode: UIUserNotificationActivationMode {
    get { storage.fields.activationMode }
    set { storage.fields.activationMode = newValue }
  }

  /// A Boolean value that indicates whether the device must be unlocked before the action is performed.
  open override var isAuthenticationRequired: Bool {
    get { storage.fields.isAuthenticationRequired }
    set { storage.fields.isAuthenticationRequired = newValue }
  }

  /// A Boolean value that indicates whether the action is shown as destructive.
  open override var isDestructive: Bool {
    get { storage.fields.isDestructive }
    set { storage.fields.isDestructive = newValue }
  }
}
