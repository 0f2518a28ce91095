public import Storage
internal import System

/// An empty database into which the stores of a gateway, or the registry of a provider, are copied.
public final class PostgresImport {
  let server: PostgresServer
  private let tables: [PostgresImportTable]
  /// The statement that ends each transaction, which writes even if the rows exist because the transaction is repeated.
  private let mark: PostgresConnection.Call
  /// The action that repeats a failed copy.
  private let retry: String

  /// Connects to the database, and creates the tables of a gateway.
  ///
  /// Throws `.unsuitable` if the database already contains the data of a gateway, and `.inUse` if a gateway uses it.
  public convenience init(_ address: PostgresAddress) throws(StorageFailure) {
    let server = try Self.connect(address, .exclusive, PostgresStores.schemas)
    let rows = try server.read([.init(Self.isUsed)])
    if rows.first.map({ $0.count > 0 && $0.integer(0, 0) != 0 }) ?? true {
      throw .unsuitable(
        server: "\(address)",
        why: "it already contains the data of a gateway: specify an empty database")
    }
    self.init(
      server, PostgresImportTable.gateway, mark: PostgresControlStore.progress(1),
      retry: "create an empty database, and copy again")
  }

  /// Creates an import into the tables of a database that has been locked.
  init(
    _ server: PostgresServer, _ tables: [PostgresImportTable], mark: PostgresConnection.Call,
    retry: String
  ) {
    assert(Set(tables.map(\.name)).count == tables.count, "each table is copied once")
    self.server = server
    self.tables = tables
    self.mark = mark
    self.retry = retry
  }

  /// Connects to a database, locks it, and creates missing tables.
  static func connect(
    _ address: PostgresAddress, _ lock: PostgresServer.Lock, _ schemas: [PostgresSchema]
  ) throws(StorageFailure) -> PostgresServer {
    let server = try PostgresServer(address, name: "import", lock: lock)
    if let obstacle = try PostgresSettings(of: server).obstacle {
      throw .unsuitable(server: "\(address)", why: obstacle)
    }
    try server.migrate(schemas)
    return server
  }

  /// Copies a table, reads the copy, and compares the digests of both.
  ///
  /// Returns the number of rows. `report` is called from time to time with the number of rows that have been copied.
  package func copy(
    _ table: StoreExport.Table, of source: StoreExport, report: (Int) -> Void
  ) throws(StorageFailure) -> Int {
    if table.name == "progress" { return try copyProgress(table, of: source) }
    guard let target = tables.first(where: { $0.name == table.name }) else {
      preconditionFailure("there is no table for \(table.name)")
    }
    assert(target.sourceColumns == table.columns, "both engines have the same columns")
    var expected = StoreExport.Digest()
    var calls: [PostgresConnection.Call] = []
    try source.read(table) { row throws(StorageFailure) in
      expected.add(row)
      calls.append(.init(target.insert, zip(row, target.kinds).map(Self.parameter)))
      if calls.count == target.rowsAtOnce {
        _ = try server.write(calls + [mark])
        calls.removeAll()
        report(expected.count)
      }
    }
    if !calls.isEmpty { _ = try server.write(calls + [mark]) }
    let found = try digest(of: target)
    guard found.count == expected.count, found.finish() == expected.finish() else {
      throw .unsuitable(
        server: "\(server.address)",
        why: "the copy of the table \(table.name) differs from its source: \(retry)")
    }
    return expected.count
  }

  /// Adds a setting of a gateway that the source does not have.
  package func put(setting name: String, _ value: [UInt8]) throws(StorageFailure) {
    _ = try server.write(
      PostgresControlStore.calls(for: .putSetting(name: name, value: value)) + [mark])
  }

  /// Copies the highest sequence number and the epoch, which are in a row of another form.
  private func copyProgress(
    _ table: StoreExport.Table, of source: StoreExport
  ) throws(StorageFailure) -> Int {
    assert(table.columns.starts(with: ["highest", "epoch"]), "the other columns are not copied")
    var count = 0
    try source.read(table) { row throws(StorageFailure) in
      guard row.count > 1, case .integer(let highest) = row[0], case .integer(let epoch) = row[1]
      else { throw server.invalidRow("progress") }
      let put = try server.write([
        .init(Self.putProgress, [.integer(highest), .integer(epoch)])
      ])
      guard let rows = put.first, rows.count == 1, rows.integer(0, 0) == highest,
        rows.integer(0, 1) == epoch
      else { throw server.invalidRow("progress") }
      count += 1
    }
    assert(count <= 1, "the table has one row")
    return count
  }

  /// Closes the connection, and unlocks the database.
  public func close() { server.close() }

  private func digest(of table: PostgresImportTable) throws(StorageFailure) -> StoreExport.Digest {
    var digest = StoreExport.Digest()
    _ = try server.read([.init(Self.begin), .init(table.declare)])
    while let rows = try server.read(
      [.init(table.fetch)], within: Limits.importReadNanoseconds
    ).first, rows.count > 0 {
      for row in 0..<rows.count {
        digest.add(
          table.kinds.indices.map { column in
            if rows.isNull(row, column) { return .null }
            return switch table.kinds[column] {
            case .integer: .integer(rows.integer(row, column))
            case .text: .text(rows.bytes(row, column))
            case .data: .data(rows.bytes(row, column))
            }
          })
      }
    }
    _ = try server.read([.init(Self.commit)])
    return digest
  }

  private static func parameter(
    _ value: StoreExport.Value, _ kind: PostgresImportTable.Kind
  ) -> PostgresValue {
    switch (value, kind) {
    case (.null, .integer): .integer(Int64?.none)
    case (.null, .text): .text(nil)
    case (.null, .data): .data(nil)
    case (.integer(let number), _): .integer(number)
    case (.text(let text), _): .text(String(decoding: text, as: UTF8.self))
    case (.data(let data), _): .data(data)
    }
  }

  private static let putProgress = PostgresConnection.Statement(
    name: "put_progress",
    sql: """
      UPDATE notification_progress SET highest = $1, folder_epoch = $2
      RETURNING highest, folder_epoch
      """)
  private static let begin = PostgresConnection.Statement(name: "begin_reading", sql: "BEGIN")
  private static let commit = PostgresConnection.Statement(name: "end_reading", sql: "COMMIT")
  private static let isUsed = PostgresConnection.Statement(
    name: "is_used",
    sql: """
      SELECT EXISTS (SELECT 1 FROM setting) OR EXISTS (SELECT 1 FROM team)
        OR EXISTS (SELECT 1 FROM device) OR EXISTS (SELECT 1 FROM notification)
      """)
}
