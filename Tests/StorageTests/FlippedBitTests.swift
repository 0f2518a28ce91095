import PushWire
import Foundation
import TestSupport
import Testing
import Transport

@testable import Storage

/// Tests that flip one bit of a store's file while no connection is open, at positions throughout the file.
///
/// At the next start, the store reports that the file is damaged, sets the row aside, or has lost nothing. The store
/// never returns a value that was not written.
@Suite struct FlippedBitTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// The contents of a store as its program reads them, one line per record.
  private typealias Contents = [String]

  /// The result of one flip.
  private enum Outcome: Hashable {
    /// The store doesn't open, or it is rebuilt from the readable parts.
    case damaged
    case setAside
    case unchanged
  }

  /// Flips a bit, selected by `seed`, in one of every `step` bytes, and checks the result.
  private func flipAll(
    of path: String, every step: Int, seed: UInt64,
    inspect: (String) throws -> StoreInspection, contents: (String) throws -> Contents,
    setAside: (String) throws -> Int
  ) throws -> [Outcome: Int] {
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    let expected = Set(try contents(path))
    #expect(try inspect(path) == .whole)
    var random = SeededGenerator(seed: seed)
    var outcomes: [Outcome: Int] = [:]
    let copy = folder.file("flipped")
    for position in stride(
      from: Int.random(in: 0..<step, using: &random), to: whole.count, by: step)
    {
      let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
      where name.hasPrefix("flipped") {
        try FileManager.default.removeItem(atPath: folder.file(name))
      }
      var bytes = whole
      bytes[position] ^= bit
      try bytes.write(to: URL(fileURLWithPath: copy))
      var outcome = Outcome.damaged
      do {
        let inspection = try inspect(copy)
        let found = Set(try contents(copy))
        // The store never returns a record that wasn't written.
        let invented = found.subtracting(expected)
        #expect(invented.isEmpty, "byte \(position), bit \(bit): \(invented) after \(inspection)")
        switch inspection {
        case .repaired: outcome = .damaged
        case .setAside(let rows, _):
          outcome = rows > 0 ? .setAside : .unchanged
          #expect(try setAside(copy) == rows, "byte \(position), bit \(bit)")
          if rows == 0 { #expect(found == expected, "byte \(position), bit \(bit): \(inspection)") }
        case .whole, .unfinished:
          outcome = .unchanged
          #expect(found == expected, "byte \(position), bit \(bit): unreported loss")
        }
      } catch let failure as StorageFailure {
        #expect(failure.isOfDisk || "\(failure)".contains("schema"), "byte \(position): \(failure)")
      }
      outcomes[outcome, default: 0] += 1
    }
    return outcomes
  }

  @Test func `A flipped bit of a notifications' store is never delivered`() throws {
    let path = folder.file("store")
    let store = try SQLiteNotificationStore(path: path)
    try store.commit(
      (UInt64(1)...12).map { number in
        .put(
          .sample(
            number, NotificationKey(device: number % 3 + 1, app: 1, kind: 1),
            payload: Array("{\"aps\":{\"alert\":\"account 111111\(number)\"}}".utf8),
            collapse: number == 5 ? [1, 2] : []), keep: .max)
      })
    store.close()
    let outcomes = try flipAll(of: path, every: 97, seed: 1) { path in
      try SQLiteNotificationStore.inspect(path: path)
    } contents: { path in
      let store = try SQLiteNotificationStore(path: path)
      defer { store.close() }
      // Load by device, as the gateway does, and include devices that only a damaged row contains.
      let devices = Set(try store.devices() + [1, 2, 3])
      return try devices.flatMap { try store.load(device: $0) }.map { "\($0)" } + [
        "highest \(try store.highestSequence())"
      ]
    } setAside: { path in
      let store = try SQLiteNotificationStore(path: path)
      defer { store.close() }
      return store.damage.count
    }
    #expect(outcomes[.setAside, default: 0] > 4, "\(outcomes)")
    #expect(outcomes[.damaged, default: 0] > 0, "\(outcomes)")
  }

  @Test func `A flipped bit of a control store is never used`() throws {
    let path = folder.file("store")
    let store = try SQLiteControlStore(path: path)
    try store.apply(Self.controlChanges)
    store.close()
    let outcomes = try flipAll(of: path, every: 307, seed: 2) { path in
      try SQLiteControlStore.inspect(path: path)
    } contents: { path in
      let store = try SQLiteControlStore(path: path)
      defer { store.close() }
      return try Self.contents(of: store)
    } setAside: { path in
      let store = try SQLiteControlStore(path: path)
      defer { store.close() }
      return store.damage.count
    }
    #expect(outcomes[.setAside, default: 0] > 2, "\(outcomes)")
  }

  /// Changes that create at least one row in each table.
  static let controlChanges: [ControlChange] = {
    let team = TeamRecord(id: "ABCDE12345", name: "A team", createdMilliseconds: 1)
    let channel = [UInt8](repeating: 9, count: 16)
    var changes: [ControlChange] = [
      .putTeam(team),
      .putKey(
        KeyRecord(
          id: "KEY0000001", team: team.id, publicKeySPKI: [UInt8](repeating: 5, count: 91),
          createdMilliseconds: 2)),
      .putCertificate(
        CertificateRecord(
          serial: "ab01", team: team.id, bundleID: "com.example.app", environments: .both,
          isUniversal: true, notAfter: 99, createdMilliseconds: 3, revokedMilliseconds: nil,
          authority: "ca")),
      .putApp(
        AppRecord(
          number: 1 << 21, bundleID: "com.example.app", team: team.id, keep: 1,
          createdMilliseconds: 3)),
      .putChannel(
        ChannelRecord(id: channel, app: 1 << 21, keepsLatest: true, createdMilliseconds: 4)),
      .putBroadcast(
        BroadcastRecord(
          channel: channel, requestID: NotificationID(high: 1, low: 2),
          uniqueID: NotificationID(high: 3, low: 4), expiration: 1 << 40, priority: 5,
          payload: Array("{\"aps\":{}}".utf8), acceptedMilliseconds: 5)),
      .putUpstream(
        UpstreamRecord(
          app: 1 << 21, keyID: "PUBLISHER1", teamID: "PUBLISHERS",
          sealedKey: [UInt8](repeating: 7, count: 99), environment: .production,
          host: "push.example.org", port: 2197, authorityPEM: [4], createdMilliseconds: 6)),
      .putBudget(
        BudgetRecord(key: "KEY0000001", perDay: 1_000, perSecond: 20, day: 13, used: 14)),
      .putSetting(name: "enrolment-code", value: Array("ABCD-EFGH".utf8)),
    ]
    for device in UInt64(1)...4 {
      changes += [
        .putDevice(
          DeviceRecord(
            number: device << 30, keyHash: SHA256.hash([UInt8(device)]), name: "device \(device)",
            enrolledMilliseconds: 6, revokedMilliseconds: device == 4 ? 7 : nil)),
        .putDeviceCertificate(
          DeviceCertificateRecord(serial: "0\(device)", device: device << 30, notAfter: 1 << 40)),
        .putSubscription(SubscriptionRecord(device: device << 30, channel: channel)),
      ]
      for generation in UInt16(0)...1 {
        let key = NotificationKey(device: device << 30, app: 1 << 21, kind: 1)
        for state in [RegistrationRecord.State.active, .unregistered]
        where generation == 0 || state == .active {
          changes.append(
            .putRegistration(
              RegistrationRecord(
                key: key, generation: generation, state: state, changedMilliseconds: 8)))
        }
      }
    }
    return changes
  }()

  /// Returns every record of a control store, one line per record.
  private static func contents(of store: SQLiteControlStore) throws -> Contents {
    var lines: [String] = []
    lines += try store.teams().map { "\($0)" }
    lines += try store.keys().map { "\($0)" }
    lines += try store.certificates().map { "\($0)" }
    lines += try store.apps().map { "\($0)" }
    lines += try store.channels().map { "\($0)" }
    lines += try store.broadcasts().map { "\($0)" }
    lines += try store.devices().map { "\($0)" }
    lines += try store.deviceCertificates().map { "\($0)" }
    lines += try store.registrations().map { "\($0)" }
    lines += try store.subscriptions().map { "\($0)" }
    lines += try store.upstreams().map { "\($0)" }
    lines += try store.budgets().map { "\($0)" }
    lines += try store.unregistered(
      app: 1 << 21, kind: 1, after: .init(endOfMillisecond: 0), limit: 99
    ).map {
      "former \($0)"
    }
    for device in UInt64(1)...4 {
      lines += try store.devices(withKey: SHA256.hash([UInt8(device)])).map { "by key \($0)" }
      let key = NotificationKey(device: device << 30, app: 1 << 21, kind: 1)
      if let found = try store.registration(of: key) { lines.append("one \(found)") }
    }
    if let app = try store.app(bundleID: "com.example.app") { lines.append("one \(app)") }
    if let code = try store.setting("enrolment-code") { lines.append("code \(code)") }
    return lines
  }

  @Test func `A flipped bit of an agent's store is never used`() throws {
    let path = folder.file("store")
    do {
      let store = try SQLiteRecordStore(path: path)
      try store.commit(
        (1...20).map {
          .put(collection: "app", key: "com.example.app\($0)", value: Array("{\"n\":\($0)}".utf8))
        })
    }
    let outcomes = try flipAll(of: path, every: 41, seed: 3) { path in
      try SQLiteRecordStore.inspect(path: path)
    } contents: { path in
      let store = try SQLiteRecordStore(path: path)
      return try store.load("app").map { "\($0)" }
        + (1...20).compactMap { try store.value("app", key: "com.example.app\($0)") }.map {
          "value \($0)"
        }
    } setAside: { path in
      try SQLiteRecordStore(path: path).damage.count
    }
    #expect(outcomes[.setAside, default: 0] > 5, "\(outcomes)")
  }

  @Test func `A flipped bit of a registry is never used`() throws {
    let path = folder.file("store")
    let store = try SQLiteRegistryStore(path: path)
    for number in UInt8(1)...9 {
      _ = try store.register(
        TokenRegistration(
          sealed: [UInt8](repeating: number, count: 40), topic: "com.example.app", language: "fr",
          timeZone: "Europe/Paris", user: number % 2 == 0 ? "u\(number)" : nil,
          installation: "i\(number)", tags: ["vip"]), at: Int64(number))
    }
    let campaign = CampaignRecord(
      id: "spring", createdMilliseconds: 1, document: Array("{}".utf8), topic: "com.example.app",
      audience: .all, rate: nil)
    try store.addCampaign(campaign)
    let started = try store.start(campaign, groups: [.named("Europe/Paris")], total: 9)
    let group = try #require(try store.groups(of: "spring").first)
    _ = try store.claim(of: started, group: group, limit: 3, at: 5)
    store.close()
    let outcomes = try flipAll(of: path, every: 307, seed: 4) { path in
      try SQLiteRegistryStore.inspect(path: path)
    } contents: { path in
      let store = try SQLiteRegistryStore(path: path)
      defer { store.close() }
      var lines = try store.tokens(after: 0, limit: 99).map { token in
        // A damaged tag is lost, but the token that has the tag is not.
        var token = token.registration
        token.tags = []
        return "\(token)"
      }
      lines += try store.campaigns().map { "\($0)" }
      let groups = try store.groups(of: "spring")
      lines += groups.map { "\($0)" }
      lines += try store.batches(of: "spring").map { "\($0)" }
      for batch in try store.batches(of: "spring") {
        for group in groups where group.number == batch.group {
          lines += try store.recipients(of: batch, group: group, in: started).map { "\($0)" }
        }
      }
      return lines
    } setAside: { path in
      let store = try SQLiteRegistryStore(path: path)
      defer { store.close() }
      return store.damage.count
    }
    #expect(outcomes[.setAside, default: 0] > 2, "\(outcomes)")
  }

  @Test func `The instruction and the tables give one CRC-32C, that of the check value`() {
    // These are the values in RFC 3720 section B.4, and the usual check value.
    #expect(Checksum.crc32c(Array("123456789".utf8)) == 0xE306_9283)
    #expect(Checksum.crc32c([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
    #expect(Checksum.crc32c([]) == 0)
    var random = SeededGenerator(seed: 5)
    for count in 0..<70 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(Checksum.crc32c(bytes) == Checksum.portableCRC32C(bytes))
    }
  }

  @Test(arguments: ReleasedSchemaTests.Store.allCases)
  func `Every table has the checksum of all of its columns`(_ store: ReleasedSchemaTests.Store)
    throws
  {
    let database = try SQLiteDatabase(path: "", schema: store.schema)
    let tables = try database.prepare(
      once: "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    var names: [String] = []
    while try tables.step() {
      let name = tables.text(0)
      names.append(name)
      let table = try #require(store.schema.tables.first { $0.name == name }, "\(name)")
      let sql = tables.text(1).split { $0.isWhitespace }.joined(separator: " ")
      #expect(
        sql.contains("GENERATED ALWAYS AS ( \(table.expression) ) STORED"), "\(name): \(sql)")
      let columns = try database.prepare(once: "SELECT name FROM pragma_table_info('\(name)')")
      var found: Set<String> = []
      while try columns.step() { found.insert(columns.text(0)) }
      #expect(Set(table.key + table.rest) == found, "\(name)")
    }
    #expect(Set(names) == Set(store.schema.tables.map(\.name)))
  }
}
