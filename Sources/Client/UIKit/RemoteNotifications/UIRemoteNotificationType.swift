/// The ways in which pushes may alert the user, in the API used before iOS 8.
@available(iOS, deprecated: 8.0, message: "Use UNAuthorizationOptions")
public struct UIRemoteNotificationType: OptionSet, Sendable {
  /// The raw bits of the set, as on Apple's systems.
  public let rawValue: UInt

  /// Creates a set from its bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The app may change the number on its icon.
  public static let badge = UIRemoteNotificationType(rawValue: 1 << 0)

  /// The app may play sounds.
  public static let sound = UIRemoteNotificationType(rawValue: 1 << 1)

  /// The app may show alerts.
  public static let alert = UIRemoteNotificationType(rawValue: 1 << 2)

  /// The app may download Newsstand issues; stored, but has no effect.
  public static let newsstandContentAvailability = UIRemoteNotificationType(rawValue: 1 << 3)
}
