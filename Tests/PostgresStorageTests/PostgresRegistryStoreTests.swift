import Storage
import System
import TestSupport
import Testing

@testable import PostgresStorage

@Suite(.timeLimit(.minutes(5))) struct PostgresRegistryStoreTests {
  @Test(.requires(.initdb))
  func `the PostgreSQL registry does what every registry must`() async throws {
    let server = try await PostgresProgram()
    let databases = Databases(of: server)
    try RegistryStoreConformance { try PostgresRegistryStore(databases.make()) }.check()
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `a second provider does not start on the database, and a gateway does`() async throws {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    #expect {
      _ = try PostgresRegistryStore(address, mayCreate: false)
    } throws: {
      guard case .unsuitable? = $0 as? StorageFailure else { return false }
      return true
    }
    let first = try PostgresRegistryStore(address)
    #expect(first.warnings.contains { $0.contains("accepted registrations can be lost") })
    #expect(try first.folderID() == nil)
    try first.putFolderID("folder")
    #expect {
      _ = try PostgresRegistryStore(address)
    } throws: {
      guard case .inUse? = $0 as? StorageFailure else { return false }
      return true
    }
    let gateway = try PostgresStores(address)
    try gateway.control.apply([.putSetting(name: "a", value: [1])])
    #expect(try first.register(.sample(1), at: 1) == .added)
    #expect(try gateway.control.setting("a") == [1])
    first.close()
    let again = try PostgresRegistryStore(address, mayCreate: false)
    #expect(try again.folderID() == "folder" && again.tokenCount() == 1)
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `writes of a provider that was taken over are rejected`() async throws {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let first = try PostgresRegistryStore(address)
    #expect(try first.register(.sample(1), at: 1) == .added)
    let second = try PostgresRegistryStore(address, isExclusive: false, now: { 0 })
    #expect {
      try first.register(.sample(2), at: 1)
    } throws: {
      guard case .takenOver? = $0 as? StorageFailure else { return false }
      return true
    }
    #expect(try second.tokenCount() == 1)
    #expect(try second.register(.sample(2), at: 2) == .added)
    try await server.stop()
  }

  @Test(.requires(.initdb), arguments: CuttingProxy.Cut.allCases)
  func `a write that was cut off has been made exactly once, and returns its first results`(
    cut: CuttingProxy.Cut
  ) async throws {
    let server = try await PostgresProgram()
    let proxy = try CuttingProxy(to: server.socketFolder)
    // With a clock that does not advance, a write is repeated until its result is known, on a slow machine too.
    let store = try PostgresRegistryStore(
      PostgresAddress(proxy.url), isExclusive: true, now: { 0 })
    let model = try SQLiteRegistryStore(path: "")
    var count = 0
    func both<Value: Equatable>(_ body: (any RegistryStore) throws -> Value) throws -> Value {
      proxy.cutNextCommit(cut)
      count += 1
      let found = try body(store)
      #expect(try body(model) == found)
      #expect(proxy.cutCount == count)
      return found
    }
    func both(_ body: (any RegistryStore) throws -> Void) throws {
      _ = try both { store in
        try body(store)
        return true
      }
    }
    let limit = RegistrationLimit(topics: ["a.b"], tokens: 5)
    let changes = try both {
      try $0.register((1...6).map { .sample($0) }, at: 5, limit: limit)
    }
    #expect(changes == [.added, .added, .added, .added, .added, .full])
    #expect(try both { try $0.register(.sample(1), at: 6) } == .renewed)
    #expect(try both { try $0.register(.sample(9, installation: "p"), at: 6) } == .added)
    #expect(try both { try $0.register(.sample(8, installation: "p"), at: 6) } == .replaced)
    #expect(try both { try $0.remove([8], topic: nil) })
    let dead = (1...2).map {
      DeadToken(sealed: [$0], topic: nil, sinceMilliseconds: 5)
    }
    #expect(try both { try $0.removeDead(dead) } == 1)
    // A list gets each recipient once, and the number of new recipients is right.
    let list = CampaignRecord(
      id: "l", createdMilliseconds: 1, document: [], topic: "a.b", audience: .list, rate: nil)
    try both { try $0.addCampaign(list) }
    #expect(try both { try $0.appendRecipients([.sample(1), .sample(3)], to: "l") } == 2)
    // A campaign is started, and its batches are claimed, once.
    let added = CampaignRecord(
      id: "c", createdMilliseconds: 1, document: [], topic: "a.b", audience: .all, rate: nil)
    try both { try $0.addCampaign(added) }
    let campaign = try both { try $0.start(added, groups: [.any], total: 4) }
    let group = ZoneGroup(number: 0, zone: .any)
    func claim() throws -> Claim? {
      try both { store in
        try store.claim(of: campaign, group: group, limit: 3, at: 7).map {
          Claim(batch: $0.batch, recipients: $0.recipients)
        }
      }
    }
    var first = try #require(try claim())
    #expect(first.recipients.map(\.sealed) == [[1], [3], [4]])
    let second = try #require(try claim())
    #expect(second.recipients.map(\.sealed) == [[5]])
    #expect(try claim() == nil)
    // Outcomes are counted once.
    first.batch.unsettled = [first.batch.last]
    let tally = CampaignTally(outcome: .accepted, reason: "", count: 2)
    try both { try $0.narrow(first.batch, of: "c", tallies: [tally], dead: []) }
    try both { try $0.finish(first.batch, of: "c", tallies: [tally], dead: dead) }
    try both { try $0.finish(second.batch, of: "c", tallies: [tally], dead: []) }
    #expect(throws: StorageFailure.self) {
      try store.finish(second.batch, of: "c", tallies: [tally], dead: [])
    }
    #expect(try store.tallies(of: "c") == model.tallies(of: "c"))
    #expect(try store.tallies(of: "c").map(\.count) == [6, 1])
    #expect(try store.tokens(after: 0, limit: 99) == model.tokens(after: 0, limit: 99))
    try both { try $0.removeCampaign("c") }
    // The server counts the repetitions of writes that it had already committed.
    let direct = try PostgresConnection(PostgresAddress(server.url))
    func number(_ name: StaticString, _ sql: String) throws -> Int64? {
      try direct.run([.init(.init(name: name, sql: sql))]).first?.integer(0, 0)
    }
    #expect(
      try number("repeats", "SELECT repeats FROM registry_progress")
        == (cut == .beforeRequest ? 0 : Int64(count)))
    // A lost attempt that the server executes later than other writes has no effect.
    let late = try number(
      "late",
      """
      SELECT cardinality(registry_remove(p.epoch, p.write - 3, '\\x03', NULL))
      FROM registry_progress p
      """)
    #expect(late != nil)
    #expect(try store.tokens(after: 0, limit: 99) == model.tokens(after: 0, limit: 99))
    #expect(store.health.failure == nil)
    store.close()
    proxy.stop()
    try await server.stop()
  }
}

private struct Claim: Equatable {
  var batch: CampaignBatch
  let recipients: [CampaignRecipient]
}

extension TokenRegistration {
  fileprivate static func sample(_ byte: UInt8, installation: String? = nil) -> TokenRegistration {
    TokenRegistration(sealed: [byte], topic: "a.b", installation: installation)
  }
}
