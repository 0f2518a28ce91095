/// The state of a notification setting.
public enum UNNotificationSetting: Int, Sendable {
  /// The app did not request the setting, or this system does not support it.
  case notSupported = 0
  /// The app requested the setting, and the user turned it off.
  case disabled = 1
  /// The app requested the setting, and the user left it on.
  case enabled = 2
}
