/// The names of the gateway's own values in the control store.
public enum ControlSetting {
  /// The code that devices enrol with; UTF-8.
  public static let enrolmentCode = "enrolment-code"
  /// The epochs of the folder: the latest start's, and the last that both databases had; decimal.
  static let epoch = "epoch"
  /// Up to which time, in milliseconds since 1970, an app's feedback was read; decimal.
  static func feedbackRead(app: UInt32) -> String { "feedback-read-\(app)" }
  /// The scripted answers; a JSON object a line.
  static let faults = "faults"
  /// The name of the authority's key that signs for devices, as an administrator rotated it last; UTF-8.
  static let authority = "authority"
  /// The names of the token keys, as an administrator rotated them last; UTF-8, with spaces.
  static let tokenKeys = "token-keys"
  /// The environment that the folder was made for; UTF-8.
  public static let environment = "environment"
}
