internal import System

/// The result of checking a store's file at startup.
public enum StoreInspection: Sendable, Equatable {
  /// The file is intact, or does not exist.
  case whole
  /// The time limit was reached before the end of the check; no damage was found up to that point.
  case unfinished
  /// Some rows had changed since they were written; these rows were moved into the table `set_aside`.
  ///
  /// `indexes` is the number of indexes that didn't match the rows and were rebuilt.
  case setAside(rows: Int, indexes: Int)
  /// The file was damaged, and a new file has replaced it.
  ///
  /// The damaged file remains in the same folder, under the path in `asideFile`.
  case repaired(StoreRepair)
}

/// The result of repairing a damaged file.
public struct StoreRepair: Sendable, Equatable {
  /// SQLite's description of the damage.
  public let damage: String
  /// The damaged file's new path.
  public let asideFile: String
  /// The number of rows in the new file.
  public let rowsKept: Int
  /// The number of readable rows that had changed since they were written; they are in the table `set_aside`.
  public let rowsSetAside: Int
  /// The number of unreadable rows according to the indexes; nil if no index can be read.
  public let rowsLost: Int?
}

extension StoreInspection {
  /// Checks the file at `path` and, if it is damaged, replaces it with a new file that contains the readable rows.
  ///
  /// Even if the process is terminated during the replacement, the path refers to either the old file or the new one.
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
        // An index cannot be created if two damaged rows have the same indexed values.
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
    // Empty the write-ahead log, because SQLite would otherwise apply it to the new file.
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
    // List the tables in order of creation, so that referenced rows are copied first.
    let tables = try new.prepare(
      once: "SELECT listed.name, listed.wr FROM pragma_table_list AS listed "
        + "JOIN sqlite_schema AS made ON made.name = listed.name "
        + "WHERE listed.schema = 'main' AND made.type = 'table' ORDER BY made.rowid")
    var names: [(name: String, hasRowid: Bool)] = []
    while try tables.step() { names.append((tables.text(0), tables.integer(1) == 0)) }
    assert(!names.isEmpty, "a store has at least one table")
    // Copy `set_aside` first, so that rows that were set aside earlier keep their numbers.
    names.sort { $0.name == ChecksummedTable.setAside.name && $1.name != $0.name }
    // Retain rows that refer to a damaged row, because the damaged row might be restored later.
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
