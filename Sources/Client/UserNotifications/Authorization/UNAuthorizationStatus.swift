/// Whether an app may notify.
public enum UNAuthorizationStatus: Int, Sendable {
  /// The user has not been asked.
  case notDetermined = 0
  /// The user said no.
  case denied = 1
  /// The user said yes.
  case authorized = 2
  /// Quiet delivery without having asked.
  case provisional = 3
  /// For a limited time, for app clips; never reported on this system.
  case ephemeral = 4
}
