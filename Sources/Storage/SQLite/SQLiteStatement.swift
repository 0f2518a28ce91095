internal import CSQLite
internal import Transport

/// A prepared statement: bind the parameters (numbered from 1), step, read the columns (numbered from 0), and reset.
///
/// The type is not `Sendable`: a statement belongs to its connection.
@safe final class SQLiteStatement {
  private let statement: OpaquePointer
  private unowned let database: SQLiteDatabase

  init(_ statement: OpaquePointer, in database: SQLiteDatabase) {
    unsafe self.statement = statement
    self.database = database
  }

  func bind(_ index: Int32, _ value: Int64) throws(StorageFailure) {
    try check(unsafe sqlite3_bind_int64(statement, index, value))
  }

  /// Binds an unsigned number, which is stored as the signed number with the same bits.
  func bind(_ index: Int32, _ value: UInt64) throws(StorageFailure) {
    try bind(index, Int64(bitPattern: value))
  }

  func bind(_ index: Int32, _ value: Int64?) throws(StorageFailure) {
    guard let value else { return try bindNull(index) }
    try bind(index, value)
  }

  func bind(_ index: Int32, _ text: String) throws(StorageFailure) {
    try check(unsafe belfry_sqlite3_bind_text(statement, index, text, Int32(text.utf8.count)))
  }

  func bind(_ index: Int32, _ text: String?) throws(StorageFailure) {
    guard let text else { return try bindNull(index) }
    try bind(index, text)
  }

  func bind(_ index: Int32, _ bytes: [UInt8]) throws(StorageFailure) {
    try check(unsafe belfry_sqlite3_bind_blob(statement, index, bytes, Int32(bytes.count)))
  }

  /// Binds the value of a column in another statement's row, which can have any type.
  func bind(_ index: Int32, _ column: Int32, of row: SQLiteStatement) throws(StorageFailure) {
    row.checkColumn(column)
    try check(
      unsafe sqlite3_bind_value(statement, index, sqlite3_column_value(row.statement, column)))
  }

  /// Runs the statement with a number and some bytes as its parameters, without copying the bytes.
  func run(_ number: UInt64, _ bytes: [UInt8]) throws(StorageFailure) {
    try bind(1, number)
    let code = unsafe bytes.withUnsafeBytes { raw in
      let bound = unsafe sqlite3_bind_blob(statement, 2, raw.baseAddress, Int32(raw.count), nil)
      guard bound == SQLITE_OK else { return bound }
      let code = unsafe sqlite3_step(statement)
      // The bytes are valid only until this closure returns.
      if code == SQLITE_DONE { unsafe sqlite3_reset(statement) }
      unsafe sqlite3_bind_null(statement, 2)
      return code
    }
    assert(code != SQLITE_ROW, "the statement has no rows")
    guard code != SQLITE_DONE else { return }
    let failure = database.failure("run a statement", code)
    reset()
    throw failure
  }

  /// The number of columns in a row.
  var columnCount: Int32 { unsafe sqlite3_column_count(statement) }

  func bind(_ index: Int32, _ bytes: [UInt8]?) throws(StorageFailure) {
    guard let bytes else { return try bindNull(index) }
    try bind(index, bytes)
  }

  private func bindNull(_ index: Int32) throws(StorageFailure) {
    try check(unsafe sqlite3_bind_null(statement, index))
  }

  private func check(_ code: Int32) throws(StorageFailure) {
    assert(
      code != SQLITE_MISUSE && code != SQLITE_RANGE, "a value is bound to an existing parameter")
    guard code == SQLITE_OK else { throw database.failure("bind a value", code) }
  }

  /// Advances to the next row.
  ///
  /// Returns false at the end. After the last row or a failure, the statement can be bound again.
  func step() throws(StorageFailure) -> Bool {
    let code = unsafe sqlite3_step(statement)
    if code == SQLITE_ROW { return true }
    let failure = code == SQLITE_DONE ? nil : database.failure("run a statement", code)
    reset()
    if let failure { throw failure }
    return false
  }

  /// Runs the statement to completion.
  func run() throws(StorageFailure) {
    while try step() {}
  }

  /// Discards the remaining rows.
  func reset() { unsafe sqlite3_reset(statement) }

  func integer(_ column: Int32) -> Int64 {
    checkColumn(column)
    return unsafe sqlite3_column_int64(statement, column)
  }

  private func checkColumn(_ column: Int32) {
    assert(column >= 0, "the column index is not negative")
    assert(unsafe column < sqlite3_column_count(statement), "the row has a column \(column)")
    assert(unsafe sqlite3_data_count(statement) > 0, "the statement has a current row")
  }

  func unsigned(_ column: Int32) -> UInt64 { UInt64(bitPattern: integer(column)) }

  func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

  func bytes(_ column: Int32) -> [UInt8] {
    checkColumn(column)
    guard let start = unsafe sqlite3_column_blob(statement, column) else { return [] }
    let count = Int(unsafe sqlite3_column_bytes(statement, column))
    return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }

  func optionalBytes(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : bytes(column) }

  /// Calls `body` with the bytes of a blob, without copying them.
  @inline(__always)
  func withRecord<Answer>(
    _ column: Int32, _ body: (borrowing RecordBytes) throws(StorageFailure) -> Answer
  ) throws(StorageFailure) -> Answer {
    checkColumn(column)
    let start = unsafe sqlite3_column_blob(statement, column)
    let count = unsafe start == nil ? 0 : Int(sqlite3_column_bytes(statement, column))
    return try body(unsafe RecordBytes(UnsafeRawBufferPointer(start: start, count: count)))
  }

  /// Returns a blob of 32 bytes, or nil for any other value.
  func digest(_ column: Int32) -> SHA256.Digest? {
    guard unsafe sqlite3_column_bytes(statement, column) == 32 else { return nil }
    guard let start = unsafe sqlite3_column_blob(statement, column) else { return nil }
    return unsafe SHA256.Digest(bytes: UnsafeRawBufferPointer(start: start, count: 32))
  }

  func text(_ column: Int32) -> String {
    checkColumn(column)
    guard let start = unsafe sqlite3_column_text(statement, column) else { return "" }
    return unsafe String(cString: start)
  }

  func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  /// Returns the value of a column that has any type except REAL.
  func value(_ column: Int32) -> StoreExport.Value {
    checkColumn(column)
    return switch unsafe sqlite3_column_type(statement, column) {
    case SQLITE_NULL: .null
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_TEXT: .text(bytes(column))
    default: .data(bytes(column))
    }
  }

  func isNull(_ column: Int32) -> Bool {
    unsafe sqlite3_column_type(statement, column) == SQLITE_NULL
  }

  deinit { unsafe sqlite3_finalize(statement) }
}
