/// A table that is copied from SQLite, with the same columns in the same order.
struct PostgresImportTable: Sendable {
  /// The type of a column.
  enum Kind {
    case integer, text, data
  }

  typealias Statement = PostgresConnection.Statement

  let name: String
  let columns: [String]
  let kinds: [Kind]
  let insert: Statement
  /// The statement that opens a cursor over the rows in the order of their keys.
  let declare: Statement
  /// The statement that reads rows from the cursor.
  let fetch: Statement

  /// Creates a table from its columns, each with a suffix for its type: `name:text`, `value:data`, or none for integers.
  ///
  /// `names` are the names of the three statements.
  private init(
    _ name: String, _ columns: String, keyCount: Int,
    _ names: (insert: StaticString, declare: StaticString, fetch: StaticString)
  ) {
    let parts = columns.split(separator: " ").map { $0.split(separator: ":") }
    self.name = name
    self.columns = parts.map { String($0[0]) }
    kinds = parts.map { $0.count == 1 ? .integer : $0[1] == "text" ? .text : .data }
    let list = self.columns.joined(separator: ", ")
    let values = parts.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
    let key = self.columns.prefix(keyCount).joined(separator: ", ")
    insert = Statement(
      name: names.insert,
      sql: "INSERT INTO \(name) (\(list)) VALUES (\(values)) ON CONFLICT DO NOTHING")
    declare = Statement(
      name: names.declare,
      sql: "DECLARE rows_of_\(name) CURSOR FOR SELECT \(list) FROM \(name) ORDER BY \(key)")
    fetch = Statement(
      name: names.fetch, sql: "FETCH \(Limits.importedRows) FROM rows_of_\(name)")
  }

  static let all = [
    PostgresImportTable(
      "team", "id:text name:text created", keyCount: 1, ("i1", "d1", "f1")),
    PostgresImportTable(
      "provider_key",
      "id:text team:text spki:data environments topics:text related:text created revoked",
      keyCount: 1, ("i2", "d2", "f2")),
    PostgresImportTable(
      "certificate",
      "serial:text team:text bundle_id:text environments universal not_after created revoked "
        + "authority:text", keyCount: 1, ("i3", "d3", "f3")),
    PostgresImportTable(
      "app", "number bundle_id:text team:text keep broadcast created adopter", keyCount: 2,
      ("i4", "d4", "f4")),
    PostgresImportTable(
      "channel", "id:data app keeps_latest created", keyCount: 1, ("i5", "d5", "f5")),
    PostgresImportTable(
      "broadcast",
      "channel:data unique_high unique_low expiration priority payload:data accepted request_high "
        + "request_low request_lowercase", keyCount: 1, ("i6", "d6", "f6")),
    PostgresImportTable(
      "device", "number key_hash:data name:text enrolled revoked token_key:text", keyCount: 1,
      ("i7", "d7", "f7")),
    PostgresImportTable(
      "device_certificate", "serial:text device not_after authority:text shown", keyCount: 1,
      ("i8", "d8", "f8")),
    PostgresImportTable(
      "registration", "device app kind generation state changed", keyCount: 3,
      ("i9", "d9", "f9")),
    PostgresImportTable(
      "former_registration", "device app kind generation changed", keyCount: 4,
      ("i10", "d10", "f10")),
    PostgresImportTable(
      "subscription", "device channel:data received_high received_low", keyCount: 2,
      ("i11", "d11", "f11")),
    PostgresImportTable("setting", "name:text value:data", keyCount: 1, ("i12", "d12", "f12")),
    PostgresImportTable(
      "notification",
      "device app kind sequence id_high id_low unique_high unique_low expiration priority "
        + "push_type accepted collapse:data payload:data", keyCount: 8, ("i13", "d13", "f13")),
  ]
}
