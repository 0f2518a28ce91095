internal import CRowChecksum
internal import CSQLite
internal import Glibc
internal import System

/// A connection to one SQLite file whose schema is up to date.
///
/// The type is not `Sendable`: the owner guards access to the connection.
@safe final class SQLiteDatabase {
  /// A kind of store, and the history of its schema.
  struct Schema {
    /// SQLite's `application_id`, which distinguishes this store's files from all others.
    let applicationID: Int32
    /// The scripts, one per version, in order.
    ///
    /// Released scripts never change; new scripts are only appended.
    let migrations: [StaticString]
    /// The SQL that repairs the remaining data after damaged rows were removed; empty if no repair is required.
    var afterRepair: StaticString = ""
    /// The tables whose rows have a checksum, including `set_aside`.
    var tables: [ChecksummedTable] = []
    /// The oldest version that the scripts can upgrade in place.
    ///
    /// A file with an older version must be converted before it is opened.
    var firstInPlaceVersion = 1
    /// True if pages that are no longer used can be returned to the file system, a few at a time.
    var isShrunk = false
  }

  let path: String
  private(set) var connection: OpaquePointer?

  /// The number of rows that this connection has changed.
  var changeCount: Int64 { unsafe sqlite3_total_changes64(connection) }

  /// Opens the file at `path` or, if it is missing and `mayCreate` is true, creates it with mode 0600; an empty path
  /// opens a database in memory.
  ///
  /// The connection uses WAL and `synchronous=FULL`: a commit that has returned survives a crash of the machine.
  init(path: String, schema: Schema, mayCreate: Bool = true) throws(StorageFailure) {
    self.path = path
    if !path.isEmpty, mayCreate { try Self.prepareFile(path) }
    guard path.isEmpty || !FileSystem.exists(path) || FileSystem.isRegularFile(path) else {
      throw .system(
        .unusable(text: path, reason: "it is not a regular file: move it away, or restore a copy"))
    }
    var opened: OpaquePointer?
    let flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (mayCreate ? SQLITE_OPEN_CREATE : 0)
    let code = unsafe sqlite3_open_v2(path.isEmpty ? ":memory:" : path, &opened, flags, nil)
    unsafe connection = opened
    guard code == SQLITE_OK else { throw failure("open the database", code) }
    do throws(StorageFailure) {
      try configure()
      try migrate(to: schema)
      for table in schema.tables where table.isUpdated { try execute(table.guardTrigger) }
    } catch {
      close()
      throw error
    }
  }

  private static func prepareFile(_ path: String) throws(StorageFailure) {
    do throws(SystemFailure) {
      if !FileSystem.exists(path) { try FileSystem.write([], to: path, mode: 0o600) }
    } catch {
      throw .system(error)
    }
  }

  private func configure() throws(StorageFailure) {
    unsafe sqlite3_busy_timeout(connection, Limits.busyMilliseconds)
    unsafe sqlite3_extended_result_codes(connection, 1)
    let code = unsafe belfry_row_checksum_register(connection)
    guard code == SQLITE_OK else { throw failure("add a function", code) }
    // Read the header first: another program's file must not be converted to WAL.
    _ = try integer("PRAGMA application_id")
    try execute("PRAGMA foreign_keys = ON")
    try execute("PRAGMA trusted_schema = OFF")
    // Report a page with overlapping cells as an error when it is read, not only when the file is checked.
    try execute("PRAGMA cell_size_check = ON")
    try execute("PRAGMA cache_size = -\(Limits.pageCacheKiB)")
  }

  private func migrate(to schema: Schema) throws(StorageFailure) {
    let found = Int32(truncatingIfNeeded: try integer("PRAGMA application_id"))
    let version = Int(try integer("PRAGMA user_version"))
    let objects = try integer("SELECT count(*) FROM sqlite_schema")
    let isFresh = found == 0 && version == 0 && objects == 0
    guard isFresh || found == schema.applicationID else { throw .foreign(path: path) }
    guard version <= schema.migrations.count else {
      throw .newerSchema(path: path, version: version, known: schema.migrations.count)
    }
    guard isFresh || version >= schema.firstInPlaceVersion else {
      throw .engine(
        path: path, operation: "open the store",
        detail: "schema version \(version) must be converted first")
    }
    // SQLite ignores this setting once a file has tables.
    if isFresh, schema.isShrunk { try execute("PRAGMA auto_vacuum = INCREMENTAL") }
    try execute("PRAGMA journal_mode = WAL")
    try execute("PRAGMA journal_size_limit = \(Limits.walBytesKept)")
    try execute("PRAGMA synchronous = FULL")
    assert(!schema.migrations.isEmpty, "a schema has at least one migration")
    guard version < schema.migrations.count else { return }
    if !isFresh, !path.isEmpty { try SchemaCopy.make(of: path, schema: version) }
    // Disable foreign keys, because a table that is rebuilt is dropped while rows in other tables still refer to it.
    try execute("PRAGMA foreign_keys = OFF")
    defer { try? execute("PRAGMA foreign_keys = ON") }
    try transaction { () throws(StorageFailure) in
      for script in schema.migrations.dropFirst(version) { try execute("\(script)") }
      try execute("PRAGMA application_id = \(schema.applicationID)")
      try execute("PRAGMA user_version = \(schema.migrations.count)")
    }
  }

  /// Runs statements without a result.
  func execute(_ sql: String) throws(StorageFailure) {
    errno = 0
    let code = unsafe sqlite3_exec(connection, sql, nil, nil, nil)
    // Pass `errno`, because SQLite does not record the system error that made a commit fail.
    guard code == SQLITE_OK else { throw failure(operation(sql), code, systemError: errno) }
  }

