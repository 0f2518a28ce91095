import PostgresStorage

/// The essential parts of a gateway's folder.
///
/// The first start creates them; later starts report any that are lost.
enum FolderPart: CaseIterable {
  case controlStore
  case notificationStore
  case authority
  case tokenKeys
  /// The link to the database that contains the stores.
  case databaseLink

  /// The parts of a folder whose stores are in this place.
  static func parts(storesIn location: StoreLocation) -> [FolderPart] {
    switch location {
    case .folder: parts(isOfDatabase: false)
    case .database: parts(isOfDatabase: true)
    }
  }

  /// Returns the parts of a folder whose stores are files, or are in a database.
  static func parts(isOfDatabase: Bool) -> [FolderPart] {
    (isOfDatabase ? [.databaseLink] : [.controlStore, .notificationStore])
      + [.authority, .tokenKeys]
  }

  /// The files that must exist and must not be empty.
  var files: [String] {
    switch self {
    case .controlStore: ["control.sqlite"]
    case .notificationStore: ["notifications.sqlite"]
    case .authority: ["ca-key.pem", "ca.pem"]
    case .tokenKeys: ["token-keys"]
    case .databaseLink: [DatabaseLink.file]
    }
  }

  /// The files that belong to the part.
  var allFiles: [String] {
    switch self {
    case .controlStore, .notificationStore:
      files.flatMap { name in ["", "-wal", "-shm", "-mark"].map { name + $0 } }
    case .authority, .tokenKeys, .databaseLink: files
    }
  }

  /// A description of the data that is lost with the part.
  var loss: String {
    switch self {
    case .controlStore:
      "teams, provider keys, certificates, apps, channels, devices and registrations: providers need "
        + "new keys, devices enroll again with the new code, apps get new tokens"
    case .notificationStore:
      "accepted notifications that have not been delivered yet"
    case .authority:
      "the trust of all clients: clients need the new ca.pem, devices enroll again, providers need new "
        + "certificates"
    case .databaseLink: "the check that the database belongs to this folder"
    case .tokenKeys:
      "every device token: providers get BadDeviceToken, and apps get new tokens when they "
        + "register again"
    }
  }
}
