internal import System

/// An operation that copies the readable rows of a damaged table to an intact table.
///
/// Rows are read in ascending order of their key: the rowid or, in a table without a rowid, the first column.
///
/// If the key is a number and a page cannot be read, a search finds the next readable key: first in growing steps, then
/// by bisection. The search might skip rows between two damaged pages that are close together. If the key is a string,
/// only the rows before the first damaged page and after the last damaged page are read.
///
/// A row with a wrong checksum is moved to `set_aside` instead of being copied, because the copy would receive a
/// correct checksum. In `set_aside`, a single entry without a key represents all unreadable rows.
final class TableCopy {
  private enum Found {
    case key(Int64)
    case end
    case damage
  }

  /// The beginning of the note that represents an unknown number of unreadable rows.
  static let gapNote = "rows that could not be read"

  private let name: String
  /// The column by which the rows are ordered.
  private let key: String
  /// The clause that reads the table without its indexes, because an index can be damaged even if the table is intact.
  private let from: String
  /// The condition that a row's key is at or after the parameter.
  ///
  /// For keys that are strings, the condition has a unary plus, because SQLite would otherwise convert the number to a
  /// string, and some strings are less than that string.
  private let atOrAfter: String
  private let source: SQLiteDatabase
  private let target: SQLiteDatabase
  private let rows: SQLiteStatement
  private let next: SQLiteStatement
  private let insert: SQLiteStatement
  private let checksummed: ChecksummedTable?
  private let columnCount: Int32
  /// The statement that reads the rows in reverse order; nil if the key is a number.
  private let rowsBackwards: SQLiteStatement?
  /// The damaged file's new path, for messages.
  private let aside: String
  /// The number of copied rows.
  private(set) var count = 0
  /// The number of rows that were readable but had changed since they were written.
  private(set) var setAsideCount = 0
  private var hasGaps = false
  /// The keys from which rows were read in ascending order: the lowest one, and one after each gap.
  private var starts: [Int64] = []

  init(
    _ name: String, hasRowid: Bool, checksummed: ChecksummedTable?, from source: SQLiteDatabase,
    to target: SQLiteDatabase, aside: String
  ) throws(StorageFailure) {
    self.name = name
    self.checksummed = checksummed
    self.aside = aside
    self.source = source
    self.target = target
    // Use the new file's description, because the damaged file's description of its tables might be wrong. The
    // description does not include the generated checksum column.
    let columns = try target.prepare(once: "PRAGMA table_info(\"\(name)\")")
    var names: [String] = []
    var isNumbered = hasRowid
    while try columns.step() {
      if names.isEmpty, columns.text(2) == "INTEGER" { isNumbered = true }
      names.append(columns.text(1))
    }
    guard let first = names.first else {
      throw .corrupt(path: source.path, detail: "the table \(name) is missing")
    }
    key = hasRowid ? "rowid" : first
    columnCount = Int32(names.count)
    from = "FROM \"\(name)\"" + (hasRowid ? " NOT INDEXED" : "")
    let select =
      "SELECT \(key), \(names.joined(separator: ", ")), \(checksummed?.isWhole ?? "1") \(from) "
    atOrAfter = (isNumbered ? key : "+" + key) + " >= ?1"
    rows = try source.prepare(once: select + "WHERE \(atOrAfter) ORDER BY \(key)")
    rowsBackwards =
      isNumbered ? nil : try source.prepare(once: select + "ORDER BY \(key) DESC")
    next = try source.prepare(
      once: "SELECT \(key) \(from) WHERE \(key) >= ?1 ORDER BY \(key) LIMIT 1")
    let places = names.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    try target.execute("DELETE FROM \"\(name)\"")
    insert = try target.prepare(
      once: "INSERT INTO \"\(name)\" (\(names.joined(separator: ", "))) VALUES (\(places))")
    assert(rows.columnCount == columnCount + 2, "the query returns the expected columns of \(name)")
  }

  /// Copies the readable rows.
  ///
  /// Returns their number.
  func run() throws(StorageFailure) -> Int {
    try copyAll()
    if setAsideCount > 0 { try copyDamagedRows() }
    return count
  }

  private func copyAll() throws(StorageFailure) {
    var start = Int64.min
    if let rowsBackwards {
      // In SQLite, every string is greater than any number, so this call starts at the first row.
      guard try copy(from: start) != nil else { return }
      hasGaps = true
      return try copy(rowsBackwards)
    }
    while let stopped = try copy(from: start) {
      // The next row cannot be read: the row itself, its page, or many pages are damaged.
      hasGaps = true
      switch find(stopped) {
      case .end: return
      case .key(let unreadable):
        guard unreadable < .max else { return }
        start = unreadable + 1
      case .damage:
        guard let readable = readable(after: stopped) else { return }
        start = readable
      }
    }
  }

