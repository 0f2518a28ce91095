import Foundation
import System
import TestSupport
import Testing

@testable import Storage

/// Tests of the schemas of earlier releases, whose files must remain readable forever.
@Suite struct ReleasedSchemaTests {
  /// A store that a release wrote, in an archive in Tests/Fixtures/releases.
  struct Released: Sendable, CustomTestStringConvertible {
    let release: String
    let archive: String
    let file: String
    let version: Int
    let store: Store

    var testDescription: String { "\(release) \(file)" }
  }

  enum Store: CaseIterable, Sendable {
    case control, notifications, registry, records

    var schema: SQLiteDatabase.Schema {
      switch self {
      case .control: ControlEngine.schema
      case .notifications: NotificationEngine.schema
      case .registry: RegistryEngine.schema
      case .records: SQLiteRecordStore.schema
      }
    }

    /// Opens the file in the same way as the program that uses it.
    func open(_ path: String) throws {
      switch self {
      case .control: try SQLiteControlStore(path: path).close()
      case .notifications: try SQLiteNotificationStore(path: path).close()
      case .registry: _ = try SQLiteRegistryStore(path: path)
      case .records: _ = try SQLiteRecordStore(path: path)
      }
    }
  }

  static let released = [
    Released(
      release: "0.1.0", archive: "gateway-backup", file: "control.sqlite", version: 5,
      store: .control),
    Released(
      release: "0.1.0", archive: "gateway-backup", file: "notifications.sqlite", version: 3,
      store: .notifications),
    Released(
      release: "0.1.0", archive: "provider", file: "provider/registry.sqlite", version: 2,
      store: .registry),
    Released(
      release: "0.1.0", archive: "agent", file: "agent/agent.sqlite", version: 1, store: .records),
    Released(
      release: "", archive: "control-7", file: "control.sqlite", version: 7, store: .control),
    Released(
      release: "", archive: "control-8", file: "control.sqlite", version: 8, store: .control),
    Released(
      release: "", archive: "notifications-4", file: "notifications.sqlite", version: 4,
      store: .notifications),
    Released(
      release: "", archive: "registry-3", file: "registry.sqlite", version: 3, store: .registry),
    Released(
      release: "", archive: "registry-4", file: "registry.sqlite", version: 4, store: .registry),
  ]

  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func unpack(_ released: Released) throws -> String {
    if released.release.isEmpty { return try unpackSchema(released) }
    let tar = Process()
    tar.executableURL = URL(filePath: "/usr/bin/env")
    tar.arguments = [
      "tar", "xzf",
      "\(Installation.root)/Tests/Fixtures/releases/\(released.release)/\(released.archive).tar.gz",
      "-C", folder.path,
    ]
    try tar.run()
    tar.waitUntilExit()
    try #require(tar.terminationStatus == 0)
    return folder.file(released.file)
  }

  /// Unpacks a store from Tests/Fixtures/schemas, whose schema was current between two releases.
  private func unpackSchema(_ released: Released) throws -> String {
    let gzip = Process()
    gzip.executableURL = URL(filePath: "/usr/bin/env")
    gzip.arguments = [
      "gzip", "-dc", "\(Installation.root)/Tests/Fixtures/schemas/\(released.archive).sqlite.gz",
    ]
    let path = folder.file(released.file)
    try #require(FileManager.default.createFile(atPath: path, contents: nil))
    gzip.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try gzip.run()
    gzip.waitUntilExit()
    try #require(gzip.terminationStatus == 0)
    return path
  }

  /// Returns all tables and indexes together with their scripts.
  private func objects(_ database: SQLiteDatabase) throws -> Set<String> {
    let rows = try database.prepare(
      once: "SELECT name, coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%'")
    var found: Set<String> = []
    while try rows.step() { found.insert("\(rows.text(0)): \(rows.text(1))") }
    return found
  }

  private func schema(of store: Store, version: Int) -> SQLiteDatabase.Schema {
    .init(
      applicationID: store.schema.applicationID,
      migrations: Array(store.schema.migrations.prefix(version)))
  }

