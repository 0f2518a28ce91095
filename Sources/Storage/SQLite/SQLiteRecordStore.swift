internal import System

/// Small records by collection and key in one SQLite file: what a device's agent keeps.
///
/// Confined to one thread. A commit is durable when it returns.
public final class SQLiteRecordStore {
  /// A change to keep; those of one commit are kept together or not at all.
  public enum Change: Sendable, Hashable {
    /// Adds a record, or replaces the one with this key.
    case put(collection: String, key: String, value: [UInt8])
    /// Forgets a record; nothing where there is none.
    case remove(collection: String, key: String)
  }

  /// A kept record.
  public struct Record: Sendable, Hashable {
    /// Distinct within its collection.
    public let key: String
    /// As it was put.
    public let value: [UInt8]
  }

  static let schema = SQLiteDatabase.Schema(
    applicationID: 0x4246_5241,  // "BFRA"
    migrations: [
      """
      CREATE TABLE record (
        collection TEXT NOT NULL,
        key TEXT NOT NULL,
        value BLOB NOT NULL,
        PRIMARY KEY (collection, key)
      ) WITHOUT ROWID;
      """,
      // Checksums of rows, and a place for those that fail.
      """
      CREATE TABLE new_record (
        collection TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(2, collection, key, value)
        ) STORED,
        PRIMARY KEY (collection, key)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO new_record (collection, key, value)
        SELECT collection, key, value
        FROM record;
      DROP TABLE record;
      ALTER TABLE new_record RENAME TO record;
      CREATE TABLE set_aside (
        number INTEGER PRIMARY KEY, source TEXT NOT NULL, key TEXT, content TEXT NOT NULL,
        found INTEGER NOT NULL,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(1, number, source, key, content, found)
        ) STORED
      ) STRICT;
      """,
    ], tables: [rows, .setAside])

  private static let rows = ChecksummedTable(
    name: "record", key: ["collection", "key"], rest: ["value"], isUpdated: true)

  private let database: SQLiteDatabase
  /// The rows that were set aside.
  public let damage = StoreDamage()
  private let put: SQLiteStatement
  private let remove: SQLiteStatement
  private let select: SQLiteStatement
  private let find: SQLiteStatement

  /// Opens the file of mode 0600, and makes it where there is none.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - survivesPowerCut: Whether a commit waits for the disk; without, it is safe from the
  ///     program's end alone.
  /// - Throws: When the file cannot be used.
  public init(path: String, survivesPowerCut: Bool = true) throws(StorageFailure) {
    database = try SQLiteDatabase(path: path, schema: Self.schema)
    if !survivesPowerCut { try database.execute("PRAGMA synchronous = NORMAL") }
    put = try database.prepare(
      """
      INSERT INTO record (collection, key, value) VALUES (?1, ?2, ?3)
      ON CONFLICT (collection, key) DO UPDATE SET value = excluded.value
      """)
    remove = try database.prepare("DELETE FROM record WHERE collection = ?1 AND key = ?2")
    select = try database.prepare(
      kept: "SELECT key, value, \(Self.rows.isWhole) FROM record WHERE collection = ?1 ORDER BY key"
    )
    find = try database.prepare(
      kept: "SELECT value, \(Self.rows.isWhole) FROM record WHERE collection = ?1 AND key = ?2")
    try noteDamage()
  }

  /// Finds damage in the file at `path`, and gives it a new file without what cannot be read.
  public static func inspect(path: String) throws(StorageFailure) -> StoreInspection {
    try StoreInspection.inspect(path: path, schema: schema)
  }

  /// The rows that are set aside, as people inspect them.
  public func rowsSetAside() throws(StorageFailure) -> [SetAsideRow] {
    try database.listSetAside()
  }

  /// Forgets the rows that were set aside; the number of those that there were.
  public func forgetSetAside() throws(StorageFailure) -> Int {
    let count = damage.count
    try database.forgetSetAside()
    try noteDamage()
    return count
  }

  private func noteDamage() throws(StorageFailure) {
    damage.replace(with: try database.rowsSetAside())
  }

  private func setAsideDamage() throws(StorageFailure) {
    try database.setAsideDamage(of: Self.schema, atMilliseconds: SystemClock.unixMilliseconds)
    try noteDamage()
  }

  /// Keeps all changes in one transaction, in order.
  public func commit(_ changes: [Change]) throws(StorageFailure) {
    guard !changes.isEmpty else { return }
    do throws(StorageFailure) {
      try write(changes)
    } catch {
      guard error.mayBeOfRows, (try? setAsideDamage()) != nil else { throw error }
      try write(changes)
    }
  }

  private func write(_ changes: [Change]) throws(StorageFailure) {
    try database.transaction { () throws(StorageFailure) in
      for change in changes {
        try apply(change)
        if damage.count > 0, case .put(let collection, let key, _) = change {
          try database.forgetSetAside(.record(collection: collection, key: key))
        }
      }
    }
    if damage.count > 0 { try noteDamage() }
  }

  /// All records of a collection, in order of their keys' bytes.
  public func load(_ collection: String) throws(StorageFailure) -> [Record] {
    var records: [Record] = []
    try forEach(collection) { records.append($0) }
    return records
  }

  /// Calls `body` with each record of a collection, in order of their keys' bytes.
  ///
  /// For collections of which memory must not hold all.
  public func forEach(_ collection: String, _ body: (Record) -> Void) throws(StorageFailure) {
    try select.bind(1, collection)
    var isDamaged = false
    while try select.step() {
      guard select.integer(2) != 0 else {
        isDamaged = true
        continue
      }
      body(Record(key: select.text(0), value: select.bytes(1)))
    }
    if isDamaged { try setAsideDamage() }
  }

  /// The record with that key; nil when there is none.
  public func value(_ collection: String, key: String) throws(StorageFailure) -> [UInt8]? {
    try find.bind(1, collection)
    try find.bind(2, key)
    guard try find.step() else { return nil }
    let isWhole = find.integer(1) != 0
    let bytes = find.bytes(0)
    find.reset()
    guard isWhole else {
      try setAsideDamage()
      return nil
    }
    return bytes
  }

  private func apply(_ change: Change) throws(StorageFailure) {
    switch change {
    case .put(let collection, let key, let value):
      try put.bind(1, collection)
      try put.bind(2, key)
      try put.bind(3, value)
      try put.run()
    case .remove(let collection, let key):
      try remove.bind(1, collection)
      try remove.bind(2, key)
      try remove.run()
    }
  }
}
