internal import CSQLite
internal import System

/// Counts what a notification store keeps, on a connection of its own that only reads, so that no commit waits for it.
///
/// The connection lasts for one count: while it is open, a store that closes, or is opened anew after a failed
/// sync, is not the file's last user, and leaves its write-ahead file as it is.
///
/// Not `Sendable`: one thread has it.
@safe public final class StoredNotificationCounter {
  private let path: String

  /// A counter of the store at `path`.
  public init(path: String) { self.path = path }

  /// The number of notifications that are kept; nil where the file cannot be read now.
  public func count() -> Int? {
    guard FileSystem.exists(path) else { return nil }
    var connection: OpaquePointer?
    // A connection that could not be opened has to be closed, too.
    defer { unsafe sqlite3_close_v2(connection) }
    guard
      unsafe sqlite3_open_v2(
        path, &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK
    else { return nil }
    unsafe sqlite3_busy_timeout(connection, Limits.busyMilliseconds)
    var statement: OpaquePointer?
    defer { unsafe sqlite3_finalize(statement) }
    guard
      unsafe sqlite3_prepare_v2(
        connection, "SELECT count(*) FROM notification", -1, &statement, nil) == SQLITE_OK,
      unsafe sqlite3_step(statement) == SQLITE_ROW
    else { return nil }
    return Int(unsafe sqlite3_column_int64(statement, 0))
  }
}
