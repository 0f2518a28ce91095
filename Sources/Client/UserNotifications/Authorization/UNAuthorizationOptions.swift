/// What an app asks the user's permission for.
public struct UNAuthorizationOptions: OptionSet, Sendable {
  /// The bits, as on Apple's systems.
  public let rawValue: UInt

  /// A set from its bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Numbers on the app's icon.
  public static let badge = UNAuthorizationOptions(rawValue: 1 << 0)

  /// Sounds.
  public static let sound = UNAuthorizationOptions(rawValue: 1 << 1)

  /// Visible notifications.
  public static let alert = UNAuthorizationOptions(rawValue: 1 << 2)

  /// Notifications in a car; stored, this system shows none there.
  public static let carPlay = UNAuthorizationOptions(rawValue: 1 << 3)

  /// Sounds that break through mute and Focus; needs the critical-alerts entitlement.
  public static let criticalAlert = UNAuthorizationOptions(rawValue: 1 << 4)

  /// The system shows a way to the app's own notification settings.
  public static let providesAppNotificationSettings = UNAuthorizationOptions(rawValue: 1 << 5)

  /// No question: delivered quietly until the user decides.
  public static let provisional = UNAuthorizationOptions(rawValue: 1 << 6)

  /// Messages read out by an assistant; stored, this system has none.
  @available(iOS, deprecated: 15.0, message: "Announcement is always included")
  public static let announcement = UNAuthorizationOptions(rawValue: 1 << 7)

  /// Notifications that break through Focus.
  @available(iOS, deprecated: 15.0, message: "Use the time-sensitive entitlement")
  public static let timeSensitive = UNAuthorizationOptions(rawValue: 1 << 8)
}
