internal import System

/// The rows of a damaged table that can be read, copied to a whole one.
///
/// Rows are read in the order of their key, a number: the rowid, or the first column of a table without. Where
/// a page cannot be read, the search for the next key that can be steps over it: first in growing steps, then
/// by halves. Rows between two damaged pages that lie close together may be passed over.
final class TableCopy {
  private enum Found {
    case key(Int64)
    case end
    case damage
  }

  private let name: String
  private let source: SQLiteDatabase
  private let target: SQLiteDatabase
  private let rows: SQLiteStatement
  private let next: SQLiteStatement
  private let insert: SQLiteStatement
  /// Rows that were copied.
  private(set) var count = 0

  init(
    _ name: String, hasRowid: Bool, from source: SQLiteDatabase, to target: SQLiteDatabase
  ) throws(StorageFailure) {
    self.name = name
    self.source = source
    self.target = target
    let columns = try source.prepare(once: "PRAGMA table_info(\"\(name)\")")
    var names: [String] = []
    while try columns.step() { names.append(columns.text(1)) }
    guard let first = names.first else {
      throw .corrupt(path: source.path, detail: "the table \(name) is missing")
    }
    let key = hasRowid ? "rowid" : first
    // An index may be damaged where the table is not.
    let from = "FROM \"\(name)\"" + (hasRowid ? " NOT INDEXED" : "")
    rows = try source.prepare(
      once: "SELECT \(key), * \(from) WHERE \(key) >= ?1 ORDER BY \(key)")
    next = try source.prepare(
      once: "SELECT \(key) \(from) WHERE \(key) >= ?1 ORDER BY \(key) LIMIT 1")
    let places = names.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    try target.execute("DELETE FROM \"\(name)\"")
    insert = try target.prepare(once: "INSERT INTO \"\(name)\" VALUES (\(places))")
    assert(Int(rows.columnCount) == names.count + 1, "the columns of \(name)")
  }

  /// Copies what can be read; how many rows that are.
  func run() throws(StorageFailure) -> Int {
    var start = Int64.min
    while let stopped = try copy(from: start) {
      // The row after the last one is unreadable, or its page, or many.
      switch find(stopped) {
      case .end: return count
      case .key(let unreadable):
        guard unreadable < .max else { return count }
        start = unreadable + 1
      case .damage:
        guard let readable = readable(after: stopped) else { return count }
        start = readable
      }
    }
    return count
  }

  /// Copies rows from a key on; the key from which on it could not go on, or nil at the end.
  private func copy(from start: Int64) throws(StorageFailure) -> Int64? {
    var reached = start
    try rows.bind(1, start)
    while true {
      do throws(StorageFailure) {
        guard try rows.step() else { return nil }
      } catch {
        guard error.isDamage else { throw error }
        return reached
      }
      let key = rows.integer(0)
      try put()
      guard key < .max else {
        rows.reset()
        return nil
      }
      reached = key + 1
    }
  }

  /// Copies one row; one that the schema does not allow, since what it refers to is lost, is left out.
  private func put() throws(StorageFailure) {
    do throws(StorageFailure) {
      for column in 1..<rows.columnCount { try insert.bind(column, column, of: rows) }
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

  /// The smallest key after `damaged` from which on can be read; nil where there is none.
  private func readable(after damaged: Int64) -> Int64? {
    // Keys below 0 are rare, and steps that begin at the smallest number would soon find the last page alone.
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
    assert(bad < good, "what can be read lies after what cannot")
    while good - bad > 1 {
      let middle = bad + (good - bad) / 2
      if case .damage = find(middle) { bad = middle } else { good = middle }
    }
    return good
  }

  /// How many rows the table has by its largest index; nil where it has none that can be read.
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
