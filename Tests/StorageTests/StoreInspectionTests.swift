import BelfryWire
import Foundation
import TestSupport
import Testing
import Transport

@testable import Storage

@Suite struct StoreInspectionTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private static let page = 4_096

  /// Creates and closes a store of several hundred notifications, and returns the bytes of its file.
  private func notifications(_ path: String, payload: Int) throws -> Data {
    let store = try SQLiteNotificationStore(path: path)
    try store.commit(
      (UInt64(1)...200).map { sequence in
        .put(
          .sample(
            sequence * 1_000, NotificationKey(device: sequence % 20, app: 1, kind: 1),
            payload: [UInt8](repeating: 7, count: payload)), keep: .max)
      })
    store.close()
    return try Data(contentsOf: URL(fileURLWithPath: path))
  }

  /// Returns true if a page of an undamaged store contains the definitions of its tables.
  private func isOfSchema(_ bytes: Data, page: Int) -> Bool {
    let page = bytes.dropFirst(page * Self.page).prefix(Self.page)
    return page.range(of: Data("CREATE TABLE".utf8)) != nil
      || page.range(of: Data("CREATE INDEX".utf8)) != nil
  }

  private func damage(_ bytes: Data, page: Int, with byte: UInt8, at path: String) throws {
    var bytes = bytes
    let start = page * Self.page
    bytes.replaceSubrange(start..<(start + Self.page), with: repeatElement(byte, count: Self.page))
    try bytes.write(to: URL(fileURLWithPath: path))
  }

  @Test(arguments: [100, 3_000, 6_000])
  func `any page of a notifications' store may be damaged: the others' rows are kept`(
    payload: Int
  ) throws {
    let whole = try notifications(folder.file("whole"), payload: payload)
    let pages = whole.count / Self.page
    #expect(try SQLiteNotificationStore.inspect(path: folder.file("whole")) == .whole)
    // A leaf page holds only part of a long row.
    let rowsOfPage = max(Self.page / payload, 2) + 1
    var emptied = 0
    // Test only some of the pages, because each page costs several syncs.
    for page in stride(from: 1, to: pages, by: max(1, pages / 25)) {
      for byte: UInt8 in [0x00, 0xA5] {
        let path = folder.file("damaged-\(page)-\(byte)")
        try damage(whole, page: page, with: byte, at: path)
        let inspection = try SQLiteNotificationStore.inspect(path: path)
        // Damage to an overflow page is not detected, because such a page contains only the data of its row.
        guard case .repaired(let repair) = inspection else { continue }
        let store = try SQLiteNotificationStore(path: path)
        let count = try store.count()
        if count < 200 - rowsOfPage { emptied += 1 }
        #expect(repair.rowsKept >= count)
        if let lost = repair.rowsLost { #expect(lost >= 200 - count) }
        #expect(try store.highestSequence() >= (store.devices().isEmpty ? 0 : 1))
        try store.checkInvariants()
        try store.commit([
          .put(.sample(300_000, NotificationKey(device: 1, app: 1, kind: 1)), keep: .max)
        ])
        #expect(try store.count() == count + 1)
        store.close()
        #expect(
          try SQLiteNotificationStore.inspect(path: path) == .whole, "one repair is sufficient")
        #expect(FileManager.default.fileExists(atPath: repair.asideFile))
      }
    }
    // Only damage to the table's root page can remove more rows than one page contains.
    #expect(emptied <= 2, "\(emptied) pages removed more rows than their own")
  }

  @Test func `any page of a control store may be damaged: what is left can be read`() throws {
    let path = folder.file("control")
    let store = try SQLiteControlStore(path: path)
    var changes: [ControlChange] = [
      .putTeam(TeamRecord(id: "ABCDE12345", name: "A team", createdMilliseconds: 1)),
      .putSetting(name: "a", value: [1]),
    ]
    for device in UInt64(1)...300 {
      changes += [
        .putDevice(
          DeviceRecord(
            number: device << 30, keyHash: SHA256.hash([UInt8(device & 0xFF), UInt8(device >> 8)]),
            name: "a device with a name of some length", enrolledMilliseconds: 4)),
        .putDeviceCertificate(
          DeviceCertificateRecord(serial: "\(device)", device: device << 30, notAfter: 11)),
        .putRegistration(
          RegistrationRecord(
            key: NotificationKey(device: device << 30, app: 1, kind: 1), generation: 0,
            state: device % 3 == 0 ? .unregistered : .active, changedMilliseconds: 5)),
      ]
    }
    try store.apply(changes)
    store.close()
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    var repaired = 0
    var schemaPages = 0
    for page in 1..<whole.count / Self.page {
      let path = folder.file("damaged-\(page)")
      try damage(whole, page: page, with: 0xA5, at: path)
      if isOfSchema(whole, page: page) {
        // Without this page, the names of the tables are unknown, so the start fails and the file is kept.
        schemaPages += 1
        #expect(throws: StorageFailure.self) { try SQLiteControlStore.inspect(path: path) }
        #expect(FileManager.default.fileExists(atPath: path))
        continue
      }
      guard case .repaired(let repair) = try SQLiteControlStore.inspect(path: path) else {
        continue
      }
      repaired += 1
      let store = try SQLiteControlStore(path: path)
      let devices = try store.devices()
      let registrations = try store.registrations()
      let certificates = try store.deviceCertificates()
      let known = Set(devices.map(\.number))
      // Rows of a device whose own row couldn't be read are kept, and the store reports that rows are missing.
      if !certificates.allSatisfy({ known.contains($0.device) }) {
        #expect(store.damage.has(table: "device"), "page \(page)")
      }
      #expect(repair.rowsKept >= devices.count + registrations.count + certificates.count)
      #expect(devices.count + registrations.count >= 300, "page \(page): one table is complete")
      try store.apply([.putSetting(name: "b", value: [2])])
      #expect(try store.setting("b") == [2])
      store.close()
    }
    #expect(repaired > 10 && schemaPages < 4, "\(repaired) pages, \(schemaPages) with the schema")
  }

  @Test func `a repair that was interrupted starts again from the beginning`() throws {
    let path = folder.file("store")
    let whole = try notifications(path, payload: 1_000)
    try damage(whole, page: whole.count / Self.page / 2, with: 0xA5, at: path)
    try Data("half a file".utf8).write(to: URL(fileURLWithPath: path + ".repaired"))
    guard case .repaired = try SQLiteNotificationStore.inspect(path: path) else {
      Issue.record("the store was not repaired")
      return
    }
    #expect(try SQLiteNotificationStore(path: path).count() > 190)
    #expect(!FileManager.default.fileExists(atPath: path + ".repaired"))
  }

  @Test func `a repair includes the contents of the write-ahead file`() throws {
    let path = folder.file("store")
    let whole = try notifications(path, payload: 1_000)
    let page = whole.count / Self.page / 2
    let store = try SQLiteNotificationStore(path: path)
    try store.commit([
      .put(.sample(900_000, NotificationKey(device: 77, app: 1, kind: 1)), keep: .max)
    ])
    // Start with a folder in the state in which a kill leaves it, and then damage a page.
    let killed = folder.file("killed")
    for ending in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: path + ending, toPath: killed + ending)
    }
    let main = try Data(contentsOf: URL(fileURLWithPath: killed))
    try damage(main, page: page, with: 0xA5, at: killed)
    guard case .repaired = try SQLiteNotificationStore.inspect(path: killed) else {
      Issue.record("the store was not repaired")
      return
    }
    let repaired = try SQLiteNotificationStore(path: killed)
    #expect(try repaired.load(device: 77).map(\.sequence) == [900_000])
  }

  @Test func `every wrong index of a table is counted`() throws {
    // The rows of this earlier schema have two indexes.
    let path = folder.file("store")
    let schema = NotificationSchema.legacy(version: 4)
    // Change the rows while the schema says that the indexes omit them, so that the index entries stay unchanged.
    try run(
      [
        """
        INSERT INTO notification (sequence, device, app, kind, id_high, id_low, unique_high,
          unique_low, expiration, priority, push_type, accepted, collapse, payload)
        VALUES (1, 2, 3, 1, 4, 5, 6, 7, 8, 10, 1, 9, x'', x'01')
        """,
        Self.edit("sql || ' WHERE sequence < 0'", of: "index"),
        "UPDATE notification SET device = device + 100, expiration = expiration - 1",
        Self.edit("replace(sql, ' WHERE sequence < 0', '')", of: "index"),
      ], at: path, schema: schema)
    #expect(try SQLiteNotificationStore.inspect(path: path) == .setAside(rows: 0, indexes: 2))
    #expect(try SQLiteNotificationStore.inspect(path: path) == .whole)
    #expect(try SQLiteNotificationStore(path: path).load(device: 102).map(\.sequence) == [1])
  }

  /// Runs each script on a connection of its own, because a connection reads the schema only when it opens the file.
  private func run(_ scripts: [String], at path: String, schema: SQLiteDatabase.Schema) throws {
    for script in scripts {
      let database = try SQLiteDatabase(path: path, schema: schema)
      try database.execute(script)
      database.close()
    }
  }

  /// Returns a script that replaces the stored descriptions of all tables or indexes.
  private static func edit(_ sql: String, of type: String) -> String {
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = \(sql) WHERE type = '\(type)'"
  }

  /// Damages each page of a store of records in turn, and calls `body` with each repair and the repaired store.
  ///
  /// Returns the number of repairs.
  private func repairEachPage(
    of whole: Data, _ body: (StoreRepair, SQLiteRecordStore) throws -> Void
  ) throws -> Int {
    var count = 0
    for page in 1..<whole.count / Self.page where !isOfSchema(whole, page: page) {
      let path = folder.file("damaged-\(page)")
      try damage(whole, page: page, with: 0xA5, at: path)
      guard case .repaired(let repair) = try SQLiteRecordStore.inspect(path: path) else { continue }
      count += 1
      try body(repair, SQLiteRecordStore(path: path))
    }
    return count
  }

  /// Creates and closes a store of 400 records with text keys and an additional record, and returns the bytes of its
  /// file.
  private func records(
    _ path: String, and additional: SQLiteRecordStore.Change
  ) throws -> Data {
    do {
      let store = try SQLiteRecordStore(path: path)
      try store.commit(
        (100..<500).map {
          .put(collection: "app", key: "\($0)", value: [UInt8](repeating: 7, count: 100))
        } + [additional])
    }
    return try Data(contentsOf: URL(fileURLWithPath: path))
  }

  @Test func `a repair sets a damaged row aside even if it follows unreadable rows`() throws {
    let path = folder.file("records")
    _ = try records(path, and: .put(collection: "app", key: "last", value: [7]))
    let checksum = "row_checksum(2, collection, key, value)"
    try run(
      [
        Self.edit("replace(sql, '\(checksum)', '12345')", of: "table"),
        "UPDATE record SET value = x'08' WHERE key = 'last'",
        Self.edit("replace(sql, '12345', '\(checksum)')", of: "table"),
      ], at: path, schema: SQLiteRecordStore.schema)
    var missing = 0
    let repairs = try repairEachPage(of: Data(contentsOf: URL(fileURLWithPath: path))) {
      repair, store in
      // The notes about unreadable rows are not counted as rows.
      let rows = try store.rowsSetAside().filter { !$0.content.hasPrefix(TableCopy.gapNote) }
      #expect(rows.count == repair.rowsSetAside)
      if !rows.contains(where: { $0.content.contains("key='last'") }) { missing += 1 }
    }
    #expect(repairs > 8, "\(repairs)")
    // Only damage to the row's own page, or to the table's root page, can remove the row.
    #expect(missing <= 2, "\(missing)")
  }

  @Test func `a repair keeps rows whose text key sorts before a number's digits`() throws {
    let whole = try records(
      folder.file("records"), and: .put(collection: "!", key: "first", value: [8]))
    var missing = 0
    let repairs = try repairEachPage(of: whole) { _, store in
      if try store.value("!", key: "first") != [8] { missing += 1 }
    }
    #expect(repairs > 8, "\(repairs)")
    #expect(missing <= 2, "\(missing)")
  }
}
