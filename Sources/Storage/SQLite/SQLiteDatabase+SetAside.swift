internal import System

/// The handling of rows with a wrong checksum, and of indexes that don't match their table.
extension SQLiteDatabase {
  /// The result of ``verify(_:)`` for one table.
  struct TableVerdict: Equatable {
    /// The number of rows that have changed since they were written.
    var damagedRows = 0
    /// The number of indexes whose entries differ from the rows of the table.
    var wrongIndexes = 0

    var isWhole: Bool { self == TableVerdict() }
  }

  private struct Index {
    let name: String
    let columns: [String]
    /// The condition of a partial index; nil for a full index.
    let condition: String?

    /// An SQL expression for an order-independent sum over all entries.
    var sum: String {
      "coalesce(sum(row_checksum(0, \(columns.joined(separator: ", "))) & 4294967295), 0)"
    }
  }

  /// Reads every row of a table and every entry of its indexes once.
  func verify(_ table: ChecksummedTable) throws(StorageFailure) -> TableVerdict {
    let indexes = try indexes(of: table.name)
    var columns = ["coalesce(sum(NOT \(table.isWhole)), 0)"]
    for index in indexes {
      let sum = "row_checksum(0, \(index.columns.joined(separator: ", "))) & 4294967295"
      columns.append(
        "coalesce(sum(CASE WHEN \(index.condition ?? "1") THEN \(sum) END), 0)")
    }
    let rows = try prepare(
      once: "SELECT \(columns.joined(separator: ", ")) FROM \(table.name) NOT INDEXED")
    guard try rows.step() else {
      throw .corrupt(path: path, detail: "the rows of \(table.name) cannot be read")
    }
    var verdict = TableVerdict(damagedRows: Int(rows.integer(0)))
    for (place, index) in indexes.enumerated() {
      let entries = try prepare(
        once: "SELECT \(index.sum) FROM \(table.name) INDEXED BY \(index.name)"
          + (index.condition.map { " WHERE \($0)" } ?? ""))
      let isSame = try entries.step() && entries.integer(0) == rows.integer(Int32(place) + 1)
      if !isSame { verdict.wrongIndexes += 1 }
    }
    return verdict
  }

  /// Returns the indexes of a table, except the primary-key index that stores the rows of a table without a rowid.
  private func indexes(of table: String) throws(StorageFailure) -> [Index] {
    let list = try prepare(
      once: """
        SELECT listed.name, made.sql FROM pragma_index_list('\(table)') AS listed
        LEFT JOIN sqlite_schema AS made ON made.type = 'index' AND made.name = listed.name
        WHERE NOT (listed.origin = 'pk' AND EXISTS (
          SELECT 1 FROM pragma_table_list('\(table)') WHERE wr))
        """)
    var indexes: [Index] = []
    while try list.step() {
      let columns = try prepare(
        once: "SELECT coalesce(name, 'rowid') FROM pragma_index_xinfo('\(list.text(0))')")
      var names: [String] = []
      while try columns.step() { names.append(columns.text(0)) }
      let condition = list.optionalText(1).flatMap { sql -> String? in
        sql.range(ofWord: "WHERE").map { String(sql[$0...]) }
      }
      indexes.append(Index(name: list.text(0), columns: names, condition: condition))
    }
    return indexes
  }

  /// Rebuilds the indexes of a table, and moves the table's damaged rows into `set_aside`.
  ///
  /// References between tables are ignored, so no other rows are removed.
  func setAside(
    _ table: ChecksummedTable, atMilliseconds now: Int64
  ) throws(StorageFailure) {
    // Rebuild the indexes first. A damaged row could not be removed if an index had no entry for it.
    try execute("REINDEX \(table.name)")
    try execute("PRAGMA foreign_keys = OFF")
    defer { try? execute("PRAGMA foreign_keys = ON") }
    try transaction { () throws(StorageFailure) in
      try execute(
        """
        INSERT INTO set_aside (source, key, content, found)
        SELECT '\(table.name)', \(table.vouchedKey), \(table.content), \(now)
        FROM \(table.name) NOT INDEXED WHERE NOT \(table.isWhole)
        """)
      try execute("DELETE FROM \(table.name) NOT INDEXED WHERE NOT \(table.isWhole)")
    }
    guard try verify(table).isWhole else {
      throw .corrupt(path: path, detail: "damaged rows of \(table.name) cannot be removed")
    }
  }

