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
    // All scripts form one transaction, so the second script, although valid, was also rolled back.
    #expect(
      try SQLiteDatabase(path: path, schema: .init(applicationID: 9, migrations: [first]))
        .integer("PRAGMA user_version") == 1)
    let database = try SQLiteDatabase(
      path: path, schema: .init(applicationID: 9, migrations: [first, second]))
    #expect(try database.integer("SELECT sum(x * y) FROM t") == 21)
    #expect(try database.integer("PRAGMA user_version") == 2)
    #expect(try database.integer("PRAGMA synchronous") == 2)
  }

  @Test
  func `Before an upgrade the file is copied, with what its write-ahead log had, and only then`()
    throws
  {
    let path = folder.file("a.db")
    let first: StaticString = "CREATE TABLE t (x INTEGER) STRICT; INSERT INTO t VALUES (7)"
    let second: StaticString = "DROP TABLE t"
    let former = SQLiteDatabase.Schema(applicationID: 9, migrations: [first])
    let current = SQLiteDatabase.Schema(applicationID: 9, migrations: [first, second])
    let database = try SQLiteDatabase(path: path, schema: former)
    try database.execute("INSERT INTO t VALUES (8)")
    try #require(FileSystem.byteCount(of: path + "-wal") ?? 0 > 0)
    let copy = SchemaCopy.path(of: path, schema: 1)
    #expect(!FileSystem.exists(copy))
    try SQLiteDatabase(path: path, schema: current).close()
    #expect(try FileSystem.mode(of: copy) & 0o777 == 0o600)
    #expect(try SQLiteDatabase(path: copy, schema: former).integer("SELECT sum(x) FROM t") == 15)
    #expect(throws: StorageFailure.self) { try SQLiteDatabase(path: path, schema: former) }
    // A start without an upgrade creates no copy.
    try FileSystem.remove(copy)
    try SQLiteDatabase(path: path, schema: current).close()
    #expect(!FileSystem.exists(copy))
  }

  @Test func `A store is not upgraded if it cannot be copied first`() throws {
    let path = folder.file("a.db")
    let first: StaticString = "CREATE TABLE t (x INTEGER) STRICT; INSERT INTO t VALUES (7)"
    let former = SQLiteDatabase.Schema(applicationID: 9, migrations: [first])
    try SQLiteDatabase(path: path, schema: former).close()
    // The copy can't replace a folder of the same name unless the folder is empty.
    try FileSystem.makeDirectories(SchemaCopy.path(of: path, schema: 1) + "/x")
    #expect(throws: StorageFailure.self) {
      try SQLiteDatabase(
        path: path, schema: .init(applicationID: 9, migrations: [first, "DROP TABLE t"]))
    }
    #expect(!FileSystem.exists(SchemaCopy.path(of: path, schema: 1) + ".unfinished"))
    #expect(try SQLiteDatabase(path: path, schema: former).integer("SELECT x FROM t") == 7)
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
