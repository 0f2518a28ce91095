import PushWire
import Storage

/// The names of the gateway's own values in the control store.
public enum ControlSetting {
  /// The code, in UTF-8, that devices enroll with.
  public static let enrollmentCode = "enrolment-code"
  /// The folder's epochs, in decimal: the epoch of the latest start, and the last epoch that both databases shared.
  static let epoch = "epoch"
  /// Returns the name of the setting that contains the time up to which an app's feedback was read, as a decimal number
  /// of milliseconds since 1970.
  static func feedbackRead(app: UInt32) -> String { "feedback-read-\(app)" }
  /// The scripted answers, as one JSON object per line.
  static let faults = "faults"
  /// The use counts of scripted answers that have a limit, as one JSON object per line.
  static let faultUses = "fault-uses"
  /// The key name, in UTF-8, of the authority that signs device certificates, stored at an administrator's last
  /// rotation.
  static let authority = "authority"
  /// The names of the token keys, in UTF-8 and separated by spaces, stored at an administrator's last rotation.
  static let tokenKeys = "token-keys"
  /// The identifier, in UTF-8, that a database shares with its data folder.
  static let databaseLink = "database-link"
  /// A value that exists if the database belongs to a cluster, whose keys are in the database and not in a data folder.
  static let cluster = "cluster"
  /// The number, in decimal, of the cell whose devices the tokens name; missing for cell 0.
  static let cell = "cell"
  /// The environment, in UTF-8, that the folder was created for.
  public static let environment = "environment"

  /// Returns the number of the cell whose devices the tokens name.
  static func cell(in store: any ControlStore) throws(StorageFailure) -> UInt16 {
    guard let value = try store.setting(cell) else { return 0 }
    guard let number = UInt16(String(decoding: value, as: UTF8.self)),
      number <= TokenContents.cellMax
    else { throw .corrupt(path: "setting", detail: "the number of the cell is invalid") }
    return number
  }
}
