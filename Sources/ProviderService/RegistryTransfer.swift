public import PostgresStorage
internal import Storage
internal import System

/// The transfer of a stopped provider's registry and campaigns from its folder to a database.
///
/// Tokens remain valid, because the data folder, with the key that seals them, remains the same.
public enum RegistryTransfer {
  /// The files that are moved aside at the end of a transfer.
  private static let files = ["", "-wal", "-shm"].map { ProviderFolder.registryFile + $0 }

  /// Copies the registry in the folder at `path` to a database without a registry, and connects the folder with the
  /// database.
  ///
  /// `report` is called with the name of each table and the number of its rows when the table has been copied, and from
  /// time to time before. The last argument is true when the table is complete. A transfer that failed can be repeated
  /// with the same database.
  public static func run(
    from path: String, to address: PostgresAddress, nowSeconds: Int64,
    report: (_ table: String, _ rows: Int, _ isComplete: Bool) -> Void
  ) throws {
    let folder = try DataFolder(path)
    defer { withExtendedLifetime(folder) {} }
    if let present = try ProviderFolder.link(of: folder) {
      throw ProviderFolder.Failure.notCopied(
        "the data of \(folder.path) is already in the database \(present.url)",
        remedy: "start the provider with --store \(present.url)")
    }
    let link = ProviderFolder.link(to: address, try sealer(of: folder))
    // The file is closed when this call returns, so SQLite has copied everything from the write-ahead log to it.
    try copy(folder.file(ProviderFolder.registryFile), to: address, link.id, report: report)
    try FileSystem.write(link.contents, to: folder.file(DatabaseLink.file), mode: 0o600)
    // From here on, the folder belongs to the database. Keep the files as a backup.
    for name in files where FileSystem.exists(folder.file(name)) {
      try FileSystem.move(folder.file(name), to: folder.file("\(name).copied-\(nowSeconds)"))
    }
  }

  /// Returns the sealer with the key of the stored tokens.
  private static func sealer(of folder: DataFolder) throws -> TokenSealer {
    let registry = folder.file(ProviderFolder.registryFile)
    let key = folder.file("token-key")
    for file in [registry, key] where !FileSystem.exists(file) {
      throw ProviderFolder.Failure.notCopied(
        "\(file) is missing", remedy: "restore it from a backup of the data folder")
    }
    let sealer = try TokenSealer(keyFile: key)
    let store = try SQLiteRegistryStore(path: registry)
    defer { store.close() }
    guard try store.isSealed(by: sealer) else { throw TokenSealer.Failure.otherKey(path: key) }
    return sealer
  }

  private static func copy(
    _ file: String, to address: PostgresAddress, _ folderID: String,
    report: (_ table: String, _ rows: Int, _ isComplete: Bool) -> Void
  ) throws {
    let source = try StoreExport.registry(path: file)
    guard try source.damagedRowCount() == 0 else {
      // Without the rows, a database does not know which campaigns could send pushes twice.
      throw ProviderFolder.Failure.notCopied(
        "\(file) has damaged rows, which cannot be copied",
        remedy:
          "restore a backup, or cancel the campaigns that are not complete, and delete the rows of the table set_aside"
      )
    }
    let target = try PostgresImport(registryOf: folderID, in: address)
    defer { target.close() }
    for table in source.tables {
      let count = try target.copy(table, of: source) { report(table.name, $0, false) }
      assert(count >= 0, "a number of rows is never negative")
      report(table.name, count, true)
    }
    try target.finishRegistry(from: source)
  }
}
