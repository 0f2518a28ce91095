import CRowChecksum
import CSQLite
import Foundation
import PushWire
import Storage

/// The schema before the log, with the statements that the store used: fourteen columns with a checksum, two indexes,
/// and the removal of the former notification of a key in each commit.
@safe final class FormerStore: MeasuredStore {
  struct Failure: Error { let code: Int32 }

  private var connection: OpaquePointer?
  private var insert: OpaquePointer?
  private var trim: OpaquePointer?
  private var advance: OpaquePointer?
  /// The sum of what the store reports about removed rows.
  private(set) var checksum: Int64 = 0

  init(path: String) throws {
    try check(
      unsafe sqlite3_open_v2(
        path, &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil))
    try check(unsafe belfry_row_checksum_register(connection))
    try run(
      """
      PRAGMA cell_size_check = ON; PRAGMA cache_size = -32768; PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      CREATE TABLE notification (
        sequence INTEGER PRIMARY KEY, device INTEGER NOT NULL, app INTEGER NOT NULL,
        kind INTEGER NOT NULL, id_high INTEGER NOT NULL, id_low INTEGER NOT NULL,
        unique_high INTEGER NOT NULL, unique_low INTEGER NOT NULL, expiration INTEGER NOT NULL,
        priority INTEGER NOT NULL, push_type INTEGER NOT NULL, accepted INTEGER NOT NULL,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(8, device, app, kind, sequence, id_high, id_low, unique_high,
          unique_low, expiration, priority, push_type, accepted, collapse, payload)
        ) STORED,
        collapse BLOB NOT NULL, payload BLOB NOT NULL
      ) STRICT;
      CREATE INDEX notification_by_key ON notification (device, app, kind);
      CREATE INDEX notification_by_expiration ON notification (expiration);
      CREATE TABLE progress (
        highest INTEGER NOT NULL, epoch INTEGER NOT NULL DEFAULT 0,
        stored INTEGER NOT NULL DEFAULT 0,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(0, highest, epoch, stored)
        ) STORED
      ) STRICT;
      INSERT INTO progress (highest) VALUES (0);
      """)
    insert = try prepare(
      """
      INSERT INTO notification (
        device, app, kind, sequence, id_high, id_low, unique_high, unique_low, expiration,
        priority, push_type, accepted, collapse, payload
      ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
      ON CONFLICT DO NOTHING
      """)
    trim = try prepare(
      """
      DELETE FROM notification WHERE device = ?1 AND app = ?2 AND kind = ?3 AND sequence <= (
        SELECT sequence FROM notification WHERE device = ?1 AND app = ?2 AND kind = ?3
        ORDER BY sequence DESC LIMIT 1 OFFSET ?4
      ) RETURNING device, app, kind, sequence, id_high, id_low, unique_high, unique_low, checksum,
        push_type >= 256
      """)
    advance = try prepare("UPDATE progress SET highest = max(highest, ?1), stored = stored + ?2")
  }

  func perform(_ operations: [StoreOperation]) throws {
    try run("BEGIN IMMEDIATE")
    var highest: Int64 = 0
    for case .put(let row, let keep) in operations {
      highest = max(highest, Int64(row.sequence))
      try bind(row.key, insert)
      let numbers: [Int64] = [
        Int64(row.sequence), Int64(bitPattern: row.id.high), Int64(bitPattern: row.id.low),
        Int64(bitPattern: row.uniqueID.high), Int64(bitPattern: row.uniqueID.low), row.expiration,
        Int64(row.priority), Int64(row.pushType), row.acceptedMilliseconds,
      ]
      for (index, number) in numbers.enumerated() {
        try check(unsafe sqlite3_bind_int64(insert, Int32(index) + 4, number))
      }
      try check(unsafe belfry_sqlite3_bind_blob(insert, 13, row.collapseID, 0))
      try check(unsafe belfry_sqlite3_bind_blob(insert, 14, row.payload, Int32(row.payload.count)))
      try finish(insert)
      try bind(row.key, trim)
      try check(unsafe sqlite3_bind_int64(trim, 4, Int64(keep)))
      try finish(trim)
    }
    try check(unsafe sqlite3_bind_int64(advance, 1, highest))
    try check(unsafe sqlite3_bind_int64(advance, 2, Int64(operations.count)))
    try finish(advance)
    try run("COMMIT")
  }

  private func bind(_ key: NotificationKey, _ statement: OpaquePointer?) throws {
    try check(unsafe sqlite3_bind_int64(statement, 1, Int64(bitPattern: key.device)))
    try check(unsafe sqlite3_bind_int64(statement, 2, Int64(key.app)))
    try check(unsafe sqlite3_bind_int64(statement, 3, Int64(key.kind)))
  }

  private func finish(_ statement: OpaquePointer?) throws {
    while true {
      let code = unsafe sqlite3_step(statement)
      guard code == SQLITE_ROW else {
        unsafe sqlite3_reset(statement)
        guard code == SQLITE_DONE else { throw Failure(code: code) }
        return
      }
      for column in Int32(0)..<10 { checksum &+= unsafe sqlite3_column_int64(statement, column) }
    }
  }

  private func prepare(_ sql: String) throws -> OpaquePointer? {
    var statement: OpaquePointer?
    try check(
      unsafe sqlite3_prepare_v3(
        connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
    return unsafe statement
  }

  private func run(_ sql: String) throws {
    try check(unsafe sqlite3_exec(connection, sql, nil, nil, nil))
  }

  private func check(_ code: Int32) throws {
    guard code == SQLITE_OK else { throw Failure(code: code) }
  }

  deinit {
    for statement in unsafe [insert, trim, advance] { unsafe sqlite3_finalize(statement) }
    unsafe sqlite3_close_v2(connection)
  }
}
