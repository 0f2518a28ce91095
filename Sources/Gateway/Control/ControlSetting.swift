/// The names of the gateway's own values in the control store.
public enum ControlSetting {
  /// The code that devices enroll with; UTF-8.
  public static let enrollmentCode = "enrolment-code"
  /// The folder's epochs: the epoch of the latest start, and the last epoch that both databases shared; decimal.
  static let epoch = "epoch"
  /// Returns the name of the setting that contains the time up to which an app's feedback was read, in milliseconds
  /// since 1970; decimal.
  static func feedbackRead(app: UInt32) -> String { "feedback-read-\(app)" }
  /// The scripted answers; one JSON object per line.
  static let faults = "faults"
  /// The use counts of scripted answers that have a limit; one JSON object per line.
  static let faultUses = "fault-uses"
  /// The name of the key of the authority that signs device certificates, as of an administrator's last rotation;
  /// UTF-8.
  static let authority = "authority"
  /// The names of the token keys as of an administrator's last rotation; UTF-8, separated by spaces.
  static let tokenKeys = "token-keys"
  /// The environment that the folder was created for; UTF-8.
  public static let environment = "environment"
}
