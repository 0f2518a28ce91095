import Storage
import TestSupport
import Testing

@testable import PostgresStorage

@Suite struct PostgresImportTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private var control: String { folder.file("control.sqlite") }
  private var notifications: String { folder.file("notifications.sqlite") }

  private func copy(_ source: StoreExport, to address: PostgresAddress) throws -> [String: Int] {
    let target = try PostgresImport(address)
    defer { target.close() }
    var counts: [String: Int] = [:]
    for table in source.tables { counts[table.name] = try target.copy(table, of: source) { _ in } }
    return counts
  }

  @Test(.requires(.initdb))
  func `every record of the control store is copied, with what later changes depend on`()
    async throws
  {
    let server = try await PostgresProgram()
    let suite = ControlStoreConformance { try SQLiteControlStore.inMemory() }
    let source = try SQLiteControlStore(path: control)
    try source.apply(suite.everything)
    let device = try #require(try source.devices().first?.number)
    try source.apply([
      .recordArrival(DeviceArrival(device: device, serial: "0c", tokenKey: "first"))
    ])
    let key = NotificationKey(device: 7, app: 1, kind: 1)
    for (generation, state) in [
      (UInt16(1), RegistrationRecord.State.active), (1, .unregistered), (2, .active),
    ] {
      try source.apply([
        .putRegistration(
          RegistrationRecord(
            key: key, generation: generation, state: state, changedMilliseconds: 50))
      ])
    }
    let expected = try ControlStoreConformance.contents(source)
    source.close()
    let address = try PostgresAddress(server.url)
    let counts = try copy(.control(path: control), to: address)
    #expect(counts["former_registration"] == 1 && counts["registration"] == 2)
    let target = try PostgresStores(address).control
    #expect(try ControlStoreConformance.contents(target) == expected)
    #expect(try target.tokenCounts() == ["first": 1])
    #expect(try target.setting("changes-made") == nil, "the mark of a file is not copied")
    let former = try target.unregistered(
      app: 1, kind: 1, after: FeedbackCursor(endOfMillisecond: 0), limit: 10)
    #expect(former.map(\.generation) == [1])
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `notifications are copied in more than one transaction, and sequence numbers continue`()
    async throws
  {
    let server = try await PostgresProgram()
    let source = try SQLiteNotificationStore(path: notifications)
    let count = UInt64(Limits.importedRows) + 2
    for sequence in 1...count {
      let key = NotificationKey(device: sequence % 5, app: 1, kind: 1)
      try source.commit([.put(.sample(sequence, key), keep: .max)])
    }
    let last = NotificationKey(device: 9, app: 1, kind: 1)
    try source.commit([.put(.sample(count + 50, last), keep: 1), .removeDevice(9)])
    try source.putEpoch(77)
    source.close()
    let address = try PostgresAddress(server.url)
    #expect(
      try copy(.notifications(path: notifications), to: address)["notification"] == Int(count))
    let target = try PostgresStores(address).notifications
    let copied = try SQLiteNotificationStore(path: notifications)
    #expect(try target.highestSequence() == count + 50)
    #expect(try target.epoch() == 77)
    for device in UInt64(0)...4 {
      #expect(try target.load(device: device) == copied.load(device: device))
    }
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `a copy that differs from its source is an error`() async throws {
    let server = try await PostgresProgram()
    let source = try SQLiteControlStore(path: control)
    // PostgreSQL cannot store this character.
    try source.apply([
      .putTeam(TeamRecord(id: "T", name: "a\u{0}b", createdMilliseconds: 1))
    ])
    source.close()
    #expect(throws: StorageFailure.self) {
      try copy(.control(path: control), to: PostgresAddress(server.url))
    }
    #expect(throws: StorageFailure.self) {
      try copy(.control(path: control), to: PostgresAddress(server.url))
    }
    try await server.stop()
  }
}
