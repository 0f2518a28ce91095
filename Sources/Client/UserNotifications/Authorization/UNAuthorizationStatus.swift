/// An app's permission to post notifications.
public enum UNAuthorizationStatus: Int, Sendable {
  /// The user has not been asked yet.
  case notDetermined = 0
  /// The user denied permission.
  case denied = 1
  /// The user granted permission.
  case authorized = 2
  /// The app may deliver notifications quietly, although it has not asked the user for permission.
  case provisional = 3
  /// The app is an App Clip and may post notifications for a limited time; never reported on this system.
  case ephemeral = 4
}
