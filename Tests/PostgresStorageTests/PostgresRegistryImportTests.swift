import TestSupport
import Testing

@testable import PostgresStorage
@testable import Storage

/// Tests of the copy of a provider's registry from SQLite to PostgreSQL.
@Suite(.timeLimit(.minutes(5))) struct PostgresRegistryImportTests {
  private typealias Limits = PostgresStorage.Limits

  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private var registry: String { folder.file("registry.sqlite") }

  @discardableResult
  private func copy(
    of folderID: String = "folder", to address: PostgresAddress,
    report: (String, Int) -> Void = { _, _ in }
  ) throws -> [String: Int] {
    let source = try StoreExport.registry(path: registry)
    let target = try PostgresImport(registryOf: folderID, in: address)
    defer { target.close() }
    var counts: [String: Int] = [:]
    for table in source.tables {
      counts[table.name] = try target.copy(table, of: source) { report(table.name, $0) }
    }
    try target.finishRegistry(from: source)
    return counts
  }

  private func isUnsuitable(_ error: any Error) -> Bool {
    if case .unsuitable? = error as? StorageFailure { true } else { false }
  }

  /// Makes changes that depend on numbers and counts that the store has used before.
  private func change(_ store: any RegistryStore) throws {
    func token(_ byte: UInt8) -> TokenRegistration {
      TokenRegistration(sealed: [byte], topic: "com.example.app")
    }
    let limit = RegistrationLimit(topics: ["com.example.app"], tokens: 6)
    #expect(try store.register(token(97), at: 50, limit: limit) == .added)
    #expect(try store.register(token(98), at: 50, limit: limit) == .full)
    #expect(try store.tokens(after: 8, limit: 9).map(\.number) == [9], "8 was used before")
    let zones = try #require(try store.campaign("zones"))
    let group = try #require(try store.groups(of: "zones").last)
    let claim = try #require(try store.claim(of: zones, group: group, limit: 5, at: 60))
    #expect(claim.batch.number == 3 && claim.recipients.map(\.sealed) == [[7]])
    #expect(try store.appendRecipients([token(1), token(99)], to: "list") == 1)
    let dead = DeadToken(sealed: [6], topic: nil, sinceMilliseconds: 100)
    #expect(try store.removeDead([dead]) == 1)
  }

  @Test(.requires(.initdb))
  func `every record of a registry is copied, and numbers and counts continue`() async throws {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let source = try SQLiteRegistryStore(path: registry)
    try RegistryStoreConformance.fill(source)
    let expected = try RegistryStoreConformance.contents(source)
    source.close()
    let counts = try copy(to: address)
    #expect(
      counts == [
        "token": 6, "tag": 3, "campaign": 4, "recipient": 7, "leg": 3, "batch": 2, "tally": 2,
        "departure": 1,
      ])
    let target = try PostgresRegistryStore(address, mayCreate: false)
    #expect(try target.folderID() == "folder")
    #expect(try RegistryStoreConformance.contents(target) == expected)
    let original = try SQLiteRegistryStore(path: registry)
    #expect(try RegistryStoreConformance.contents(original) == expected, "the source is unchanged")
    try change(original)
    try change(target)
    #expect(
      try RegistryStoreConformance.contents(target) == RegistryStoreConformance.contents(original))
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `large tables are copied in more than one transaction, with progress`() async throws {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let source = try SQLiteRegistryStore(path: registry)
    let count = Limits.importedRows + 2
    _ = try source.register(
      (1...count).map { TokenRegistration(sealed: Array("\($0)".utf8), topic: "a.b") }, at: 1)
    for number in 0...Int64(Limits.importedCampaigns) {
      try source.addCampaign(
        CampaignRecord(
          id: "\(number)", createdMilliseconds: number,
          document: [UInt8](repeating: 7, count: 10_000), topic: "a.b", audience: .all, rate: nil)
      )
    }
    let expected = try RegistryStoreConformance.contents(source)
    source.close()
    var reports: [String: [Int]] = [:]
    let counts = try copy(to: address) { reports[$0, default: []].append($1) }
    #expect(counts["token"] == count && counts["campaign"] == Limits.importedCampaigns + 1)
    #expect(
      reports == ["token": [Limits.importedRows], "campaign": [Limits.importedCampaigns]])
    let target = try PostgresRegistryStore(address)
    #expect(try RegistryStoreConformance.contents(target) == expected)
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `a registry is not copied to a database that a provider uses or has used`() async throws {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let source = try SQLiteRegistryStore(path: registry)
    try RegistryStoreConformance.fill(source)
    source.close()
    let other = try PostgresRegistryStore(address)
    let token = TokenRegistration(sealed: [1], topic: "a.b")
    #expect(try other.register(token, at: 1) == .added)
    #expect {
      try copy(to: address)
    } throws: {
      if case .inUse? = $0 as? StorageFailure { true } else { false }
    }
    #expect(try other.remove([1], topic: nil))
    other.close()
    #expect { try copy(to: address) } throws: { isUnsuitable($0) }
    // A provider with the same folder has used the copy.
    let again = try PostgresRegistryStore(address)
    try again.putFolderID("folder")
    #expect(try again.register(token, at: 2) == .added)
    again.close()
    #expect { try copy(to: address) } throws: { isUnsuitable($0) }
    #expect(try PostgresRegistryStore(address).tokenCount() == 1)
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `a copy that differs from its source is an error, and can be repeated`() async throws {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    // The gateway of the same database is not affected.
    let gateway = try PostgresStores(address)
    try gateway.control.apply([.putSetting(name: "a", value: [1])])
    let source = try SQLiteRegistryStore(path: registry)
    try RegistryStoreConformance.fill(source)
    var campaign = try #require(try source.campaign("user"))
    // PostgreSQL cannot store this character.
    campaign.problem = "a\u{0}b"
    try source.update(campaign)
    source.close()
    #expect { try copy(to: address) } throws: { isUnsuitable($0) }
    #expect { try copy(of: "other", to: address) } throws: { isUnsuitable($0) }
    let unfinished = try PostgresRegistryStore(address)
    #expect(try unfinished.folderID() != "folder", "no provider uses an unfinished copy")
    unfinished.close()
    let repaired = try SQLiteRegistryStore(path: registry)
    campaign.problem = nil
    try repaired.update(campaign)
    #expect(try repaired.remove([2], topic: nil))
    let expected = try RegistryStoreConformance.contents(repaired)
    repaired.close()
    #expect(try copy(to: address)["token"] == 5)
    let target = try PostgresRegistryStore(address, mayCreate: false)
    #expect(try RegistryStoreConformance.contents(target) == expected)
    #expect(try gateway.control.setting("a") == [1])
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `rows that belong to a lost row do not prevent the copy`() async throws {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let source = try SQLiteRegistryStore(path: registry)
    try RegistryStoreConformance.fill(source)
    source.close()
    let database = try SQLiteDatabase(
      path: registry, schema: RegistryEngine.schema, mayCreate: false)
    try database.execute(
      """
      PRAGMA foreign_keys = OFF;
      DELETE FROM campaign WHERE id = 'zones';
      DELETE FROM token WHERE number = 1;
      """)
    database.close()
    let counts = try copy(to: address)
    #expect(
      counts == [
        "token": 5, "tag": 1, "campaign": 3, "recipient": 2, "leg": 1, "batch": 0, "tally": 0,
        "departure": 1,
      ])
    let target = try PostgresRegistryStore(address, mayCreate: false)
    let original = try SQLiteRegistryStore(path: registry)
    #expect(
      try RegistryStoreConformance.contents(target) == RegistryStoreConformance.contents(original))
    try await server.stop()
  }
}
