import BelfryClient
public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The `soundName` of a notification that plays the default sound.
@available(macOS, deprecated: 11.0, message: "Use UNNotificationSound.default")
public let NSUserNotificationDefaultSoundName: String = "DefaultSoundName"

/// A notification of a Mac app, in the API used before macOS 11.
///
/// On Apple's systems, this class is part of Foundation; on this system, `AppKit` and `Cocoa` provide it.
///
/// A notification can be used on any thread. The agent stores it like any other notification.
@available(macOS, deprecated: 11.0, message: "Use UNNotificationRequest")
open class NSUserNotification: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: a lock protects the fields.
  private let storage: LockedBox<UserNotificationFields>

  /// The ways in which the user can respond to a notification.
  public enum ActivationType: Int, Sendable {
    /// The user did not respond.
    case none = 0
    /// The user clicked the notification.
    case contentsClicked = 1
    /// The user clicked the action button.
    case actionButtonClicked = 2
    /// The user sent a reply.
    case replied = 3
    /// The user chose one of the additional actions.
    case additionalActionClicked = 4
  }

  /// Creates a notification without properties.
  public override convenience init() { self.init(UserNotificationFields()) }

  init(_ fields: UserNotificationFields) {
    storage = LockedBox(fields)
    super.init()
  }

  var fields: UserNotificationFields {
    get { storage.withLock { $0 } }
    set { storage.withLock { $0 = newValue } }
  }

  private subscript<Value>(path: WritableKeyPath<UserNotificationFields, Value>) -> Value {
    get { storage.withLock { $0[keyPath: path] } }
    set { storage.withLock { $0[keyPath: path] = newValue } }
  }

  /// The app's identifier for the notification.
  ///
  /// Delivering another notification with the same identifier replaces this one.
  open var identifier: String? {
    get { self[\.identifier] }
    set { self[\.identifier] = newValue }
  }

  /// The title of the notification.
  open var title: String? {
    get { self[\.title] }
    set { self[\.title] = newValue }
  }

  /// The subtitle of the notification.
  open var subtitle: String? {
    get { self[\.subtitle] }
    set { self[\.subtitle] = newValue }
  }

  /// The body text of the notification.
  open var informativeText: String? {
    get { self[\.informativeText] }
    set { self[\.informativeText] = newValue }
  }

  /// The title of the action button.
  open var actionButtonTitle: String {
    get { self[\.actionButtonTitle] }
    set { self[\.actionButtonTitle] = newValue }
  }

  /// The title of the close button.
  ///
  /// The value is stored, but the desktop uses its own title.
  open var otherButtonTitle: String {
    get { self[\.otherButtonTitle] }
    set { self[\.otherButtonTitle] = newValue }
  }

  /// A Boolean value that indicates whether the notification has an action button.
  open var hasActionButton: Bool {
    get { self[\.hasActionButton] }
    set { self[\.hasActionButton] = newValue }
  }

  /// A Boolean value that indicates whether the notification has a reply button.
  open var hasReplyButton: Bool {
    get { self[\.hasReplyButton] }
    set { self[\.hasReplyButton] = newValue }
  }

  /// The placeholder text that the reply field shows while it is empty.
  open var responsePlaceholder: String? {
    get { self[\.responsePlaceholder] }
    set { self[\.responsePlaceholder] = newValue }
  }

  /// The additional actions of the notification.
  open var additionalActions: [NSUserNotificationAction]? {
    get { self[\.additionalActions] }
    set { self[\.additionalActions] = newValue }
  }

  /// The app's custom data, as property-list values.
  open var userInfo: [String: Any]? {
    get { self[\.userInfo] }
    set { self[\.userInfo] = newValue }
  }

  /// The name of one of the app's sound files, or `NSUserNotificationDefaultSoundName`; nil for no sound.
  open var soundName: String? {
    get { self[\.soundName] }
    set { self[\.soundName] = newValue }
  }

  /// An image in the notification; stored in this process, but not sent to the agent.
  open var contentImage: NSImage? {
    get { self[\.contentImage] }
    set { self[\.contentImage] = newValue }
  }

  /// The date on which the notification is delivered; an absolute time that does not depend on the device's time zone.
  open var deliveryDate: Date? {
    get { self[\.deliveryDate] }
    set { self[\.deliveryDate] = newValue }
  }

  /// The time zone that is used to calculate repetitions.
  open var deliveryTimeZone: TimeZone? {
    get { self[\.deliveryTimeZone] }
    set { self[\.deliveryTimeZone] = newValue }
  }

  /// The interval between two deliveries, at least one minute; nil if the notification is delivered only once.
  open var deliveryRepeatInterval: DateComponents? {
    get { self[\.deliveryRepeatInterval] }
    set { self[\.deliveryRepeatInterval] = newValue }
  }

  /// The date on which the notification was delivered; nil before delivery.
  open var actualDeliveryDate: Date? { self[\.actualDeliveryDate] }

  /// A Boolean value that indicates whether a banner or alert was shown.
  ///
  /// The value is false for a notification that was only added to the list because the app was in the foreground.
  open var isPresented: Bool { self[\.isPresented] }

  /// A Boolean value that indicates whether the notification was sent by a provider.
  open var isRemote: Bool { self[\.isRemote] }

  /// The user's response to the notification.
  open var activationType: ActivationType { self[\.activationType] }

  /// The text of the user's reply.
  open var response: NSAttributedString? {
    self[\.response].map { NSAttributedString(string: $0) }
  }

  /// The additional action that the user chose.
  open var additionalActivationAction: NSUserNotificationAction? {
    self[\.additionalActivationAction]
  }

  /// Returns whether the other notification has the same identifier or is a copy of this one.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSUserNotification)?.fields.agentIdentifier == fields.agentIdentifier
  }

  /// The hash value of the identifier.
  open override var hash: Int { fields.agentIdentifier.hashValue }

  /// Returns a copy that is equal to this notification.
  open func copy(with zone: NSZone? = nil) -> Any { NSUserNotification(fields) }
}
