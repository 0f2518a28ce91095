internal import CSQLite
internal import System

/// Copies of stores that may be in use.
public enum StoreBackup {
  /// Copies the store at `path`, which another process may write to, into a new file of mode 0600.
  ///
  /// The copy is of one moment, that of the first page, and no writer waits for it: SQLite's online backup reads
  /// one snapshot of the write-ahead log.
  public static func copy(store path: String, to target: String) throws(StorageFailure) {
    do throws(SystemFailure) {
      try FileSystem.write([], to: target, mode: 0o600)
    } catch {
      throw .system(error)
    }
    try copy(from: try Connection(path), to: try Connection(target, isThrowaway: true))
  }

  /// Copies all pages as they are at one moment: that of the source's transaction, where it has begun one.
  static func copy(from source: Connection, to copy: Connection) throws(StorageFailure) {
    guard let backup = unsafe sqlite3_backup_init(copy.raw, "main", source.raw, "main") else {
      throw copy.failure()
    }
    var code = SQLITE_BUSY
    for _ in 0..<Limits.backupAttempts where code == SQLITE_BUSY || code == SQLITE_LOCKED {
      // All pages in one step: the snapshot cannot change meanwhile.
      code = unsafe sqlite3_backup_step(backup, -1)
    }
    let end = unsafe sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE, end == SQLITE_OK else { throw copy.failure() }
  }

  /// A store of a gateway.
  public enum Store: String, Sendable, CaseIterable {
    /// Teams, keys, apps, devices.
    case control
    /// What waits for devices.
    case notifications

    var schema: SQLiteDatabase.Schema {
      switch self {
      case .control: ControlEngine.schema
      case .notifications: NotificationEngine.schema
      }
    }
  }

  /// Fails where the store at `path` is damaged, another program's, or of a newer release; nothing is changed in it.
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

  /// A connection without the store's schema: a copy is the same whatever the release.
  @safe final class Connection {
    private let path: String
    let raw: OpaquePointer?

    /// Opens the file; where it is thrown away unless it is whole, no crash has to be survived.
    init(_ path: String, isThrowaway: Bool = false) throws(StorageFailure) {
      self.path = path
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

    /// The first column of the first row.
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
      default: .engine(path: path, operation: "copy it", detail: detail)
      }
    }
  }
}
