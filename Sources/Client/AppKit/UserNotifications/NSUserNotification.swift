import BelfryClient
public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The system's sound, as a notification's `soundName`.
@available(macOS, deprecated: 11.0, message: "Use UNNotificationSound.default")
public let NSUserNotificationDefaultSoundName: String = "DefaultSoundName"

/// A notification of a Mac app, in the form before macOS 11.
///
/// On Apple's systems it is part of Foundation; on this one `AppKit` or `Cocoa` brings it.
///
/// It may be used from any thread. The agent stores it like every other notification.
@available(macOS, deprecated: 11.0, message: "Use UNNotificationRequest")
open class NSUserNotification: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: the fields are behind a lock.
  private let storage: LockedBox<UserNotificationFields>

  /// How the user answered it.
  public enum ActivationType: Int, Sendable {
    /// Not at all.
    case none = 0
    /// By clicking it.
    case contentsClicked = 1
    /// By its button.
    case actionButtonClicked = 2
    /// By a reply.
    case replied = 3
    /// By one of its further actions.
    case additionalActionClicked = 4
  }

  /// A notification without properties.
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

  /// The app's name for it: one of the same name replaces it.
  open var identifier: String? {
    get { self[\.identifier] }
    set { self[\.identifier] = newValue }
  }

  /// The first line.
  open var title: String? {
    get { self[\.title] }
    set { self[\.title] = newValue }
  }

  /// The second line.
  open var subtitle: String? {
    get { self[\.subtitle] }
    set { self[\.subtitle] = newValue }
  }

  /// The text.
  open var informativeText: String? {
    get { self[\.informativeText] }
    set { self[\.informativeText] = newValue }
  }

  /// The text of the button.
  open var actionButtonTitle: String {
    get { self[\.actionButtonTitle] }
    set { self[\.actionButtonTitle] = newValue }
  }

  /// The text of the button that closes it; stored, the desktop brings its own.
  open var otherButtonTitle: String {
    get { self[\.otherButtonTitle] }
    set { self[\.otherButtonTitle] = newValue }
  }

  /// Whether it has a button.
  open var hasActionButton: Bool {
    get { self[\.hasActionButton] }
    set { self[\.hasActionButton] = newValue }
  }

  /// Whether it takes a reply.
  open var hasReplyButton: Bool {
    get { self[\.hasReplyButton] }
    set { self[\.hasReplyButton] = newValue }
  }

  /// The placeholder of the empty reply field.
  open var responsePlaceholder: String? {
    get { self[\.responsePlaceholder] }
    set { self[\.responsePlaceholder] = newValue }
  }

  /// Further actions.
  open var additionalActions: [NSUserNotificationAction]? {
    get { self[\.additionalActions] }
    set { self[\.additionalActions] = newValue }
  }

  /// The app's own data: property-list values.
  open var userInfo: [String: Any]? {
    get { self[\.userInfo] }
    set { self[\.userInfo] = newValue }
  }

  /// A sound file of the app, or `NSUserNotificationDefaultSoundName`; nil for silence.
  open var soundName: String? {
    get { self[\.soundName] }
    set { self[\.soundName] = newValue }
  }

  /// A picture; stored in this process.
  open var contentImage: NSImage? {
    get { self[\.contentImage] }
    set { self[\.contentImage] = newValue }
  }

  /// When it is delivered: an instant, wherever the device is.
  open var deliveryDate: Date? {
    get { self[\.deliveryDate] }
    set { self[\.deliveryDate] = newValue }
  }

  /// The zone in which the repetition is reckoned.
  open var deliveryTimeZone: TimeZone? {
    get { self[\.deliveryTimeZone] }
    set { self[\.deliveryTimeZone] = newValue }
  }

  /// What is added to the date for the next delivery, and the next: at least a minute.
  open var deliveryRepeatInterval: DateComponents? {
    get { self[\.deliveryRepeatInterval] }
    set { self[\.deliveryRepeatInterval] = newValue }
  }

  /// When it was delivered; nil before.
  open var actualDeliveryDate: Date? { self[\.actualDeliveryDate] }

  /// Whether a banner or an alert was shown for it; false for one that only went to the list because the app
  /// was in front.
  open var isPresented: Bool { self[\.isPresented] }

  /// Whether it came from a provider.
  open var isRemote: Bool { self[\.isRemote] }

  /// How the user answered it.
  open var activationType: ActivationType { self[\.activationType] }

  /// What the user replied.
  open var response: NSAttributedString? {
    self[\.response].map { NSAttributedString(string: $0) }
  }

  /// Which further action the user chose.
  open var additionalActivationAction: NSUserNotificationAction? {
    self[\.additionalActivationAction]
  }

  /// Whether the other notification is the same one: by the app's name for it, or a copy.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSUserNotification)?.fields.agentIdentifier == fields.agentIdentifier
  }

  /// The hash of what it is known by.
  open override var hash: Int { fields.agentIdentifier.hashValue }

  /// A copy, which counts as the same notification.
  open func copy(with zone: NSZone? = nil) -> Any { NSUserNotification(fields) }
}
