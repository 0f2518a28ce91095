import BelfryWire
import Dispatch
import Foundation
import Storage
import Synchronization
import TestSupport
import Testing

@testable import ProviderService

/// Tests of the campaign list, and of a campaign's recipient list, during concurrent changes.
@Suite(.timeLimit(.minutes(60))) struct CampaignListTests {
  private let test: TestRegistry
  private let campaigns: CampaignService

  init() throws {
    test = try TestRegistry()
    campaigns = CampaignService(registry: test.registry, log: .silent) {
      PushService(
        submit: { push, done in
          done(.success(.accepted(.init(id: push.id ?? "", uniqueID: nil))))
        }, log: nil)
    }
  }

  private func draft(_ audience: CampaignAudience = .all) throws -> String {
    let document = try #require(
      try JSONValue(parsing: #"{"topic":"com.example.app","alert":{"en":{"title":"Hello"}}}"#)
        .objectValue)
    return try campaigns.add(document, audience: audience, rate: nil).id
  }

  private func recipients(_ numbers: Range<Int>) throws -> [RegistrationRequest] {
    try numbers.map { number in
      try RegistrationRequest(
        ["deviceToken": .string(String(100_000 + number))], zones: test.registry.zones)
    }
  }

  @Test func `A recipient is on the list when the campaign starts, or is refused`() throws {
    let id = try draft(.list)
    #expect(try campaigns.append(recipients(0..<1), to: id) == 1)
    let others = try recipients(1..<3)
    let added = Mutex(0)
    let hasEnded = DispatchSemaphore(value: 0)
    // Simulate a start that has counted the recipients and is about to store its state.
    try campaigns.transitions.withLock { _ in
      let campaign = try #require(try test.store.campaign(id))
      Thread.detachNewThread { [campaigns] in
        if let count = try? campaigns.append(others, to: id) { added.withLock { $0 = count } }
        hasEnded.signal()
      }
      if hasEnded.wait(timeout: .now() + .milliseconds(200)) == .success { hasEnded.signal() }
      _ = try test.store.start(campaign, groups: [.any], total: 1)
    }
    #expect(hasEnded.wait(timeout: .now() + .seconds(60)) == .success)
    let devices = Int64(1 + added.withLock { $0 })
    #expect(try campaigns.status(id)["devices"] == .integer(devices))
  }

  @Test func `The campaign that was completed last is not always the newest one`() async throws {
    try test.register(["deviceToken": "01"])
    let older = try draft()
    let newer = try draft()
    #expect(try campaigns.summary()["latest"] == .null)
    for id in [newer, older] {
      _ = try campaigns.resume(id)
      try await Scenario.wait("the completion of the campaign") {
        try campaigns.status(id)["state"] == "completed"
      }
      #expect(try campaigns.summary()["latest"]?.objectValue?["id"] == .string(id))
    }
  }

  @Test func `Lists read no large documents, and name their campaigns all the same`() throws {
    try test.register(["deviceToken": "01"])
    let id = try draft()
    let document = try #require(try test.store.campaign(id)).document
    let bytes = document.count
    #expect(try test.store.campaign(id, documentBytesMax: bytes)?.document == document)
    let bare = try #require(try test.store.campaign(id, documentBytesMax: bytes - 1))
    #expect(bare.document.isEmpty && bare.name == "Hello")
    #expect(try campaigns.list().map { $0["name"] } == ["Hello"])
    let last = try campaigns.summary()["campaigns"]?.arrayValue
    #expect(last?.compactMap(\.objectValue).map { $0["name"] } == ["Hello"])
    #expect(try test.store.campaignIDs() == [id])
    #expect(try test.store.campaignIDs(in: .draft) == [id])
    #expect(try test.store.campaignIDs(in: .running).isEmpty)
  }
}