  @Test(arguments: released)
  func `The scripts of a release make the tables that it made`(_ released: Released) throws {
    let schema = schema(of: released.store, version: released.version)
    let theirs = try SQLiteDatabase(path: unpack(released), schema: schema)
    #expect(try theirs.integer("PRAGMA user_version") == Int64(released.version))
    let ours = try SQLiteDatabase(path: folder.file("ours"), schema: schema)
    let expected = try objects(ours)
    #expect(!expected.isEmpty)
    #expect(try objects(theirs) == expected)
  }

  @Test(arguments: released)
  func `A store of a release is opened, and what it had is there`(_ released: Released) throws {
    let path = try unpack(released)
    func rows() throws -> [String: Int64] {
      let database = try SQLiteDatabase(
        path: path, schema: schema(of: released.store, version: .max))
      defer { database.close() }
      let tables = try database.prepare(
        once: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      var counts: [String: Int64] = [:]
      while try tables.step() {
        let count = try database.prepare(once: "SELECT count(*) FROM \(tables.text(0))")
        counts[tables.text(0)] = try count.step() ? count.integer(0) : 0
      }
      return counts
    }
    try released.store.open(path)
    let counts = try rows()
    switch released.store {
    case .control:
      #expect(counts["team"] == 2 && counts["provider_key"] == 3 && counts["device"] == 2)
      #expect(counts["app"] == 2 && counts["registration"] == 4 && counts["channel"] == 1)
    case .notifications: #expect(counts["notification"] == 4)
    case .registry:
      #expect(counts["token"] == 2 && counts["tag"] == 2)
      #expect(counts["campaign"] == (released.release.isEmpty ? 4 : 1))
    case .records: #expect((counts["record"] ?? 0) > 3)
    }
    let isCurrent = released.version == released.store.schema.migrations.count
    #expect(FileSystem.exists(SchemaCopy.path(of: path, schema: released.version)) == !isCurrent)
  }

  @Test func `The campaigns of schema 3 have the states that later versions use`() throws {
    let released = try #require(Self.released.first { $0.archive == "registry-3" })
    let store = try SQLiteRegistryStore(path: unpack(released))
    let campaigns = try store.campaigns()
    #expect(campaigns.map(\.state) == [.draft, .running, .paused, .completed])
    #expect(campaigns.allSatisfy { $0.name == nil })
    let sent = try #require(campaigns.last)
    #expect(
      try store.tallies(of: sent.id) == [
        CampaignTally(outcome: .failed, reason: "BadDeviceToken", language: "", count: 2)
      ])
  }

  @Test(arguments: Store.allCases)
  func `Every older schema is upgraded to the present one, after a copy`(_ store: Store) throws {
    let current = try SQLiteDatabase(path: folder.file("current"), schema: store.schema)
    let wanted = try objects(current)
    for version in 1..<max(2, store.schema.migrations.count) {
      let path = folder.file("older-\(version)")
      try SQLiteDatabase(path: path, schema: schema(of: store, version: version)).close()
      try store.open(path)
      let upgraded = try SQLiteDatabase(path: path, schema: store.schema)
      #expect(try objects(upgraded) == wanted, "\(store) \(version)")
      let isOlder = version < store.schema.migrations.count
      #expect(FileSystem.exists(SchemaCopy.path(of: path, schema: version)) == isOlder)
    }
  }

  @Test(arguments: Store.allCases)
  func `A newer schema is refused, and the file is left unchanged`(_ store: Store) throws {
    let path = folder.file("newer")
    let database = try SQLiteDatabase(path: path, schema: store.schema)
    try database.execute("PRAGMA user_version = 99")
    try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    let before = try FileSystem.read(path, limit: 1_000_000)
    let known = store.schema.migrations.count
    #expect {
      try store.open(path)
    } throws: { error in
      "\(error)"
        == "\(path) has schema version 99, but this release supports up to \(known): use the newer release"
    }
    #expect(try FileSystem.read(path, limit: 1_000_000) == before)
  }
}
