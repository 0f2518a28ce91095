internal import System
package import Transport

/// A reader of the SQLite stores of a gateway or a provider, for copying them to another engine.
///
/// The type is not `Sendable`: it is confined to one thread. The gateway or provider must be stopped.
package final class StoreExport {
  /// A value of a column.
  package enum Value {
    case null
    case integer(Int64)
    /// Text in UTF-8.
    case text([UInt8])
    case data([UInt8])
  }

  /// A table, whose rows are read in the order of their keys.
  package struct Table: Sendable {
    package let name: String
    /// The columns, starting with those of the key.
    package let columns: [String]
    package let keyCount: Int
    fileprivate let isWhole: String
    /// The condition for the rows that are exported; nil for all rows.
    fileprivate let condition: String?

    fileprivate init(_ table: ChecksummedTable, where condition: String? = nil) {
      assert(!table.key.isEmpty || condition == nil, "a single row belongs to no other row")
      name = table.name
      columns = table.key + table.rest
      keyCount = table.key.count
      isWhole = table.isWhole
      self.condition = condition
    }
  }

  /// A setting of the SQLite store itself, which is not copied.
  private static let ownSetting = Array(ControlEngine.changesMade.utf8)

  private let database: SQLiteDatabase
  /// The engine of a log of notifications, whose rows are read through its index; nil for other stores.
  private let log: NotificationEngine?
  /// The tables, in an order in which a row's references precede it.
  package let tables: [Table]

  private init(
    _ database: SQLiteDatabase, _ tables: [Table], log: NotificationEngine? = nil
  ) {
    self.database = database
    self.log = log
    self.tables = tables
    assert(Set(tables.map(\.name)).count == tables.count, "each table is exported once")
  }

  /// Opens the store of teams, keys, apps, devices, and registrations.
  package static func control(path: String) throws(StorageFailure) -> StoreExport {
    StoreExport(
      try SQLiteDatabase(path: path, schema: ControlEngine.schema, mayCreate: false),
      ControlTable.all.filter { $0.name != ChecksummedTable.setAside.name }.map { Table($0) })
  }

  /// Opens the store of undelivered notifications.
  package static func notifications(path: String) throws(StorageFailure) -> StoreExport {
    let engine = try NotificationEngine(path: path, mayCreate: false, damage: StoreDamage())
    return StoreExport(
      engine.database, [Table(NotificationSchema.legacyRows), Table(NotificationSchema.progress)],
      log: engine)
  }

  /// Opens the registry of a provider.
  ///
  /// A row that belongs to a missing row is not exported, because it has no effect. Such a row remains if the row that it
  /// belongs to was damaged and set aside.
  package static func registry(path: String) throws(StorageFailure) -> StoreExport {
    StoreExport(
      try SQLiteDatabase(path: path, schema: RegistryEngine.schema, mayCreate: false),
      RegistryTable.all.filter { $0.name != ChecksummedTable.setAside.name }.map {
        Table($0, where: RegistryTable.hasOwner($0))
      })
  }

  /// Returns the highest number that a token of a registry has had, or 0; new tokens get higher numbers.
  package func highestToken() throws(StorageFailure) -> Int64 {
    try database.integer(
      """
      SELECT max(
        coalesce((SELECT max(seq) FROM sqlite_sequence WHERE name = 'token'), 0),
        coalesce((SELECT max(number) FROM token), 0))
      """)
  }

  /// The number of rows that were set aside because they are damaged, and that are not exported.
  package func damagedRowCount() throws(StorageFailure) -> Int {
    let statement = try database.prepare("SELECT count(*) FROM set_aside")
    return try statement.step() ? Int(statement.integer(0)) : 0
  }

  /// Calls `body` with each row of a table.
  ///
  /// Throws `.damagedRow` if the checksum of a row does not match.
  package func read(
    _ table: Table, _ body: ([Value]) throws(StorageFailure) -> Void
  ) throws(StorageFailure) {
    assert(tables.contains { $0.name == table.name }, "the table belongs to this store")
    assert(table.keyCount <= table.columns.count, "a key is a part of a row, or the whole row")
    if let log, table.name == NotificationSchema.legacyRows.name { return try read(log, body) }
    let key = table.columns.prefix(table.keyCount).joined(separator: ", ")
    let order = key.isEmpty ? "" : " ORDER BY \(key)"
    let condition = table.condition.map { " WHERE \($0)" } ?? ""
    let columns = table.columns.joined(separator: ", ")
    let statement = try database.prepare(
      once: "SELECT \(columns), \(table.isWhole) FROM \(table.name)\(condition)\(order)")
    defer { statement.reset() }
    while try statement.step() {
      guard statement.integer(Int32(table.columns.count)) != 0 else {
        throw .damagedRow(path: database.path, table: table.name)
      }
      let row = table.columns.indices.map { statement.value(Int32($0)) }
      if table.name == ControlTable.setting.name, case .text(Self.ownSetting)? = row.first {
        continue
      }
      try body(row)
    }
  }

  /// Calls `body` with each stored notification, in the order of the keys as numbers with a sign.
  private func read(
    _ log: NotificationEngine, _ body: ([Value]) throws(StorageFailure) -> Void
  ) throws(StorageFailure) {
    var rows: [(key: NotificationKey, row: IndexedRow)] = []
    rows.reserveCapacity(log.index.count)
    try log.index.forEach { row throws(StorageFailure) in rows.append((log.index.key(of: row), row))
    }
    rows.sort { one, other in
      (Int64(bitPattern: one.key.device), one.key.app, one.key.kind, one.row.sequence)
        < (Int64(bitPattern: other.key.device), other.key.app, other.key.kind, other.row.sequence)
    }
    for (_, row) in rows { try body(try log.notification(of: row).legacyValues) }
  }
}

extension StoreExport {
  /// A digest of the rows of a table, which is the same for every engine.
  package struct Digest {
    private let context = SHA256Context()
    /// The number of rows.
    package private(set) var count = 0

    package init() { context.begin() }

    /// Adds the next row, in the order of the keys.
    package mutating func add(_ row: [Value]) {
      assert(!row.isEmpty, "a row has columns")
      count += 1
      var bytes: [UInt8] = []
      for value in row {
        switch value {
        case .null: bytes.append(0)
        case .integer(let number): Self.append(1, Self.bytes(of: number), to: &bytes)
        case .text(let text): Self.append(2, text, to: &bytes)
        case .data(let data): Self.append(3, data, to: &bytes)
        }
      }
      context.update(bytes)
    }

    /// Returns the digest of all rows.
    package func finish() -> SHA256.Digest { context.finish() }

    private static func append(_ tag: UInt8, _ content: [UInt8], to bytes: inout [UInt8]) {
      bytes.append(tag)
      bytes += Self.bytes(of: Int64(content.count))
      bytes += content
    }

    private static func bytes(of number: Int64) -> [UInt8] {
      (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - $0 * 8)) }
    }
  }
}
