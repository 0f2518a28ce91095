import Foundation
import System
import TestSupport
import Testing

@testable import Storage

/// Tests of the conversion of a store from before the log.
@Suite struct NotificationConversionTests {
  private let folder: ScratchFolder
  private let path: String

  init() throws {
    folder = try ScratchFolder()
    path = folder.file("notifications.sqlite")
  }

  /// Creates a store of an earlier schema with notifications in its write-ahead file.
  private func makeFormerStore(version: Int, rows: Int = 40) throws {
    let database = try SQLiteDatabase(
      path: path, schema: NotificationSchema.legacy(version: version))
    for row in 1...rows {
      try database.execute(
        """
        INSERT INTO notification (sequence, device, app, kind, id_high, id_low, unique_high,
          unique_low, expiration, priority, push_type, accepted, collapse, payload)
        VALUES (\(row * 3), \(row % 7 - 3), 5, 1, 1, \(row), 2, \(row), \(row * 10), 5,
          \(row % 2 == 0 ? 257 : 1), 9, \(row % 5 == 0 ? "x'0A'" : "x''"), x'7B7D')
        """)
    }
    try database.execute("UPDATE progress SET highest = 500")
    if version >= 2 { try database.execute("UPDATE progress SET epoch = 7") }
    if version >= 3 { try database.execute("UPDATE progress SET stored = 90") }
    database.close()
  }

  private func sequences() throws -> [UInt64] {
    let store = try SQLiteNotificationStore(path: path)
    defer { store.close() }
    try store.checkInvariants()
    #expect(try store.highestSequence() == 500)
    return try store.devices().flatMap { try store.load(device: $0).map(\.sequence) }.sorted()
  }

  @Test(arguments: 1...4)
  func `A former store is converted, and the old file is kept`(version: Int) throws {
    try makeFormerStore(version: version)
    #expect(try SQLiteNotificationStore.inspect(path: path) == .whole)
    #expect(try NotificationConversion.space(path: path)?.version == version)
    #expect(try sequences() == (1...40).map { $0 * 3 })
    #expect(try NotificationConversion.space(path: path) == nil)
    let store = try SQLiteNotificationStore(path: path)
    #expect(try store.epoch() == (version >= 2 ? 7 : 0))
    #expect(try store.lostCount() == 0)
    let row = try #require(try store.load(device: UInt64(bitPattern: -1)).first)
    #expect(row.sequence == 6 && row.id.isLowercase && row.pushType == 1 && row.expiration == 20)
    #expect(try store.load(device: 2).map(\.collapseID) == [[10], [], [], [], [], [10]])
    let kept = SchemaCopy.path(of: path, schema: version)
    let old = try SQLiteDatabase(path: kept, schema: NotificationSchema.legacy(version: version))
    #expect(try old.integer("SELECT count(*) FROM notification") == 40)
  }

  private struct Interruption: Error {}

  @Test(arguments: NotificationConversion.Step.allCases)
  func `An interrupted conversion starts over`(_ last: NotificationConversion.Step) throws {
    try makeFormerStore(version: 4)
    for _ in 0..<2 {
      #expect(throws: StorageFailure.self) {
        try NotificationConversion.run(path: path) { step throws(StorageFailure) in
          if step == last { throw .closed }
        }
      }
      #expect(try NotificationConversion.legacyVersion(path: path) == 4)
      // A kill can leave anything in the new file.
      try Data("half a file".utf8).write(to: URL(fileURLWithPath: path + ".converted"))
    }
    #expect(try sequences() == (1...40).map { $0 * 3 })
    #expect(!FileSystem.exists(path + ".converted"))
    #expect(FileSystem.exists(SchemaCopy.path(of: path, schema: 4)))
  }

  @Test func `A damaged row of a former store is set aside, and stays set aside`() throws {
    try makeFormerStore(version: 4)
    var file = try Data(contentsOf: URL(fileURLWithPath: path))
    let place = try #require(file.range(of: Data("{}".utf8)))
    file[place.lowerBound] ^= 1
    try file.write(to: URL(fileURLWithPath: path))
    #expect(try SQLiteNotificationStore.inspect(path: path) == .setAside(rows: 1, indexes: 0))
    #expect(try sequences().count == 39)
    let store = try SQLiteNotificationStore(path: path)
    #expect(store.damage.summary == "1 of notification")
    #expect(try store.rowsSetAside().first?.content.contains("device=") == true)
  }

  @Test func `A conversion needs space for the new file, and says how much is missing`() throws {
    try makeFormerStore(version: 4)
    let needed = try #require(try NotificationConversion.space(path: path)).neededBytes
    let files = ["", "-wal"].reduce(0) { $0 + (FileSystem.byteCount(of: path + $1) ?? 0) }
    #expect(needed > files)
    let space = { NotificationConversion.Space(version: 4, neededBytes: 50 << 20, freeBytes: $0) }
    let refusal = try #require(space(50 << 20 - 1).refusal(path: path))
    #expect("\(refusal)".contains("needs 50 MB") && "\(refusal)".contains("49 MB"))
    #expect(space(50 << 20).refusal(path: path) == nil)
    #expect(space(nil).refusal(path: path) == nil)
  }

  @Test func `Damaged counters of a former store do not get a valid checksum`() throws {
    try makeFormerStore(version: 4)
    let database = try SQLiteDatabase(path: path, schema: NotificationSchema.legacy(version: 4))
    let counters = try database.prepare(once: "SELECT checksum FROM progress")
    #expect(try counters.step())
    counters.reset()
    database.close()
    // The number 500 and the epoch, as SQLite stores them: 01F4 and 07.
    var file = try Data(contentsOf: URL(fileURLWithPath: path))
    let place = try #require(file.range(of: Data([0x01, 0xF4, 0x07, 90])))
    file[place.lowerBound] ^= 0x40
    try file.write(to: URL(fileURLWithPath: path))
    // The check of the file did not finish, so the row is found by the conversion.
    let store = try SQLiteNotificationStore(path: path)
    #expect(try store.highestSequence() == 120)
    #expect(try store.epoch() == 0)
    #expect(store.damage.summary == "1 of progress")
    #expect(try store.count() == 40)
  }

  @Test func `A file with an earlier schema is not opened without its conversion`() throws {
    try makeFormerStore(version: 4)
    #expect(throws: StorageFailure.self) {
      try SQLiteDatabase(path: path, schema: NotificationEngine.schema)
    }
    #expect(try NotificationConversion.legacyVersion(path: path) == 4)
  }
}
