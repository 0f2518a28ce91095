public import System

/// An unnamed copy of a store, which disappears when the process exits for any reason.
///
/// The copy is created in two steps. The file is created with the privileges of the process that writes the backup, and
/// the content is copied with the privileges of the store's owner. The type is confined to one thread.
public final class StoreCopy {
  /// The file with the copy's content, once the store has been copied.
  public let file: RandomAccessFile
  private let connection: StoreBackup.Connection

  /// Creates an empty copy on the disk that contains the file at `path`, under a name that exists only for a moment.
  public init(beside backup: String) throws(StorageFailure) {
    let path = FileSystem.temporary(for: backup)
    do throws(SystemFailure) {
      file = try RandomAccessFile(path)
    } catch {
      throw .system(error)
    }
    // Remove the name, which SQLite does not need after it has opened the file, because this file has no journal.
    defer { try? FileSystem.remove(path) }
    connection = try StoreBackup.Connection(path, isThrowaway: true, for: backup)
  }

  /// Copies the store at `path` without blocking writers; another process can write to the store during the copy.
  ///
  /// Returns the number of notifications or of rows in one of the copy's tables, and the value of a setting, which is
  /// empty if the setting does not exist.
  @discardableResult
  public func fill(
    from path: String, counting table: StaticString, setting name: String? = nil
  ) throws(StorageFailure) -> (count: Int, setting: String) {
    let source = try StoreBackup.Connection(path)
    // Count and copy in one transaction, so that both reflect the same moment.
    try source.run("BEGIN")
    // The log of notifications also has rows of notifications that have ended, and counts the others.
    let isLog =
      try source.text("SELECT count(*) FROM pragma_table_info('progress') WHERE name = 'waiting'")
      == "1"
    let query = isLog ? "SELECT waiting FROM progress" : "SELECT count(*) FROM \(table)"
    let count = Int(try source.text(query)) ?? 0
    var setting = ""
    if let name {
      let quoted = name.replacing("'", with: "''")
      setting = try source.text(
        "SELECT coalesce((SELECT CAST(value AS TEXT) FROM setting WHERE name = '\(quoted)'), '')")
    }
    try StoreBackup.copy(from: source, to: connection)
    try source.run("COMMIT")
    return (count, setting)
  }
}