  /// Checks all tables of `schema`, and sets damaged rows aside.
  ///
  /// Returns the number of rows that were set aside, and the number of indexes that were wrong and were rebuilt.
  @discardableResult
  func setAsideDamage(
    of schema: Schema, atMilliseconds now: Int64
  ) throws(StorageFailure) -> (rows: Int, indexes: Int) {
    var found = (rows: 0, indexes: 0)
    for table in schema.tables {
      let verdict = try verify(table)
      guard !verdict.isWhole else { continue }
      try setAside(table, atMilliseconds: now)
      found.rows += verdict.damagedRows
      found.indexes += verdict.wrongIndexes
    }
    if found.rows > 0, schema.afterRepair.utf8CodeUnitCount > 0 {
      try transaction { () throws(StorageFailure) in try execute("\(schema.afterRepair)") }
    }
    return found
  }

  /// Returns the rows that were set aside, by table.
  func rowsSetAside() throws(StorageFailure) -> [String: StoreDamage.Rows] {
    let rows = try prepare(
      once: "SELECT source, key, content LIKE '\(TableCopy.gapNote)%' FROM set_aside")
    var tables: [String: StoreDamage.Rows] = [:]  // text: names of our own tables
    while try rows.step() {
      tables[rows.text(0), default: StoreDamage.Rows()].add(key: rows.optionalText(1))
      if rows.integer(2) != 0 { tables[rows.text(0)]?.hasGap = true }
    }
    return tables
  }

  /// Returns one page of the rows that were set aside, most recent first.
  func listSetAside() throws(StorageFailure) -> [SetAsideRow] {
    let rows = try prepare(
      once:
        "SELECT source, key IS NOT NULL, content, found FROM set_aside ORDER BY number DESC LIMIT ?1"
    )
    try rows.bind(1, Int64(Limits.rowsPerPage))
    var list: [SetAsideRow] = []
    while try rows.step() {
      list.append(
        SetAsideRow(
          table: rows.text(0), isKeyKnown: rows.integer(1) != 0, content: rows.text(2),
          foundMilliseconds: rows.integer(3)))
    }
    return list
  }

  /// Discards the rows that were set aside: the rows with this key, or all rows if `key` is nil.
  func forgetSetAside(_ key: StoreDamage.Key? = nil) throws(StorageFailure) {
    guard let key else { return try execute("DELETE FROM set_aside") }
    let remove = try prepare(once: "DELETE FROM set_aside WHERE source = ?1 AND key = ?2")
    try remove.bind(1, key.table)
    try remove.bind(2, String(decoding: key.bytes, as: UTF8.self))
    try remove.run()
  }

  /// Returns true if the tables and indexes match the scripts of `schema`.
  ///
  /// A flipped bit in the stored description of a table or an index can change how SQLite reads the rows.
  func hasTables(of schema: Schema) throws(StorageFailure) -> Bool {
    try description() == SQLiteDatabase(path: "", schema: schema).description()
  }

  private func description() throws(StorageFailure) -> [String] {
    let rows = try prepare(
      once: """
        SELECT type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(sql, '') FROM sqlite_schema
        WHERE name NOT LIKE 'sqlite_stat%' ORDER BY type, name
        """)
    var lines: [String] = []
    while try rows.step() { lines.append(rows.text(0)) }
    return lines
  }
}

extension StoreDamage.Rows {
  mutating func add(key: String?) {
    count += 1
    guard let key else {
      hasUnknownKey = true
      return
    }
    let bytes = Array(key.utf8)
    keys.insert(bytes)
    let parts = bytes.split(separator: StoreDamage.separator)
    if parts.count > 1 { keys.formUnion(parts.map(Array.init)) }
  }
}

extension String {
  /// Returns the position after a word between blanks, or nil if the string does not contain the word.
  fileprivate func range(ofWord word: String) -> Index? {
    let parts = split(omittingEmptySubsequences: true) { $0 == " " || $0 == "\n" }
    return parts.first { $0 == word }?.endIndex
  }
}
