internal import CSQLite
internal import System

/// A counter of the notifications in a store.
///
/// It uses a separate read-only connection, so that it does not block commits. The connection is open only during one
/// count. While it is open, a store that closes, or that is reopened after a failed sync, is not the last user of the
/// file and leaves the write-ahead log in place.
///
/// Not `Sendable`: it belongs to one thread.
@safe public final class StoredNotificationCounter {
  private let path: String

  /// Creates a counter for the store at `path`.
  public init(path: String) { self.path = path }

  /// Returns the number of stored notifications, or nil if the file cannot be read now.
  public func count() -> Int? {
    guard FileSystem.exists(path) else { return nil }
    var connection: OpaquePointer?
    // A connection that could not be opened must be closed, too.
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
