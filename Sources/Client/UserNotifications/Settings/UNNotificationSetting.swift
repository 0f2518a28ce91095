/// One switch of an app's notification settings.
public enum UNNotificationSetting: Int, Sendable {
  /// The app did not ask for it, or this system lacks it.
  case notSupported = 0
  /// Off.
  case disabled = 1
  /// On.
  case enabled = 2
}
