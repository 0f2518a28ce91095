/// The conditions under which the text of a notification is shown.
public enum UNShowPreviewsSetting: Int, Sendable {
  /// The text is shown even while the device is locked.
  case always = 0
  /// The text is shown only while the device is unlocked.
  case whenAuthenticated = 1
  /// The text is never shown.
  case never = 2
}
