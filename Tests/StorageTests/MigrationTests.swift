import System
import TestSupport
import Testing

@testable import Storage

@Suite struct MigrationTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  @Test
  func `an older file is brought up to date, its rows kept; a script that fails changes nothing`()
    throws
  {
    let path = folder.file("a.db")
    let first: StaticString = "CREATE TABLE t (x INTEGER) STRICT; INSERT INTO t VALUES (7)"
    let second: StaticString = "ALTER TABLE t ADD COLUMN y INTEGER NOT NULL DEFAULT 3"
    let broken: StaticString = "INSERT INTO t VALUES (8, 8); SELECT nonsense"
    try SQLiteDatabase(path: path, schema: .init(applicationID: 9, migrations: [first])).close()
    #expect(throws: StorageFailure.self) {
      try SQLiteDatabase(
        path: path, schema: .init(applicationID: 9, migrations: [first, second, broken]))
    }
    let database = try SQLiteDatabase(
      path: path, schema: .init(applicationID: 9, migrations: [first, second]))
    #expect(try database.integer("SELECT sum(x * y) FROM t") == 21)
    #expect(try database.integer("PRAGMA user_version") == 2)
    #expect(try database.integer("PRAGMA synchronous") == 2)
  }

  @Test
  func `a transaction that throws is undone, and the next one works`() throws {
    let database = try SQLiteDatabase(
      path: "", schema: .init(applicationID: 9, migrations: ["CREATE TABLE t (x INTEGER) STRICT"]))
    #expect(throws: StorageFailure.self) {
      try database.transaction { () throws(StorageFailure) in
        try database.execute("INSERT INTO t VALUES (1)")
        throw .missing(what: "a reason to go on")
      }
    }
    try database.transaction { () throws(StorageFailure) in
      try database.execute("INSERT INTO t VALUES (2)")
    }
    #expect(try database.integer("SELECT sum(x) FROM t") == 2)
  }
}
