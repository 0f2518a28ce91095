/// The state of a notification setting.
public enum UNNotificationSetting: Int, Sendable {
  /// The app did not request the setting, or this system does not support it.
  case notSupported = 0
  /// The setting is off.
  case disabled = 1
  /// The setting is on.
  case enabled = 2
}
