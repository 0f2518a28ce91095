/// The names of the gateway's own values in the control store.
public enum ControlSetting {
  /// The code that devices enrol with; UTF-8.
  public static let enrolmentCode = "enrolment-code"
  /// The environment that the folder was made for; UTF-8.
  public static let environment = "environment"
}
