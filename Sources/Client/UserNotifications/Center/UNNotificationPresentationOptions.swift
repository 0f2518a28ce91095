/// What the system does with a notification that arrives while its app is in the foreground.
public struct UNNotificationPresentationOptions: OptionSet, Sendable {
  /// The bits, as on Apple's systems.
  public let rawValue: UInt

  /// A set from its bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The number on the app's icon changes.
  public static let badge = UNNotificationPresentationOptions(rawValue: 1 << 0)

  /// The sound is played.
  public static let sound = UNNotificationPresentationOptions(rawValue: 1 << 1)

  /// Both `banner` and `list`.
  @available(iOS, deprecated: 14.0, message: "Use list and banner")
  public static let alert = UNNotificationPresentationOptions(rawValue: 1 << 2)

  /// Shown in the list of delivered notifications.
  public static let list = UNNotificationPresentationOptions(rawValue: 1 << 3)

  /// Shown now.
  public static let banner = UNNotificationPresentationOptions(rawValue: 1 << 4)

  /// What a delegate without the method answers; Apple's bits end far below.
  static let unanswered = UNNotificationPresentationOptions(rawValue: 1 << 63)
}