  /// Prepares a statement that is retained and run many times.
  func prepare(_ sql: StaticString) throws(StorageFailure) -> SQLiteStatement {
    try prepare(kept: "\(sql)")
  }

  /// Prepares a statement that is retained and run many times, from SQL text that is composed of constants.
  func prepare(kept sql: String) throws(StorageFailure) -> SQLiteStatement {
    var prepared: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(
      connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared = unsafe prepared else {
      throw failure(operation(sql), code)
    }
    return unsafe SQLiteStatement(prepared, in: self)
  }

  /// Prepares a statement that is run once and then discarded.
  func prepare(once sql: String) throws(StorageFailure) -> SQLiteStatement {
    var prepared: OpaquePointer?
    let code = unsafe sqlite3_prepare_v2(connection, sql, -1, &prepared, nil)
    guard code == SQLITE_OK, let prepared = unsafe prepared else {
      throw failure(operation(sql), code)
    }
    return unsafe SQLiteStatement(prepared, in: self)
  }

  /// Returns the first column of the first row, or 0 if there are no rows.
  func integer(_ sql: StaticString) throws(StorageFailure) -> Int64 {
    let statement = try prepare(sql)
    return try statement.step() ? statement.integer(0) : 0
  }

  /// Runs `body` in one transaction, which is rolled back if `body` throws.
  func transaction<Answer>(
    _ body: () throws(StorageFailure) -> Answer
  ) throws(StorageFailure) -> Answer {
    assert(!isInTransaction, "transactions are not nested")
    try execute("BEGIN IMMEDIATE")
    do throws(StorageFailure) {
      let answer = try body()
      assert(isInTransaction, "the transaction is still open")
      try execute("COMMIT")
      assert(!isInTransaction, "the transaction was committed")
      return answer
    } catch {
      // If the disk is full, SQLite has already rolled back. The statement then fails, but its failure has no
      // consequences.
      unsafe sqlite3_exec(connection, "ROLLBACK", nil, nil, nil)
      assert(!isInTransaction, "the transaction was rolled back")
      throw error
    }
  }

  private var isInTransaction: Bool { unsafe sqlite3_get_autocommit(connection) == 0 }

  /// Closes the file.
  ///
  /// If statements still exist, the file is closed when the last statement is released.
  func close() {
    unsafe sqlite3_close_v2(connection)
    unsafe connection = nil
  }

  deinit { close() }

  /// SQLITE_CONSTRAINT_FOREIGNKEY, a macro that Swift does not import.
  private static let foreignKeyViolated = SQLITE_CONSTRAINT | 3 << 8
  /// SQLITE_CONSTRAINT_TRIGGER.
  ///
  /// The only trigger is the guard of a table with checksums.
  private static let triggerRefused = SQLITE_CONSTRAINT | 7 << 8

  /// SQLite's extended codes `SQLITE_IOERR_FSYNC` and `SQLITE_IOERR_DIR_FSYNC`.
  private static let failedSyncs = [SQLITE_IOERR | 4 << 8, SQLITE_IOERR | 5 << 8]

  /// Converts SQLite's `code` to an error for the owner of the file.
  ///
  /// `systemError` is the system's last error, for cases in which SQLite might not have recorded it.
  func failure(
    _ operation: String, _ code: Int32, systemError: Int32 = 0
  ) -> StorageFailure {
    let detail = unsafe String(
      cString: connection == nil ? sqlite3_errstr(code) : sqlite3_errmsg(connection))
    switch code & 0xFF {
    case SQLITE_NOTADB: return .foreign(path: path)
    case SQLITE_FULL: return .diskFull(path: path)
    case SQLITE_BUSY, SQLITE_LOCKED: return .busy(path: path)
    case SQLITE_READONLY, SQLITE_PERM: return .readOnly(path: path)
    case SQLITE_IOERR, SQLITE_CANTOPEN:
      return inputOutput(operation, code, detail, systemError)
    case SQLITE_CORRUPT: return .corrupt(path: path, detail: detail)
    case SQLITE_CONSTRAINT where code == Self.foreignKeyViolated:
      return .missing(what: "an object that a new record belongs to")
    case SQLITE_CONSTRAINT where code == Self.triggerRefused:
      return .damagedRow(path: path, table: detail)
    case SQLITE_CONSTRAINT: return .exists(what: detail)
    case SQLITE_MISUSE where unsafe connection == nil: return .closed
    default: return .engine(path: path, operation: operation, detail: detail)
    }
  }

  private func inputOutput(
    _ operation: String, _ code: Int32, _ detail: String, _ systemError: Int32
  ) -> StorageFailure {
    let noted = unsafe sqlite3_system_errno(connection)
    switch noted == 0 ? systemError : noted {
    case EACCES, EPERM, EROFS: return .readOnly(path: path)
    // SQLite reports this as an error of the disk if a file other than the database or its log cannot grow. After a
    // failed sync, however, the file must be opened again.
    case ENOSPC where !Self.failedSyncs.contains(code),
      EDQUOT where !Self.failedSyncs.contains(code):
      return .diskFull(path: path)
    case 0: return .inputOutput(path: path, operation: operation, why: detail)
    case let number:
      return .inputOutput(path: path, operation: operation, why: SystemFailure.message(number))
    }
  }

  private func operation(_ sql: String) -> String {
    "run '\(sql.prefix(40).split(separator: "\n").first ?? "")'"
  }
}
