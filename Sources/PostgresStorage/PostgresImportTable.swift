/// A table that is copied from SQLite, with its columns in the same order.
struct PostgresImportTable: Sendable {
  /// The type of a column.
  enum Kind {
    case integer, text, data
  }

  typealias Statement = PostgresConnection.Statement

  /// The name of the table in SQLite.
  let name: String
  /// The names of the columns in SQLite.
  let sourceColumns: [String]
  let kinds: [Kind]
  /// The maximum number of rows in one transaction, and in one answer of the server.
  let rowsAtOnce: Int
  let insert: Statement
  /// The statement that opens a cursor over the rows in the order of their keys.
  let declare: Statement
  /// The statement that reads rows from the cursor.
  let fetch: Statement

  /// Creates a table from its columns, each with a suffix for its type: `name:text`, `value:data`, or none for integers.
  ///
  /// A column that has another name in PostgreSQL is written as `user=user_name`, and `ownName` is the table's name there.
  /// `names` are the names of the three statements.
  private init(
    _ name: String, as ownName: String? = nil, _ columns: String, keyCount: Int,
    rowsAtOnce: Int = Limits.importedRows,
    _ names: (insert: StaticString, declare: StaticString, fetch: StaticString)
  ) {
    let parts = columns.split(separator: " ").map { $0.split(separator: ":") }
    let columnNames = parts.map { $0[0].split(separator: "=").map(String.init) }
    let table = ownName ?? name
    let ownColumns = columnNames.map { $0[$0.count - 1] }
    assert(keyCount > 0 && keyCount <= parts.count, "the rows have an order")
    self.name = name
    self.rowsAtOnce = rowsAtOnce
    sourceColumns = columnNames.map { $0[0] }
    kinds = parts.map { $0.count == 1 ? .integer : $0[1] == "text" ? .text : .data }
    let list = ownColumns.joined(separator: ", ")
    let values = parts.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
    let key = ownColumns.prefix(keyCount).joined(separator: ", ")
    insert = Statement(
      name: names.insert,
      sql: "INSERT INTO \(table) (\(list)) VALUES (\(values)) ON CONFLICT DO NOTHING")
    declare = Statement(
      name: names.declare,
      sql: "DECLARE rows_of_\(table) CURSOR FOR SELECT \(list) FROM \(table) ORDER BY \(key)")
    fetch = Statement(name: names.fetch, sql: "FETCH \(rowsAtOnce) FROM rows_of_\(table)")
  }

  /// The tables of a gateway, except the row with its progress.
  static let gateway = [
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
    PostgresImportTable(
      "upstream",
      "app key_id:text team_id:text sealed_key:data environment host:text port authority:data "
        + "created", keyCount: 1, ("i14", "d14", "f14")),
    PostgresImportTable(
      "budget", "key:text per_day per_second day used", keyCount: 1, ("i15", "d15", "f15")),
    PostgresImportTable("setting", "name:text value:data", keyCount: 1, ("i12", "d12", "f12")),
    PostgresImportTable(
      "notification",
      "device app kind sequence id_high id_low unique_high unique_low expiration priority "
        + "push_type accepted collapse:data payload:data", keyCount: 8, ("i13", "d13", "f13")),
  ]

  /// The tables of a provider's registry.
  ///
  /// The rows of campaigns are copied a few at a time, because a campaign contains its whole text in every language.
  static let registry = [
    PostgresImportTable(
      "token", as: "registry_token",
      "number topic:text sealed:data language:text time_zone:text user=user_name:text "
        + "installation:text first last environment:text keys:data", keyCount: 1,
      ("r1", "rd1", "rf1")),
    PostgresImportTable(
      "tag", as: "registry_tag", "name:text token", keyCount: 2, ("r2", "rd2", "rf2")),
    PostgresImportTable(
      "campaign",
      "id:text created document:data topic:text audience:text subject:text rate state:text "
        + "problem:text total last_number finished environment:text name:text", keyCount: 1,
      rowsAtOnce: Limits.importedCampaigns, ("r3", "rd3", "rf3")),
    PostgresImportTable(
      "recipient", as: "campaign_recipient",
      "campaign:text number sealed:data language:text time_zone:text environment:text",
      keyCount: 2, ("r4", "rd4", "rf4")),
    PostgresImportTable(
      "leg", as: "campaign_group", "campaign:text number any_zone time_zone:text cursor claimed",
      keyCount: 2, ("r5", "rd5", "rf5")),
    PostgresImportTable(
      "batch", as: "campaign_batch",
      "campaign:text number leg after last claimed numbers:data sent", keyCount: 2,
      ("r6", "rd6", "rf6")),
    PostgresImportTable(
      "tally", as: "campaign_tally", "campaign:text outcome:text reason:text language:text count",
      keyCount: 4, ("r7", "rd7", "rf7")),
    PostgresImportTable(
      "departure", as: "registry_departure", "topic:text count=tokens", keyCount: 1,
      ("r8", "rd8", "rf8")),
  ]
}
