internal import CSQLite
internal import System

/// Operations that copy stores, which can be in use during the copy.
public enum StoreBackup {
  /// Copies the store at `path` into a new file with mode 0600; another process can write to the store during the copy.
  ///
  /// The copy reflects the store at the moment when the first page was read. The copy does not block writers, because
  /// SQLite's online backup reads one snapshot of the write-ahead log.
  public static func copy(store path: String, to target: String) throws(StorageFailure) {
    do throws(SystemFailure) {
      try FileSystem.write([], to: target, mode: 0o600)
    } catch {
      throw .system(error)
    }
    try copy(from: try Connection(path), to: try Connection(target, isThrowaway: true))
  }

  /// Copies all pages as of a single moment: the snapshot of the source's transaction, if a transaction has begun.
  static func copy(from source: Connection, to copy: Connection) throws(StorageFailure) {
    guard let backup = unsafe sqlite3_backup_init(copy.raw, "main", source.raw, "main") else {
      throw copy.failure()
    }
    var code = SQLITE_BUSY
    for _ in 0..<Limits.backupAttempts where code == SQLITE_BUSY || code == SQLITE_LOCKED {
      // Copy all pages in one step, so that the snapshot cannot change.
      code = unsafe sqlite3_backup_step(backup, -1)
    }
    let end = unsafe sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE, end == SQLITE_OK else { throw copy.failure() }
  }

  /// A store of a gateway.
  public enum Store: String, Sendable, CaseIterable {
    /// Teams, keys, apps, and devices.
    case control
    /// Notifications that are waiting for devices.
    case notifications

    var schema: SQLiteDatabase.Schema {
      switch self {
      case .control: ControlEngine.schema
      case .notifications: NotificationSchema.current
      }
    }
  }

  /// Throws if the store at `path` is damaged, belongs to another program, or was written by a newer release.
  ///
  /// The check does not change the store.
  public static func check(_ kind: Store, at path: String) throws(StorageFailure) {
    let store = try Connection(path)
    let answer = try store.text("PRAGMA quick_check(1)")
    guard answer == "ok" else { throw .corrupt(path: path, detail: answer) }
    guard try store.text("PRAGMA application_id") == "\(kind.schema.applicationID)" else {
      throw .foreign(path: path)
    }
    let version = Int(try store.text("PRAGMA user_version")) ?? 0
    guard version <= kind.schema.migrations.count else {
      throw .newerSchema(path: path, version: version, known: kind.schema.migrations.count)
    }
  }

  /// A connection that does not apply the store's schema, so that stores of every release can be copied.
  @safe final class Connection {
    private let path: String
    let raw: OpaquePointer?

    /// Opens the file.
    ///
    /// A throwaway file is discarded unless it is complete, so it does not need to survive a crash. Errors name `file`
    /// instead of a temporary file.
    init(
      _ path: String, isThrowaway: Bool = false, for file: String? = nil
    ) throws(StorageFailure) {
      self.path = file ?? path
      var opened: OpaquePointer?
      let code = unsafe sqlite3_open_v2(
        path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
      unsafe raw = opened
      guard code == SQLITE_OK else { throw failure() }
      unsafe sqlite3_busy_timeout(raw, Limits.busyMilliseconds)
      guard isThrowaway else { return }
      try run("PRAGMA journal_mode = OFF")
      try run("PRAGMA synchronous = OFF")
    }

    deinit { unsafe sqlite3_close_v2(raw) }

    func run(_ sql: String) throws(StorageFailure) {
      guard unsafe sqlite3_exec(raw, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
    }

    /// Returns the first column of the first row.
    func text(_ sql: String) throws(StorageFailure) -> String {
      var statement: OpaquePointer?
      defer { unsafe sqlite3_finalize(statement) }
      guard unsafe sqlite3_prepare_v2(raw, sql, -1, &statement, nil) == SQLITE_OK,
        unsafe sqlite3_step(statement) == SQLITE_ROW,
        let text = unsafe sqlite3_column_text(statement, 0)
      else { throw failure() }
      return unsafe String(cString: text)
    }

    func failure() -> StorageFailure {
      let detail = unsafe String(cString: sqlite3_errmsg(raw))
      return switch unsafe sqlite3_errcode(raw) & 0xFF {
      case SQLITE_FULL: .diskFull(path: path)
      case SQLITE_NOTADB: .foreign(path: path)
      case SQLITE_CORRUPT: .corrupt(path: path, detail: detail)
      case SQLITE_BUSY, SQLITE_LOCKED: .busy(path: path)
      case SQLITE_READONLY, SQLITE_PERM: .readOnly(path: path)
      default: .engine(path: path, operation: "copy the database", detail: detail)
      }
    }
  }
}
