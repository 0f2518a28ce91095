import Foundation
import PushWire
import System
import TestSupport
import Testing

@testable import Storage

/// Tests of the log of notifications: what a crash, a damaged record, or the removal of records must not bring back.
@Suite struct NotificationLogTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// A pace at which the smallest file is swept, a few records at a time.
  private static var smallPace: SweepPace {
    var pace = SweepPace()
    pace.slackBytes = 0
    pace.liveTenths = 0
    pace.sliceRecordsMin = 5
    pace.removedPerChanged = 0
    return pace
  }

  private func key(_ device: UInt64, app: UInt32 = 1) -> NotificationKey {
    NotificationKey(device: device, app: app, kind: 1)
  }

  private func put(
    _ sequence: UInt64, device: UInt64, keep: UInt32 = 1, bytes: Int = 60, collapse: [UInt8] = [],
    expiration: Int64 = .max
  ) -> StoreOperation {
    .put(
      .sample(
        sequence, key(device),
        payload: [UInt8](repeating: UInt8(truncatingIfNeeded: sequence), count: bytes),
        collapse: collapse, expiration: expiration), keep: keep)
  }

  private func contents(_ store: SQLiteNotificationStore) throws -> [StoredNotification] {
    try store.devices().flatMap { try store.load(device: $0) }
  }

  private func sequences(_ store: SQLiteNotificationStore) throws -> [UInt64] {
    try contents(store).map(\.sequence)
  }

  private func recordCount(_ path: String) throws -> Int64 {
    try SQLiteDatabase(path: path, schema: NotificationEngine.schema)
      .integer("SELECT count(*) FROM notification")
  }

  /// Copies a store as a kill of its process leaves it.
  private func killed(_ path: String, as name: String) throws -> String {
    let copy = folder.file(name)
    for ending in ["", "-wal", "-mark"] where FileManager.default.fileExists(atPath: path + ending)
    {
      try? FileManager.default.removeItem(atPath: copy + ending)
      try FileManager.default.copyItem(atPath: path + ending, toPath: copy + ending)
    }
    return copy
  }

  // MARK: Crashes

  /// Kills a store after each slice of a sweep.
  ///
  /// Returns the number of kills after which the store has other notifications, or reports damage.
  private func revivals(pace: SweepPace) throws -> Int {
    let path = folder.file("store")
    let store = try SQLiteNotificationStore(path: path, pace: pace)
    var sequence: UInt64 = 0
    for _ in 0..<20 {
      try store.commit(
        (0..<10).map { device in
          sequence += 1
          return put(sequence, device: UInt64(device))
        })
    }
    try store.commit([
      .remove(key(3), sequence: 194), .removeDevice(4), .removeKey(key(5)), put(201, device: 6),
      .withdraw(key(7), uniqueID: NotificationID(high: 2, low: 198)),
    ])
    let expected = try contents(store)
    var found = 0
    var slices = 0
    var hasMore = true
    while hasMore {
      hasMore = store.sweep()
      slices += 1
      let copy = try killed(path, as: "killed")
      let again = try SQLiteNotificationStore(path: copy)
      if try contents(again) != expected || again.damage.count > 0 { found += 1 }
      again.close()
    }
    #expect(slices > 5, "the sweep has several slices")
    try store.checkInvariants()
    store.close()
    return found
  }

  @Test func `A kill between the slices of a sweep brings nothing back`() throws {
    #expect(try revivals(pace: Self.smallPace) == 0)
  }

  @Test func `A kill finds a sweep that removes the newest records first`() throws {
    var pace = Self.smallPace
    pace.isReversed = true
    #expect(try revivals(pace: pace) > 0)
  }

  @Test func `After a sweep, only what is stored and the newest records are left`() throws {
    let path = folder.file("store")
    let store = try SQLiteNotificationStore(path: path, pace: Self.smallPace)
    for sequence in UInt64(1)...2_000 { try store.commit([put(sequence, device: sequence % 4)]) }
    while store.sweep() {}
    store.close()
    #expect(try recordCount(path) < 200)
    let again = try SQLiteNotificationStore(path: path)
    #expect(try sequences(again).sorted() == [1_997, 1_998, 1_999, 2_000])
  }

  @Test func `A commit removes no records`() throws {
    let path = folder.file("store")
    let store = try SQLiteNotificationStore(path: path, pace: Self.smallPace)
    for sequence in UInt64(1)...300 { try store.commit([put(sequence, device: 1)]) }
    // Each commit except the first has also appended what it ended.
    #expect(try recordCount(path) == 599)
  }

  @Test func `No sequence and no position is used again after everything was removed`() throws {
    let path = folder.file("store")
    var store = try SQLiteNotificationStore(path: path, pace: Self.smallPace)
    try store.commit((1...90).map { put($0, device: $0) })
    try store.commit((1...90).map { .removeDevice($0) })
    try store.commit([put(91, device: 1)])
    try store.commit([.removeDevice(1)])
    while store.sweep() {}
    store.close()
    let database = try SQLiteDatabase(path: path, schema: NotificationEngine.schema)
    try database.execute("DELETE FROM notification")
    database.close()
    store = try SQLiteNotificationStore(path: path)
    #expect(try store.highestSequence() == 91)
    #expect(try store.count() == 0)
    try store.commit([put(92, device: 1)])
    store.close()
    let again = try SQLiteDatabase(path: path, schema: NotificationEngine.schema)
    // 91 notifications and 2 records of ends were stored before.
    #expect(try again.integer("SELECT min(position) FROM notification") == 94)
  }

  // MARK: The size of the file

  @Test func `The file stays small while one notification is kept, and shrinks at the end`() throws
  {
    let path = folder.file("store")
    var pace = SweepPace()
    pace.slackBytes = 1 << 20
    let store = try SQLiteNotificationStore(path: path, pace: pace)
    try store.commit([put(1, device: 1_000_000, bytes: 250)])
    var sequence: UInt64 = 1
    var random = SeededGenerator(seed: 1)
    let devices: UInt64 = 4_000
    let bound = Int(devices) * 331 * 4 + (2 << 20)
    for _ in 0..<400 {
      try store.commit(
        (0..<200).map { _ in
          sequence += 1
          return put(sequence, device: .random(in: 0..<devices, using: &random), bytes: 250)
        })
      _ = store.sweep(isIdle: false)
      #expect(FileSystem.byteCount(of: path) ?? 0 <= bound)
    }
    #expect(try store.load(device: 1_000_000).map(\.sequence) == [1])
    try store.commit((0..<devices).map { .removeDevice($0) })
    while store.sweep() {}
    let used = try SQLiteDatabase(path: path, schema: NotificationEngine.schema)
      .integer("PRAGMA page_count")
    #expect(used * 4_096 < 2 << 20, "the file returns unused pages")
    #expect(try store.load(device: 1_000_000).map(\.sequence) == [1])
    try store.checkInvariants()
  }

  @Test func `A few devices with large payloads do not fill the file beside many small ones`()
    throws
  {
    let path = folder.file("store")
    var pace = SweepPace()
    pace.slackBytes = 1 << 20
    let store = try SQLiteNotificationStore(path: path, pace: pace)
    try store.commit((1...8_000).map { put($0, device: $0, bytes: 20) })
    let bound = 8_000 * 101 * 4 + (2 << 20)
    // Fewer notifications than are stored, so all of them are among the newest records.
    for start in stride(from: UInt64(8_001), to: 15_000, by: 50) {
      try store.commit((0..<50).map { put(start + $0, device: 1 + $0 % 5, bytes: 4_000) })
      while store.sweep() {}
      #expect(FileSystem.byteCount(of: path) ?? 0 <= bound)
    }
  }

  @Test func `A busy writer with large payloads sweeps fast enough for what small ones left`()
    throws
  {
    let path = folder.file("store")
    var pace = SweepPace()
    pace.slackBytes = 4 << 20
    pace.sliceRecordsMin = 100
    let store = try SQLiteNotificationStore(path: path, pace: pace)
    var sequence: UInt64 = 0
    func commit(_ count: Int, devices: UInt64, bytes: Int) throws {
      try store.commit(
        (0..<count).map { _ in
          sequence += 1
          return put(sequence, device: sequence % devices, bytes: bytes)
        })
      _ = store.sweep(isIdle: false)
    }
    // Almost as many ended records as the file may have before a sweep.
    for _ in 0..<28 { try commit(1_000, devices: 200, bytes: 20) }
    let bound = (5 * 4_081 + 195 * 101) * 4 + pace.slackBytes * 64 / 44
    var largest = 0
    for _ in 0..<160 {
      try commit(64, devices: 5, bytes: 4_000)
      largest = max(largest, FileSystem.byteCount(of: path) ?? 0)
    }
    #expect(largest <= bound)
    try store.checkInvariants()
  }

  @Test func `The file shrinks while a busy writer ends most notifications`() throws {
    let path = folder.file("store")
    var pace = SweepPace()
    pace.slackBytes = 2 << 20
    let store = try SQLiteNotificationStore(path: path, pace: pace)
    let devices: UInt64 = 6_000
    for start in stride(from: UInt64(1), through: devices, by: 200) {
      try store.commit((start..<start + 200).map { put($0, device: $0, bytes: 4_000) })
      _ = store.sweep(isIdle: false)
    }
    #expect(FileSystem.byteCount(of: path) ?? 0 > 20 << 20)
    for start in stride(from: UInt64(1), through: devices - 200, by: 50) {
      try store.commit((start..<start + 50).map { .removeDevice($0) })
      _ = store.sweep(isIdle: false)
    }
    let bound = 200 * 4_081 * 4 + pace.slackBytes * 64 / 44
    #expect(FileSystem.byteCount(of: path) ?? 0 <= bound * 3 / 2)
    while store.sweep() {}
    #expect(FileSystem.byteCount(of: path) ?? 0 <= bound)
    try store.checkInvariants()
  }

  @Test func `A writer sweeps after its answers, until nothing is left to do`() throws {
    let loop = try EventLoop()
    let ends = loop.mailbox(of: Bool.self) { _ in loop.stop() }
    let store = SweptStore(slices: 5) { ends.post(true) }
    let writer = try GroupCommitWriter(store: store, metrics: MetricRegistry())
    let mailbox = loop.mailbox(of: StoreReply.self) { _ in }
    writer.submit(batch: [put(1, device: 1)], ticket: 1, reply: mailbox)
    loop.run()
    writer.close()
    #expect(store.slices == 0)
  }

  @Test func `A writer that closes does not wait for the end of a sweep`() throws {
    let store = SweptStore(slices: .max)
    let writer = try GroupCommitWriter(store: store, metrics: MetricRegistry())
    let loop = try EventLoop()
    let mailbox = loop.mailbox(of: StoreReply.self) { _ in loop.stop() }
    writer.submit(batch: [put(1, device: 1)], ticket: 1, reply: mailbox)
    loop.run()
    writer.close()
    #expect(store.slices > 0)
  }

  // MARK: Damage

  /// Commits ends of every kind, and returns the positions of the records of ends.
  private func storeWithEnds(_ path: String) throws -> [Int64] {
    let store = try SQLiteNotificationStore(path: path)
    try store.commit((1...20).map { put($0, device: $0 % 5, keep: .max) })
    try store.commit([.remove(key(1), sequence: 6)])
    try store.commit([.removeDevice(2), .remove(key(3), sequence: 3)])
    try store.commit([put(21, device: 0)])
    store.close()
    let database = try SQLiteDatabase(path: path, schema: NotificationEngine.schema)
    let ends = try database.prepare(
      once: "SELECT position FROM notification WHERE hex(substr(data, 1, 1)) = '5E'")
    var positions: [Int64] = []
    while try ends.step() { positions.append(ends.integer(0)) }
    return positions
  }

  /// Changes a record without its checksum, as a disk does.
  private func change(_ path: String, position: Int64, _ body: (inout [UInt8]) -> Void) throws {
    let database = try SQLiteDatabase(path: path, schema: NotificationEngine.schema)
    let row = try database.prepare(once: "SELECT data FROM notification WHERE position = ?1")
    try row.bind(1, position)
    #expect(try row.step())
    let before = row.bytes(0)
    row.reset()
    database.close()
    var after = before
    body(&after)
    var file = try Data(contentsOf: URL(fileURLWithPath: path))
    let place = try #require(file.range(of: Data(before)))
    file.replaceSubrange(place, with: after)
    try file.write(to: URL(fileURLWithPath: path))
  }

  @Test func `A flipped bit in a record of ends brings nothing back, and is reported`() throws {
    let path = folder.file("store")
    let ends = try storeWithEnds(path)
    #expect(ends.count == 3)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    let expected = Set(try contents(try SQLiteNotificationStore(path: path)))
    for position in ends {
      var count = 1
      var bit = 0
      while bit < count * 8 {
        try whole.write(to: URL(fileURLWithPath: path))
        try change(path, position: position) { bytes in
          count = bytes.count
          bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        }
        #expect(try SQLiteNotificationStore.inspect(path: path) == .setAside(rows: 1, indexes: 0))
        var store = try SQLiteNotificationStore(path: path)
        #expect(Set(try contents(store)) == expected, "bit \(bit) of record \(position)")
        #expect(store.damage.summary == "1 of notification")
        #expect(try store.rowsSetAside().map(\.table) == ["notification"])
        // Once the operator has discarded the record, its notifications still do not return.
        #expect(try store.forgetSetAside() == 1)
        store.close()
        store = try SQLiteNotificationStore(path: path)
        #expect(Set(try contents(store)) == expected, "bit \(bit) of record \(position)")
        #expect(store.damage.summary == nil)
        store.close()
        bit += 7
      }
    }
  }

  @Test func `What an unreadable record has ended does not return`() throws {
    let path = folder.file("store")
    let ends = try storeWithEnds(path)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    let expected = Set(try contents(try SQLiteNotificationStore(path: path)))
    for position in ends {
      try whole.write(to: URL(fileURLWithPath: path))
      try change(path, position: position) { $0 = [UInt8](repeating: 0x55, count: $0.count) }
      #expect(try SQLiteNotificationStore.inspect(path: path) == .setAside(rows: 1, indexes: 0))
      var store = try SQLiteNotificationStore(path: path)
      #expect(Set(try contents(store)) == expected, "record \(position)")
      #expect(store.damage.summary == "1 of notification")
      #expect(try store.forgetSetAside() == 1)
      store.close()
      store = try SQLiteNotificationStore(path: path)
      #expect(Set(try contents(store)) == expected, "record \(position)")
      try store.checkInvariants()
      store.close()
    }
  }

  @Test func `A damaged notification is set aside while the store is open, and can be forgotten`()
    throws
  {
    let path = folder.file("store")
    let store = try SQLiteNotificationStore(path: path)
    try store.commit((1...9).map { put($0, device: $0 % 3, keep: .max) })
    store.close()
    try change(path, position: 5) { $0[90] ^= 4 }
    var again = try SQLiteNotificationStore(path: path)
    #expect(try sequences(again).sorted() == [1, 2, 3, 4, 6, 7, 8, 9])
    #expect(again.damage.summary == "1 of notification")
    let row = try #require(try again.rowsSetAside().first)
    #expect(row.isKeyKnown && row.content.hasPrefix("position=5\n"))
    #expect(try again.forgetSetAside() == 1)
    again.close()
    again = try SQLiteNotificationStore(path: path)
    #expect(again.damage.summary == nil)
    try again.commit([put(10, device: 2)])
    #expect(try again.load(device: 2).map(\.sequence) == [10])
  }

  @Test func `Notifications that cannot be told from ended ones are set aside`() throws {
    let path = folder.file("store")
    let store = try SQLiteNotificationStore(path: path)
    let count = 4_000
    try store.commit((1...count).map { put(UInt64($0), device: UInt64($0), keep: .max) })
    // More ends than the summary can identify.
    try store.commit((1...count / 2).map { .removeDevice(UInt64($0)) })
    let expected = Set(try sequences(store))
    store.close()
    let database = try SQLiteDatabase(path: path, schema: NotificationEngine.schema)
    try database.execute("DELETE FROM notification WHERE position = \(count + 1)")
    database.close()
    let again = try SQLiteNotificationStore(path: path)
    #expect(Set(try sequences(again)).isSubset(of: expected), "nothing that had ended is delivered")
    #expect(again.damage.count > 0)
  }

  @Test func `A record set aside ends its notifications for good, also without the counters`()
    throws
  {
    let path = folder.file("store")
    var store = try SQLiteNotificationStore(path: path)
    // More ends than the summary can identify.
    try store.commit((1...2_000).map { put($0, device: $0) })
    try store.commit((1...1_000).map { .removeDevice($0) })
    let expected = try sequences(store)
    store.close()
    let database = try SQLiteDatabase(path: path, schema: NotificationEngine.schema)
    try database.execute("DELETE FROM progress")
    try database.execute("INSERT INTO progress (highest) VALUES (0)")
    database.close()
    // One of the two copies in the record is left.
    try change(path, position: 2_001) { $0[3] ^= 1 }
    store = try SQLiteNotificationStore(path: path)
    #expect(try sequences(store) == expected)
    #expect(try store.forgetSetAside() == 1)
    store.close()
    store = try SQLiteNotificationStore(path: path)
    #expect(try sequences(store) == expected)
    #expect(store.damage.count == 0)
    #expect(try store.highestSequence() == 2_000)
  }

  @Test func `No position is used again that a record set aside has ended`() throws {
    let path = folder.file("store")
    let ends = try storeWithEnds(path)
    try change(path, position: try #require(ends.last)) { $0[3] ^= 1 }
    var store = try SQLiteNotificationStore(path: path)
    try store.commit([.removeDevice(0), .removeDevice(1), .removeDevice(3), .removeDevice(4)])
    store.close()
    // The counters are lost, and everything else was swept.
    let database = try SQLiteDatabase(path: path, schema: NotificationEngine.schema)
    try database.execute("DELETE FROM progress; DELETE FROM notification")
    try database.execute("INSERT INTO progress (highest) VALUES (0)")
    database.close()
    store = try SQLiteNotificationStore(path: path)
    try store.commit((31...60).map { put($0, device: $0) })
    store.close()
    store = try SQLiteNotificationStore(path: path)
    #expect(try store.count() == 30)
  }

  @Test func `The highest sequence does not decrease when the counters are damaged in use`() throws
  {
    let path = folder.file("store")
    let store = try SQLiteNotificationStore(path: path, pace: Self.smallPace)
    try store.commit([put(1, device: 1)])
    try store.commit([put(90, device: 2)])
    try store.commit([.removeDevice(2)])
    let other = try SQLiteDatabase(path: path, schema: NotificationEngine.schema)
    try other.execute("DELETE FROM notification; DELETE FROM progress")
    try other.execute("INSERT INTO progress (highest) VALUES (0)")
    other.close()
    // The record that is missing makes the store read its file again.
    #expect(try store.load(device: 1).isEmpty)
    #expect(try store.count() == 0)
    #expect(try store.highestSequence() == 90)
  }

  @Test func `A log that cannot be read again leaves the index as it was`() throws {
    let path = folder.file("store")
    let store = try SQLiteNotificationStore(path: path)
    try store.commit((1...9).map { put($0, device: $0) })
    let other = try SQLiteDatabase(path: path, schema: NotificationEngine.schema)
    // A record that is missing makes the store read its file again, and another one has an unknown format.
    try other.execute(
      "DELETE FROM notification WHERE position = 1;"
        + "UPDATE notification SET data = x'A1' WHERE position = 5")
    #expect(throws: StorageFailure.self) { try store.load(device: 1) }
    #expect(try store.count() == 9)
    #expect(try store.load(device: 9).map(\.sequence) == [9])
    try other.execute("DELETE FROM notification WHERE position = 5")
    #expect(try store.load(device: 1).isEmpty)
    #expect(try store.count() == 7)
    try store.checkInvariants()
  }

  // MARK: Searches

  @Test func `A notification is withdrawn and found whether or not its IDs are in memory`() throws {
    let path = folder.file("store")
    let engine = try NotificationEngine(path: path, mayCreate: true, damage: StoreDamage())
    let id = { (sequence: UInt64) in NotificationID(high: 2, low: sequence) }
    _ = try engine.commit(
      (1...6).map { put($0, device: 1, keep: .max, collapse: $0 > 3 ? [UInt8($0)] : []) })
    for isInMemory in [true, false] {
      if !isInMemory { engine.recentIDs = RecentIDs() }
      for sequence in UInt64(1)...6 {
        let isStored = isInMemory || sequence % 3 != 1
        #expect(try (engine.times(key(1), uniqueID: id(sequence)) != nil) == isStored)
        #expect(try engine.times(key(2), uniqueID: id(sequence)) == nil)
      }
      let sequences: [UInt64] = isInMemory ? [1, 4] : [2, 5]
      let dropped = try engine.commit(
        sequences.map { .withdraw(key(1), uniqueID: id($0)) } + [.withdraw(key(1), uniqueID: id(9))]
      )
      #expect(
        dropped.map(\.sequence) == sequences && dropped.allSatisfy { $0.reason == .withdrawn })
    }
    // A withdrawn notification no longer takes the place of its collapse ID, and does not return.
    #expect(try engine.commit([put(7, device: 1, keep: .max, collapse: [5])]).isEmpty)
    try engine.checkInvariants()
    let again = try SQLiteNotificationStore(path: try killed(path, as: "killed"))
    #expect(try sequences(again) == [3, 6, 7])
    #expect(try again.times(key(1), uniqueID: id(2)) == nil)
    #expect(try again.times(key(1), uniqueID: id(6))?.expiration == .max)
  }

  // MARK: Restarts

  @Test func `Collapse IDs, the number to keep, and expirations hold across a restart`() throws {
    let path = folder.file("store")
    var store = try SQLiteNotificationStore(path: path)
    try store.commit([
      put(1, device: 1, keep: .max, collapse: [1]), put(2, device: 1, keep: .max, collapse: [2]),
      put(3, device: 1, keep: .max), put(4, device: 2, keep: .max, expiration: 100),
      put(5, device: 2, keep: .max, expiration: 50), put(6, device: 3, keep: .max, expiration: -7),
    ])
    store.close()
    store = try SQLiteNotificationStore(path: path)
    #expect(
      try store.commit([put(7, device: 1, keep: .max, collapse: [1])]).map(\.sequence) == [1])
    #expect(try store.commit([put(8, device: 1, keep: 3)]).map(\.sequence) == [2])
    store.close()
    store = try SQLiteNotificationStore(path: path)
    #expect(try store.load(device: 1).map(\.sequence) == [3, 7, 8])
    let sweep = StoreOperation.removeExpired(beforeUnixSeconds: 100, limit: 9)
    #expect(try store.commit([sweep]).map(\.sequence) == [5, 6])
    store.close()
    store = try SQLiteNotificationStore(path: path)
    #expect(try store.load(device: 2).map(\.sequence) == [4])
    // An acknowledged notification no longer takes the place of its collapse ID.
    try store.commit([.remove(key(1), sequence: 7)])
    #expect(try store.commit([put(9, device: 1, keep: .max, collapse: [1])]).isEmpty)
    try store.checkInvariants()
  }

  @Test func `A commit that fails leaves the index as it was`() throws {
    let path = folder.file("store")
    let store = try SQLiteNotificationStore(path: path)
    try store.commit([
      put(1, device: 1), put(2, device: 2, keep: .max, collapse: [1]), put(3, device: 3),
    ])
    let expected = try contents(store)
    try store.limitSize(pages: 20)
    #expect(throws: StorageFailure.self) {
      try store.commit(
        [
          put(4, device: 1), put(5, device: 2, keep: .max, collapse: [1]), .removeDevice(3),
          put(6, device: 4),
        ] + (7...90).map { put($0, device: $0, bytes: 4_000) })
    }
    #expect(try contents(store) == expected)
    try store.checkInvariants()
  }

  // MARK: Copies

  @Test func `A backup of a store in use has the same notifications, and counts them`() throws {
    let path = folder.file("store")
    let store = try SQLiteNotificationStore(path: path, pace: Self.smallPace)
    for sequence in UInt64(1)...100 { try store.commit([put(sequence, device: sequence % 7)]) }
    _ = store.sweep()
    let copy = try StoreCopy(beside: path)
    #expect(try copy.fill(from: path, counting: "notification").count == 7)
    try StoreBackup.copy(store: path, to: folder.file("copy"))
    try StoreBackup.check(.notifications, at: folder.file("copy"))
    let restored = try SQLiteNotificationStore(path: folder.file("copy"))
    #expect(try contents(restored) == contents(store))
  }

  @Test func `An export has the stored notifications in the order of their keys`() throws {
    let path = folder.file("store")
    let store = try SQLiteNotificationStore(path: path)
    try store.commit([
      put(1, device: 2), put(2, device: .max, keep: .max, collapse: [5]), put(3, device: 1),
      put(4, device: 2),
    ])
    try store.putEpoch(6)
    store.close()
    let export = try StoreExport.notifications(path: path)
    let table = try #require(export.tables.first)
    #expect(table.name == "notification" && table.columns.count == 14 && table.keyCount == 8)
    var sequences: [Int64] = []
    try export.read(table) { row throws(StorageFailure) in
      if case .integer(let sequence) = row[3] { sequences.append(sequence) }
    }
    // Databases compare the numbers of devices with their sign.
    #expect(sequences == [2, 3, 4])
    let progress = try #require(export.tables.last)
    #expect(progress.columns.starts(with: ["highest", "epoch"]))
  }
}

/// A store in memory with a number of slices to sweep.
private final class SweptStore: NotificationStore, @unchecked Sendable {
  private let store = MemoryNotificationStore()
  /// The slices that are left; only the writer's thread uses the number before the writer is closed.
  private(set) var slices: Int
  private let didEnd: @Sendable () -> Void

  init(slices: Int, didEnd: @escaping @Sendable () -> Void = {}) {
    self.slices = slices
    self.didEnd = didEnd
  }

  func commit(_ operations: [StoreOperation]) throws(StorageFailure) -> [DroppedNotification] {
    try store.commit(operations)
  }

  func load(device: UInt64, after: UInt64, limit: Int) throws(StorageFailure)
    -> [StoredNotification]
  { try store.load(device: device, after: after, limit: limit) }

  func highestSequence() throws(StorageFailure) -> UInt64 { try store.highestSequence() }
  func count() throws(StorageFailure) -> Int { try store.count() }
  func devices() throws(StorageFailure) -> [UInt64] { try store.devices() }
  func close() { store.close() }

  func sweep(isIdle: Bool) -> Bool {
    slices -= 1
    if slices == 0 { didEnd() }
    return slices > 0
  }
}
