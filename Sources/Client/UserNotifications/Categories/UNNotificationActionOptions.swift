/// The behavior of an action when the user chooses it.
public struct UNNotificationActionOptions: OptionSet, Sendable {
  /// The raw bits of the set, as on Apple's systems.
  public let rawValue: UInt

  /// Creates a set from its bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The user must unlock the device before the action is performed.
  public static let authenticationRequired = UNNotificationActionOptions(rawValue: 1 << 0)

  /// The action is shown as destructive.
  public static let destructive = UNNotificationActionOptions(rawValue: 1 << 1)

  /// The action brings the app to the foreground.
  public static let foreground = UNNotificationActionOptions(rawValue: 1 << 2)
}
