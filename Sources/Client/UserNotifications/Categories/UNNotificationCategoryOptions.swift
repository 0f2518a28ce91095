/// The behavior of a category's notifications.
public struct UNNotificationCategoryOptions: OptionSet, Sendable {
  /// The raw bits of the set, as on Apple's systems.
  public let rawValue: UInt

  /// Creates a set from its bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The app receives a response when the user dismisses a notification.
  public static let customDismissAction = UNNotificationCategoryOptions(rawValue: 1 << 0)

  /// Notifications are also shown in a car.
  ///
  /// The option is stored, but has no effect on this system.
  public static let allowInCarPlay = UNNotificationCategoryOptions(rawValue: 1 << 1)

  /// The title is shown even if previews are hidden.
  public static let hiddenPreviewsShowTitle = UNNotificationCategoryOptions(rawValue: 1 << 2)

  /// The subtitle is shown even if previews are hidden.
  public static let hiddenPreviewsShowSubtitle = UNNotificationCategoryOptions(rawValue: 1 << 3)

  /// Notifications may be read aloud.
  ///
  /// The option is stored, but this system does not read notifications aloud.
  @available(iOS, deprecated: 15.0, message: "Announcement is always allowed")
  public static let allowAnnouncement = UNNotificationCategoryOptions(rawValue: 1 << 4)
}
