import BelfryWire
public import PostgresStorage
import Storage
import System

/// The transfer of a stopped gateway's stores from its folder to a database.
///
/// Tokens, certificates and IDs remain valid, because the data folder, with its keys, remains the same.
public enum StoreTransfer {
  /// The files that are moved aside at the end of a transfer.
  private static let files = ["control.sqlite", "notifications.sqlite"].flatMap { name in
    ["", "-wal", "-shm", "-mark"].map { name + $0 }
  }

  /// Copies the stores in `folder` to an empty database, and connects the folder with the database.
  ///
  /// `report` is called with the name of each table and the number of its rows when the table has been copied, and from
  /// time to time before. The last argument is true when the table is complete.
  public static func run(
    from folder: GatewayFolder, to address: PostgresAddress, nowSeconds: Int64,
    report: (_ table: String, _ rows: Int, _ isComplete: Bool) -> Void
  ) throws {
    try folder.requireGateway()
    let lock = try DataFolder(folder.path)
    defer { withExtendedLifetime(lock) {} }
    if case .database(let present) = try folder.storeLocation() {
      throw AdministrationFailure(
        .conflict, "the data of \(folder.path) is already in the database \(present)",
        do: "start the gateway with --store \(present)")
    }
    let sources = [
      try StoreExport.control(path: folder.controlStoreFile),
      try StoreExport.notifications(path: folder.notificationStoreFile),
    ]
    for source in sources where try source.damagedRowCount() > 0 {
      throw AdministrationFailure(
        .conflict, "the stores in \(folder.path) have damaged rows, which cannot be copied",
        do: "see 'belfry damage list', and discard them with 'belfry damage forget'")
    }
    let target = try PostgresImport(address)
    for source in sources {
      for table in source.tables {
        let count = try target.copy(table, of: source) { report(table.name, $0, false) }
        report(table.name, count, true)
      }
    }
    let link = DatabaseLink(url: address.url)
    try target.put(setting: ControlSetting.databaseLink, Array(link.id.utf8))
    target.close()
    try link.write(to: folder)
    // From here on, the folder belongs to the database. Keep the files as a backup.
    for name in files where FileSystem.exists(folder.file(name)) {
      try FileSystem.move(folder.file(name), to: folder.file("\(name).copied-\(nowSeconds)"))
    }
  }
}
