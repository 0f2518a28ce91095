internal import System

/// What the check of a store's file at the start found.
public enum StoreInspection: Sendable, Equatable {
  /// Nothing is wrong, or there is no file.
  case whole
  /// The time for the check was over before its end: nothing is wrong as far as it came.
  case unfinished
  /// Some rows were not what was written, and were moved into the table `set_aside`; that many indexes disagreed
  /// with their tables, and were made again.
  case setAside(rows: Int, indexes: Int)
  /// There was damage: the file has a new one in its place, and lies beside it under the name `asideFile`.
  case repaired(StoreRepair)
}

/// What became of a damaged file.
public struct StoreRepair: Sendable, Equatable {
  /// What SQLite says of the damage.
  public let damage: String
  /// The damaged file's new path.
  public let asideFile: String
  /// Rows of the new file.
  public let rowsKept: Int
  /// Rows that could be read and are not what was written, in the table `set_aside`.
  public let rowsSetAside: Int
  /// Rows that could not be read, as far as the indexes tell; nil where they do not.
  public let rowsLost: Int?
}

extension StoreInspection {
  /// Checks the file at `path` and, where it is damaged, puts a new one in its place with the rows that can be
  /// read.
  ///
  /// Whatever ends the process meanwhile, the path has the old file or the new one.
  static func inspect(
    path: String, schema: SQLiteDatabase.Schema
  ) throws(StorageFailure) -> StoreInspection {
    guard FileSystem.exists(path) else { return .whole }
    let database = try SQLiteDatabase(path: path, schema: schema)
    defer { database.close() }
    switch try database.check(schema, nanoseconds: Limits.checkNanoseconds) {
    case .whole: return .whole
    case .unfinished: return .unfinished
    case .damaged(let damage):
      return .repaired(try repair(database, schema: schema, damage: damage))
    case .hasDamagedRows:
      do throws(StorageFailure) {
        let found = try database.setAsideDamage(
          of: schema, atMilliseconds: SystemClock.unixMilliseconds)
        return .setAside(rows: found.rows, indexes: found.indexes)
      } catch {
        switch error {
        // An index cannot be made where two damaged rows look alike.
        case .corrupt(_, let detail), .exists(let detail):
          return .repaired(try repair(database, schema: schema, damage: detail))
        default: throw error
        }
      }
    }
  }

  private static func repair(
    _ database: SQLiteDatabase, schema: SQLiteDatabase.Schema, damage: String
  ) throws(StorageFailure) -> StoreRepair {
    let path = database.path
    let new = path + ".repaired"
    let aside = path + ".damaged-\(SystemClock.unixMilliseconds / 1_000)"
    do throws(SystemFailure) {
      for file in [new, new + "-wal", new + "-shm"] { try FileSystem.remove(file) }
    } catch {
      throw .system(error)
    }
    let copy = try copyRows(of: database, to: new, schema: schema, aside: aside)
    // A write-ahead file that stays would be taken for the new file's.
    try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    do throws(SystemFailure) {
      try FileSystem.link(path, at: aside)
      try FileSystem.move(new, to: path)
    } catch {
      throw .system(error)
    }
    return StoreRepair(
      damage: damage, asideFile: aside, rowsKept: copy.kept, rowsSetAside: copy.setAside,
      rowsLost: copy.lost)
  }

  private static func copyRows(
    of database: SQLiteDatabase, to path: String, schema: SQLiteDatabase.Schema, aside: String
  ) throws(StorageFailure) -> (kept: Int, setAside: Int, lost: Int?) {
    let new = try SQLiteDatabase(path: path, schema: schema)
    defer { new.close() }
    var kept = 0
    var setAside = 0
    var lost: Int? = 0
    // In the order of their making: what a row refers to comes first.
    let tables = try new.prepare(
      once: "SELECT listed.name, listed.wr FROM pragma_table_list AS listed "
        + "JOIN sqlite_schema AS made ON made.name = listed.name "
        + "WHERE listed.schema = 'main' AND made.type = 'table' ORDER BY made.rowid")
    var names: [(name: String, hasRowid: Bool)] = []
    while try tables.step() { names.append((tables.text(0), tables.integer(1) == 0)) }
    assert(!names.isEmpty, "a store has tables")
    // Rows that were set aside before keep their numbers.
    names.sort { $0.name == ChecksummedTable.setAside.name && $1.name != $0.name }
    // Rows whose parent is damaged are kept: what depends on it waits for it.
    try new.execute("PRAGMA foreign_keys = OFF")
    try new.transaction { () throws(StorageFailure) in
      for table in names {
        let copy = try TableCopy(
          table.name, hasRowid: table.hasRowid,
          checksummed: schema.tables.first { $0.name == table.name }, from: database, to: new,
          aside: aside)
        kept += try copy.run()
        setAside += copy.setAsideCount
        let before = try? copy.countByIndexes()
        let missing = before.map { max(0, $0 - copy.count - copy.setAsideCount) }
        lost = if let lost, let missing { lost + missing } else { nil }
        try copy.noteGaps(lost: missing, atMilliseconds: SystemClock.unixMilliseconds)
      }
      if schema.afterRepair.utf8CodeUnitCount > 0 { try new.execute("\(schema.afterRepair)") }
    }
    return (kept, setAside, lost)
  }
}
