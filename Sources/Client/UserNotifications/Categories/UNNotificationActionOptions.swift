/// How an action behaves when it is chosen.
public struct UNNotificationActionOptions: OptionSet, Sendable {
  /// The bits, as on Apple's systems.
  public let rawValue: UInt

  /// A set from its bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The device is unlocked first.
  public static let authenticationRequired = UNNotificationActionOptions(rawValue: 1 << 0)

  /// Shown as one that destroys something.
  public static let destructive = UNNotificationActionOptions(rawValue: 1 << 1)

  /// Brings the app to the foreground.
  public static let foreground = UNNotificationActionOptions(rawValue: 1 << 2)
}
