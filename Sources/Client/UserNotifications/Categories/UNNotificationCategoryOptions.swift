/// How the notifications of a category behave.
public struct UNNotificationCategoryOptions: OptionSet, Sendable {
  /// The bits, as on Apple's systems.
  public let rawValue: UInt

  /// A set from its bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The app receives a response when the user dismisses one.
  public static let customDismissAction = UNNotificationCategoryOptions(rawValue: 1 << 0)

  /// Also shown in a car; stored, this system shows none there.
  public static let allowInCarPlay = UNNotificationCategoryOptions(rawValue: 1 << 1)

  /// The title is shown even where previews are hidden.
  public static let hiddenPreviewsShowTitle = UNNotificationCategoryOptions(rawValue: 1 << 2)

  /// The subtitle is shown even where previews are hidden.
  public static let hiddenPreviewsShowSubtitle = UNNotificationCategoryOptions(rawValue: 1 << 3)

  /// May be read out; stored, this system reads none.
  @available(iOS, deprecated: 15.0, message: "Announcement is always allowed")
  public static let allowAnnouncement = UNNotificationCategoryOptions(rawValue: 1 << 4)
}
