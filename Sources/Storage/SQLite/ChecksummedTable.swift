/// A table whose rows have a checksum over all of their columns, including keys.
///
/// Whenever SQLite writes a row, it generates the column `checksum` from the row's values, with the function
/// `row_checksum` from `CRowChecksum`. The checksum's low half covers the whole row, and its high half covers only the
/// key.
struct ChecksummedTable: Sendable {
  let name: String
  /// The columns that other records and requests use to refer to a row.
  let key: [String]
  /// The other columns.
  let rest: [String]
  /// True if rows are updated in place.
  ///
  /// A trigger then prevents an update from giving a damaged row a valid checksum.
  let isUpdated: Bool
  /// The expression that generates the checksum, as in the schema.
  let expression: String
  /// The SQL condition that is true if a row is unchanged since it was written.
  let isWhole: String

  init(name: String, key: [String], rest: [String], isUpdated: Bool = false) {
    self.name = name
    self.key = key
    self.rest = rest
    self.isUpdated = isUpdated
    expression = "row_checksum(\(key.count), \((key + rest).joined(separator: ", ")))"
    isWhole = "(checksum IS \(expression))"
  }

  /// Returns the condition `isWhole` for columns with `prefix`, such as `token.`.
  func isWhole(of prefix: String) -> String {
    "(\(prefix)checksum IS \(expression(of: prefix)))"
  }

  /// Returns the checksum expression for columns with `prefix`, such as `old.`.
  private func expression(of prefix: String) -> String {
    let columns = (key + rest).map { prefix + $0 }.joined(separator: ", ")
    return "row_checksum(\(key.count), \(columns))"
  }

  /// The SQL expression for a row's key, which is NULL if the checksum does not confirm the key.
  ///
  /// Either half of the checksum can confirm the key. If only the low half matches, the high half itself is damaged.
  var vouchedKey: String {
    """
    CASE WHEN (checksum >> 32) IS (\(expression) >> 32)
      OR (checksum & 4294967295) IS (\(expression) & 4294967295)
    THEN \(keyText) END
    """
  }

  private var keyText: String {
    key.isEmpty ? "''" : key.map { "quote(\($0))" }.joined(separator: " || char(31) || ")
  }

  /// The SQL expression for the content of a whole row, as text for inspection.
  var content: String {
    (key + rest).map { "'\($0)=' || quote(\($0))" }.joined(separator: " || char(10) || ")
  }

  /// The SQL for a trigger that causes updates of damaged rows to fail.
  ///
  /// The trigger is temporary and exists only on this connection.
  var guardTrigger: String {
    """
    CREATE TEMP TRIGGER \(name)_is_whole BEFORE UPDATE ON main.\(name)
    WHEN old.checksum IS NOT \(expression(of: "old."))
    BEGIN SELECT RAISE(ABORT, '\(name)'); END
    """
  }

  /// The table for rows that failed their checksum.
  static let setAside = ChecksummedTable(
    name: "set_aside", key: ["number"], rest: ["source", "key", "content", "found"])
}
