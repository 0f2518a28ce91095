internal import CSQLite
internal import System

/// A counter of the notifications in a store.
///
/// The counter uses a separate read-only connection, so that it does not block commits. The connection is open only
/// during a count. A store that closes or reopens its file during a count is not the last user of the file, so the
/// write-ahead log remains in place.
///
/// The type is not `Sendable`: it is confined to one thread.
@safe public final class StoredNotificationCounter {
  private let path: String

  /// Creates a counter for the store at `path`.
  public init(path: String) { self.path = path }

  /// Returns the number of stored notifications, or nil if the file cannot be read now.
  public func count() -> Int? {
    guard FileSystem.exists(path) else { return nil }
    var connection: OpaquePointer?
    // The connection must be closed even if it could not be opened.
    defer { unsafe sqlite3_close_v2(connection) }
    guard
      unsafe sqlite3_open_v2(
        path, &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK
    else { return nil }
    unsafe sqlite3_busy_timeout(connection, Limits.busyMilliseconds)
    // A gateway of an earlier release might still use the file; its schema has no such column.
    return unsafe Self.number("SELECT waiting FROM progress", connection)
      ?? Self.number("SELECT count(*) FROM notification", connection)
  }

  private static func number(_ sql: String, _ connection: OpaquePointer?) -> Int? {
    var statement: OpaquePointer?
    defer { unsafe sqlite3_finalize(statement) }
    guard unsafe sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK,
      unsafe sqlite3_step(statement) == SQLITE_ROW
    else { return nil }
    return Int(unsafe sqlite3_column_int64(statement, 0))
  }
}
