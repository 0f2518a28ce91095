internal import System

/// A store of small records in one SQLite file, for the data of a device's agent.
///
/// A collection and a key identify a record. The type is confined to one thread. A commit is durable when it returns.
public final class SQLiteRecordStore {
  /// A change to the store; a commit stores either all of its changes or none.
  public enum Change: Sendable, Hashable {
    /// Adds a record, or replaces the record with this key.
    case put(collection: String, key: String, value: [UInt8])
    /// Removes a record if it exists.
    case remove(collection: String, key: String)
  }

  /// A record as stored, with its key.
  public struct Record: Sendable, Hashable {
    /// The key, which is unique within its collection.
    public let key: String
    /// The bytes as they were stored.
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
      // Checksums of rows, and a table for rows whose checksums don't match.
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
  private let selectSizes: SQLiteStatement

  /// Opens the file with mode 0600, and creates it if it is missing.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - survivesPowerCut: True if a commit waits for the disk. If false, a commit survives the exit of the program,
  ///     but might not survive a power failure.
  /// - Throws: An error if the file cannot be used.
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
    selectSizes = try database.prepare(
      kept: "SELECT key, length(value) FROM record WHERE collection = ?1 ORDER BY key")
    try noteDamage()
  }

  /// Checks the file at `path` for damage, and replaces a damaged file with a new one that omits the unreadable parts.
  public static func inspect(path: String) throws(StorageFailure) -> StoreInspection {
    try StoreInspection.inspect(path: path, schema: schema)
  }

  /// Returns the rows that were set aside, for inspection.
  public func rowsSetAside() throws(StorageFailure) -> [SetAsideRow] {
    try database.listSetAside()
  }

  /// Discards the rows that were set aside.
  ///
  /// Returns their number.
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

  /// Stores all changes in one transaction, in order.
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

  /// Returns all records of a collection, ordered by the bytes of their keys.
  public func load(_ collection: String) throws(StorageFailure) -> [Record] {
    var records: [Record] = []
    try forEach(collection) { records.append($0) }
    return records
  }

  /// Calls `body` with each record of a collection, ordered by the bytes of their keys.
  ///
  /// Use this method for collections that are too large for memory.
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

  /// Calls `body` with the key and the size in bytes of each record of a collection, without reading the values.
  public func forEachSize(_ collection: String, _ body: (String, Int) -> Void)
    throws(StorageFailure)
  {
    try selectSizes.bind(1, collection)
    while try selectSizes.step() { body(selectSizes.text(0), Int(selectSizes.integer(1))) }
  }

  /// Returns the record with this key, or nil if it does not exist.
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
