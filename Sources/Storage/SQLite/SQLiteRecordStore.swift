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
      """
    ])

  private let database: SQLiteDatabase
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
      "SELECT key, value FROM record WHERE collection = ?1 ORDER BY key")
    find = try database.prepare("SELECT value FROM record WHERE collection = ?1 AND key = ?2")
  }

  /// Keeps all changes in one transaction, in order.
  public func commit(_ changes: [Change]) throws(StorageFailure) {
    guard !changes.isEmpty else { return }
    try database.transaction { () throws(StorageFailure) in
      for change in changes { try apply(change) }
    }
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
    while try select.step() { body(Record(key: select.text(0), value: select.bytes(1))) }
  }

  /// The record with that key; nil when there is none.
  public func value(_ collection: String, key: String) throws(StorageFailure) -> [UInt8]? {
    try find.bind(1, collection)
    try find.bind(2, key)
    guard try find.step() else { return nil }
    let bytes = find.bytes(0)
    find.reset()
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
