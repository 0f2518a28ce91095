internal import CSQLite
internal import System

/// Counts what a notification store keeps, on a connection of its own that only reads, so that no commit waits for it.
///
/// Not `Sendable`: one thread has it.
@safe public final class StoredNotificationCounter {
  private let path: String
  private var connection: OpaquePointer?
  private var statement: OpaquePointer?

  /// A counter of the store at `path`, which is opened with the first count.
  public init(path: String) { self.path = path }

  deinit { close() }

  /// The number of notifications that are kept; nil where the file cannot be read now.
  public func count() -> Int? {
    if unsafe statement == nil, !open() {
      close()
      return nil
    }
    defer { unsafe sqlite3_reset(statement) }
    guard unsafe sqlite3_step(statement) == SQLITE_ROW else {
      // The file may be another one by now.
      close()
      return nil
    }
    return Int(unsafe sqlite3_column_int64(statement, 0))
  }

  private func open() -> Bool {
    assert(unsafe connection == nil, "a store is opened once")
    guard FileSystem.exists(path),
      unsafe sqlite3_open_v2(
        path, &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK
    else { return false }
    unsafe sqlite3_busy_timeout(connection, Limits.busyMilliseconds)
    return unsafe sqlite3_prepare_v2(
      connection, "SELECT count(*) FROM notification", -1, &statement, nil) == SQLITE_OK
  }

  private func close() {
    unsafe sqlite3_finalize(statement)
    unsafe statement = nil
    unsafe sqlite3_close_v2(connection)
    unsafe connection = nil
  }
}
