/// The ways in which the system presents a notification that arrives while its app is in the foreground.
public struct UNNotificationPresentationOptions: OptionSet, Sendable {
  /// The raw bits of the set, as on Apple's systems.
  public let rawValue: UInt

  /// Creates a set from its bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The number on the app's icon is updated.
  public static let badge = UNNotificationPresentationOptions(rawValue: 1 << 0)

  /// The notification's sound is played.
  public static let sound = UNNotificationPresentationOptions(rawValue: 1 << 1)

  /// The same as `banner` and `list` together.
  @available(iOS, deprecated: 14.0, message: "Use list and banner")
  public static let alert = UNNotificationPresentationOptions(rawValue: 1 << 2)

  /// The notification is shown in the list of delivered notifications.
  public static let list = UNNotificationPresentationOptions(rawValue: 1 << 3)

  /// The notification is shown as a banner.
  public static let banner = UNNotificationPresentationOptions(rawValue: 1 << 4)

  /// A placeholder reply, which means that the delegate does not implement the presentation method.
  ///
  /// The value is the highest bit, which Apple does not use.
  static let unanswered = UNNotificationPresentationOptions(rawValue: 1 << 63)
}
