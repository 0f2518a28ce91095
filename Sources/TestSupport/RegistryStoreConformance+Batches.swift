import Storage
import Testing

/// The checks of batches, and of campaigns that are not started.
extension RegistryStoreConformance {
  func settlesBatches() throws {
    let store = try make()
    _ = try store.register((1...6).map { Self.token($0) }, at: 5)
    let added = Self.campaign()
    try store.addCampaign(added)
    let campaign = try store.start(added, groups: [.any], total: 6)
    let group = try #require(try store.groups(of: "c1").first)
    var (first, recipients) = try #require(
      try store.claim(of: campaign, group: group, limit: 4, at: 7))
    let (second, _) = try #require(try store.claim(of: campaign, group: group, limit: 4, at: 8))
    #expect(try store.batches(of: "c1") == [first, second])
    #expect(first.number == 1 && second.number == 2 && second.after == first.last)
    first.unsettled = recipients.suffix(2).map(\.number)
    first.isSent = false
    first.claimedMilliseconds = 9
    _ = try store.register(Self.token(2), at: 20)
    func dead(_ byte: UInt8, _ environment: String? = nil) -> DeadToken {
      DeadToken(
        sealed: [byte], topic: Self.topic, sinceMilliseconds: 10, environment: environment)
    }
    let tally = CampaignTally(outcome: .accepted, reason: "", language: "fr", count: 1)
    let none = CampaignTally(outcome: .failed, reason: "x", count: 0)
    try store.narrow(
      first, of: "c1", tallies: [tally, none], dead: [dead(1), dead(2), dead(3, "sandbox")])
    #expect(try store.batches(of: "c1") == [first, second])
    #expect(
      try store.recipients(of: first, group: group, in: campaign) == recipients.suffix(2))
    #expect(try Self.sealed(store) == [[2], [3], [4], [5], [6]])
    try store.finish(first, of: "c1", tallies: [tally, tally], dead: [dead(2), dead(9)])
    #expect(try store.batches(of: "c1") == [second])
    #expect(
      try store.tallies(of: "c1") == [
        CampaignTally(outcome: .accepted, reason: "", language: "fr", count: 3),
        CampaignTally(outcome: .kept, reason: "", count: 2),
      ])
    try store.finish(
      second, of: "c1",
      tallies: [CampaignTally(outcome: .failed, reason: "BadDeviceToken", count: 2)], dead: [])
    #expect(try store.batches(of: "c1") == [])
    #expect(try store.tallies(of: "c1").map(\.count) == [3, 2, 2])
    #expect(try store.departures() == [Self.topic: 1])
    // The numbers of batches start again if none are left.
    #expect(try store.claim(of: campaign, group: group, limit: 4, at: 8) == nil)
  }

  func reportsMissingRecords() throws {
    let store = try make()
    _ = try store.register(Self.token(1), at: 5)
    let campaign = Self.campaign()
    try store.addCampaign(campaign)
    func isMissing(_ error: any Error) -> Bool {
      if case .missing? = error as? StorageFailure { true } else { false }
    }
    let batch = CampaignBatch(number: 1, group: 0, after: 0, last: 1, claimedMilliseconds: 1)
    let dead = DeadToken(sealed: [1], topic: nil, sinceMilliseconds: 10)
    let tally = CampaignTally(outcome: .accepted, reason: "", count: 1)
    #expect {
      try store.finish(batch, of: "c1", tallies: [tally], dead: [dead])
    } throws: { isMissing($0) }
    #expect {
      try store.narrow(batch, of: "c1", tallies: [tally], dead: [dead])
    } throws: { isMissing($0) }
    #expect {
      _ = try store.claim(of: campaign, group: ZoneGroup(number: 0, zone: .any), limit: 1, at: 1)
    } throws: { isMissing($0) }
    // Nothing was changed.
    #expect(try store.tallies(of: "c1") == [] && Self.sealed(store) == [[1]])
    #expect(throws: StorageFailure.self) { try store.appendRecipients([Self.token(1)], to: "no") }
  }

  func undoesAStart() throws {
    let store = try make()
    _ = try store.register([Self.token(1), Self.token(2, timeZone: "UTC")], at: 5)
    let added = Self.campaign()
    try store.addCampaign(added)
    var campaign = try store.start(added, groups: [.named("UTC"), .named(nil)], total: 2)
    campaign.problem = "waiting"
    let scheduled = try #require(try store.reschedule(campaign))
    #expect(scheduled.state == .scheduled && scheduled.problem == nil && scheduled.lastNumber == 0)
    #expect(try store.campaign("c1") == scheduled)
    #expect(try store.groups(of: "c1") == [])
    #expect(try store.shares(of: .list, campaign: "c1", topic: Self.topic) == [])
    let again = try store.start(scheduled, groups: [.named("UTC"), .named(nil)], total: 2)
    #expect(try Self.claims(of: again, in: store) == [[2], [1]])
    #expect(try store.reschedule(again) == nil)
    #expect(try store.campaign("c1") == again)
  }
}
