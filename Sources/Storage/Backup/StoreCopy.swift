public import System

/// A copy of a store that has no name, so that it is gone with the process, however that ends.
///
/// It is made in two steps: the place first, with the rights of who keeps the backup, then the content, with the
/// rights of the store's owner. Confined to one thread.
public final class StoreCopy {
  /// The copy's content, once it is filled.
  public let file: RandomAccessFile
  private let connection: StoreBackup.Connection

  /// Makes an empty copy on the disk of the file at `path`, under a name that it has for a moment only.
  public init(beside path: String) throws(StorageFailure) {
    let path = FileSystem.temporary(for: path)
    do throws(SystemFailure) {
      file = try RandomAccessFile(path)
    } catch {
      throw .system(error)
    }
    // SQLite opens the file here, and needs no name afterwards: it keeps no journal of this one.
    defer { try? FileSystem.remove(path) }
    connection = try StoreBackup.Connection(path, isThrowaway: true)
  }

  /// Copies the store at `path`, which another process may write to; no writer waits for it.
  ///
  /// Returns the number of rows that a table has in the copy, and a setting's text, empty if it is not set.
  @discardableResult
  public func fill(
    from path: String, counting table: StaticString, setting name: String? = nil
  ) throws(StorageFailure) -> (count: Int, setting: String) {
    let source = try StoreBackup.Connection(path)
    // Count and copy in one transaction, so that both are of one moment.
    try source.run("BEGIN")
    let count = Int(try source.text("SELECT count(*) FROM \(table)")) ?? 0
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
