/// The kinds of interactions for which an app requests the user's permission.
public struct UNAuthorizationOptions: OptionSet, Sendable {
  /// The raw bits of the set, as on Apple's systems.
  public let rawValue: UInt

  /// Creates a set from its bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The app may show a number on its icon.
  public static let badge = UNAuthorizationOptions(rawValue: 1 << 0)

  /// The app may play sounds.
  public static let sound = UNAuthorizationOptions(rawValue: 1 << 1)

  /// The app may show alerts.
  public static let alert = UNAuthorizationOptions(rawValue: 1 << 2)

  /// The app may show notifications in a car.
  ///
  /// The option is stored, but has no effect on this system.
  public static let carPlay = UNAuthorizationOptions(rawValue: 1 << 3)

  /// The app may play sounds that ignore mute and Focus; requires the critical-alerts entitlement.
  public static let criticalAlert = UNAuthorizationOptions(rawValue: 1 << 4)

  /// The system offers a link to the app's own notification settings.
  public static let providesAppNotificationSettings = UNAuthorizationOptions(rawValue: 1 << 5)

  /// The app receives permission without a prompt: notifications are delivered quietly until the user decides.
  public static let provisional = UNAuthorizationOptions(rawValue: 1 << 6)

  /// An assistant may read messages aloud.
  ///
  /// The option is stored, but this system has no assistant.
  @available(iOS, deprecated: 15.0, message: "Announcement is always included")
  public static let announcement = UNAuthorizationOptions(rawValue: 1 << 7)

  /// The app may show notifications that break through Focus.
  @available(iOS, deprecated: 15.0, message: "Use the time-sensitive entitlement")
  public static let timeSensitive = UNAuthorizationOptions(rawValue: 1 << 8)
}