  /// Records in the new file that rows are missing.
  ///
  /// The note is written if some rows could not be read or if the indexes listed more rows.
  func noteGaps(lost: Int?, atMilliseconds now: Int64) throws(StorageFailure) {
    guard checksummed != nil, hasGaps || lost ?? 0 > 0 else { return }
    let note = try target.prepare(
      once: "INSERT INTO set_aside (source, content, found) VALUES (?1, ?2, ?3)")
    try note.bind(1, name)
    try note.bind(2, "\(Self.gapNote), in \(aside)")
    try note.bind(3, now)
    try note.run()
  }

  /// Copies the damaged rows to `set_aside`.
  ///
  /// Reads the same parts of the table as ``copyAll()``.
  private func copyDamagedRows() throws(StorageFailure) {
    guard let checksummed else { return }
    let select =
      "SELECT \(checksummed.vouchedKey), \(checksummed.content) \(from) "
      + "WHERE NOT \(checksummed.isWhole) "
    let damaged = try source.prepare(once: select + "AND \(atOrAfter) ORDER BY \(key)")
    for start in starts {
      try damaged.bind(1, start)
      try setAside(damaged)
    }
    if rowsBackwards != nil, hasGaps {
      try setAside(source.prepare(once: select + "ORDER BY \(key) DESC"))
    }
  }

  /// Copies damaged rows to `set_aside`, until a row cannot be read.
  private func setAside(_ damaged: SQLiteStatement) throws(StorageFailure) {
    let put = try target.prepare(
      once: "INSERT INTO set_aside (source, key, content, found) VALUES (?1, ?2, ?3, ?4)")
    do throws(StorageFailure) {
      while try damaged.step() {
        try put.bind(1, name)
        try put.bind(2, damaged.optionalText(0))
        try put.bind(3, damaged.text(1))
        try put.bind(4, SystemClock.unixMilliseconds)
        try put.run()
      }
    } catch {
      guard error.isDamage else { throw error }
      hasGaps = true
    }
  }

  /// Copies rows starting from a key.
  ///
  /// Returns the key at which reading failed, or nil at the end.
  private func copy(from start: Int64) throws(StorageFailure) -> Int64? {
    var reached = start
    starts.append(start)
    try rows.bind(1, start)
    while true {
      do throws(StorageFailure) {
        guard try rows.step() else { return nil }
      } catch {
        guard error.isDamage else { throw error }
        return reached
      }
      let key = rows.integer(0)
      if rows.integer(columnCount + 1) != 0 { try put(rows) } else { setAsideCount += 1 }
      guard key < .max else {
        rows.reset()
        return nil
      }
      reached = key + 1
    }
  }

  /// Copies rows until one cannot be read.
  ///
  /// Rows that were already copied stay unchanged.
  private func copy(_ rows: SQLiteStatement) throws(StorageFailure) {
    do throws(StorageFailure) {
      while try rows.step() {
        if rows.integer(columnCount + 1) != 0 { try put(rows) } else { setAsideCount += 1 }
      }
    } catch {
      guard error.isDamage else { throw error }
    }
  }

  /// Copies one row.
  ///
  /// Omits a row that violates the schema, for example because a row that it refers to is missing.
  private func put(_ rows: SQLiteStatement) throws(StorageFailure) {
    do throws(StorageFailure) {
      for column in 1...columnCount { try insert.bind(column, column, of: rows) }
      try insert.run()
      count += 1
    } catch {
      switch error {
      case .exists, .missing: return
      default: throw error
      }
    }
  }

  private func find(_ key: Int64) -> Found {
    do throws(StorageFailure) {
      try next.bind(1, key)
      guard try next.step() else { return .end }
      let found = next.integer(0)
      next.reset()
      return .key(found)
    } catch {
      return .damage
    }
  }

  /// Returns the smallest key after `damaged` from which rows can be read, or nil if no further rows can be read.
  private func readable(after damaged: Int64) -> Int64? {
    // Start at -1 or above. Keys below 0 are rare, and steps that grow from the smallest number would skip almost all
    // pages.
    let start = max(damaged, -1)
    var bad = start
    var good: Int64?
    var distance: Int64 = 1
    while good == nil {
      let (sum, isOver) = start.addingReportingOverflow(distance)
      let key = isOver ? .max : sum
      if case .damage = find(key) { bad = key } else { good = key }
      if good == nil, isOver || distance == .max { return nil }
      distance = distance > .max / 2 ? .max : distance * 2
    }
    guard var good else { return nil }
    assert(bad < good, "the readable row is after the damaged one")
    while good - bad > 1 {
      let middle = bad + (good - bad) / 2
      if case .damage = find(middle) { bad = middle } else { good = middle }
    }
    return good
  }

  /// Returns the number of rows according to the table's largest index, or nil if no index can be read.
  func countByIndexes() throws(StorageFailure) -> Int? {
    let indexes = try target.prepare(
      once: "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = '\(name)' "
        + "AND (sql IS NULL OR sql NOT LIKE '% WHERE %')")
    var most: Int?
    while try indexes.step() {
      let query = "SELECT count(*) FROM \"\(name)\" INDEXED BY \"\(indexes.text(0))\""
      guard let rows = try? source.prepare(once: query), (try? rows.step()) == true else {
        continue
      }
      most = max(most ?? 0, Int(rows.integer(0)))
    }
    return most
  }
}
