/// How an app's visible notifications look.
public enum UNAlertStyle: Int, Sendable {
  /// They are not shown.
  case none = 0
  /// They go away by themselves.
  case banner = 1
  /// They stay until they are answered.
  case alert = 2
}
