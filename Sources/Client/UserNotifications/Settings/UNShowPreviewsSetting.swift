/// When a notification's text may be seen.
public enum UNShowPreviewsSetting: Int, Sendable {
  /// Also while the device is locked.
  case always = 0
  /// While the device is unlocked.
  case whenAuthenticated = 1
  /// Never.
  case never = 2
}
