/// What pushes may do, in the form before iOS 8.
@available(iOS, deprecated: 8.0, message: "Use UNAuthorizationOptions")
public struct UIRemoteNotificationType: OptionSet, Sendable {
  /// The bits, as on Apple's systems.
  public let rawValue: UInt

  /// A set from its bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The number on the icon.
  public static let badge = UIRemoteNotificationType(rawValue: 1 << 0)

  /// Sounds.
  public static let sound = UIRemoteNotificationType(rawValue: 1 << 1)

  /// Visible notifications.
  public static let alert = UIRemoteNotificationType(rawValue: 1 << 2)

  /// New issues to download; stored, without effect.
  public static let newsstandContentAvailability = UIRemoteNotificationType(rawValue: 1 << 3)
}
