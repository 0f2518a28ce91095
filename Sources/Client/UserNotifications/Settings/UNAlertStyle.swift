/// The style of an app's visible notifications.
public enum UNAlertStyle: Int, Sendable {
  /// Notifications are not shown on the screen.
  case none = 0
  /// Notifications disappear automatically, after a time that the notification server chooses.
  case banner = 1
  /// Notifications stay until the user responds to them.
  case alert = 2
}
