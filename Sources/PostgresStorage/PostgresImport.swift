public import Storage
internal import System

/// An empty database into which the stores of a gateway are copied.
public final class PostgresImport {
  private let server: PostgresServer

  /// Connects to the database, and creates its tables.
  ///
  /// Throws `.unsuitable` if the database already contains the data of a gateway, and `.inUse` if a gateway uses it.
  public init(_ address: PostgresAddress) throws(StorageFailure) {
    server = try PostgresServer(address, name: "import", lock: .exclusive)
    if let obstacle = try PostgresSettings(of: server).obstacle {
      throw .unsuitable(server: "\(address)", why: obstacle)
    }
    try server.migrate(PostgresStores.schemas)
    let rows = try server.read([.init(Self.isUsed)])
    if rows.first.map({ $0.count > 0 && $0.integer(0, 0) != 0 }) ?? true {
      throw .unsuitable(
        server: "\(address)",
        why: "it already contains the data of a gateway: specify an empty database")
    }
  }

  /// Copies a table, reads the copy, and compares the digests of both.
  ///
  /// Returns the number of rows. `report` is called from time to time with the number of rows that have been copied.
  package func copy(
    _ table: StoreExport.Table, of source: StoreExport, report: (Int) -> Void
  ) throws(StorageFailure) -> Int {
    if table.name == "progress" { return try copyProgress(table, of: source) }
    guard let target = PostgresImportTable.all.first(where: { $0.name == table.name }) else {
      preconditionFailure("there is no table for \(table.name)")
    }
    assert(target.columns.elementsEqual(table.columns), "both engines have the same columns")
    var expected = StoreExport.Digest()
    var calls: [PostgresConnection.Call] = []
    try source.read(table) { row throws(StorageFailure) in
      expected.add(row)
      calls.append(.init(target.insert, zip(row, target.kinds).map(Self.parameter)))
      if calls.count == Limits.importedRows {
        _ = try server.write(calls + [Self.mark])
        calls.removeAll()
        report(expected.count)
      }
    }
    if !calls.isEmpty { _ = try server.write(calls + [Self.mark]) }
    let found = try digest(of: target)
    guard found.count == expected.count, found.finish() == expected.finish() else {
      throw .unsuitable(
        server: "\(server.address)",
        why:
          "the copy of the table \(table.name) differs from its source: create an empty database, "
          + "and copy again")
    }
    return expected.count
  }

  /// Adds a setting that the source does not have.
  package func put(setting name: String, _ value: [UInt8]) throws(StorageFailure) {
    _ = try server.write(
      PostgresControlStore.calls(for: .putSetting(name: name, value: value)) + [Self.mark])
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
    while let rows = try server.read([.init(table.fetch)]).first, rows.count > 0 {
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
  /// The statement that ends each transaction, which writes even if the rows exist because the transaction is repeated.
  private static let mark = PostgresControlStore.progress(1)
}
