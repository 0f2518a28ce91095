import Storage
import Testing

extension RegistryStoreConformance {
  func checkCampaigns() throws {
    try keepsCampaigns()
    try listsCampaigns()
    try keepsLists()
    try copiesLists()
    try countsAudiences()
    try countsUnregisteredRecipients()
    try sendsToEachAudience()
    try sendsByTimeZone()
    try reachesAnInstallationOnce()
    try settlesBatches()
    try reportsMissingRecords()
    try undoesAStart()
    try removesCampaigns()
  }

  static func campaign(
    _ id: String = "c1", to audience: CampaignAudience = .all, at: Int64 = 1,
    topic: String = topic, environment: String? = nil
  ) -> CampaignRecord {
    assert(!id.isEmpty && !topic.isEmpty, "a campaign has an ID and a topic")
    return CampaignRecord(
      id: id, name: "A name", createdMilliseconds: at, document: [1, 2, 3], topic: topic,
      audience: audience, rate: 5, environment: environment)
  }

  /// Claims all recipients of a campaign in batches of two, and returns their sealed tokens by group.
  static func claims(
    of campaign: CampaignRecord, in store: any RegistryStore
  ) throws -> [[UInt8]] {
    assert(campaign.state == .running, "only a running campaign is claimed")
    var claimed: [[UInt8]] = []
    for group in try store.groups(of: campaign.id) {
      while let (batch, recipients) = try store.claim(
        of: campaign, group: group, limit: 2, at: 9)
      {
        #expect(recipients.count <= 2)
        #expect(batch.group == group.number && batch.claimedMilliseconds == 9)
        #expect(try store.recipients(of: batch, group: group, in: campaign) == recipients)
        claimed += recipients.map(\.sealed)
      }
    }
    #expect(try store.groups(of: campaign.id).allSatisfy(\.isClaimed))
    return claimed
  }

  private func keepsCampaigns() throws {
    let store = try make()
    var campaign = Self.campaign(to: .tag("news"), environment: "sandbox")
    try store.addCampaign(campaign)
    #expect(try store.campaign("c1") == campaign)
    #expect(try store.campaign("c2") == nil)
    #expect(try store.campaign("c1", documentBytesMax: 3)?.document == [1, 2, 3])
    #expect(try store.campaign("c1", documentBytesMax: 2)?.document == [])
    #expect {
      try store.addCampaign(campaign)
    } throws: {
      if case .exists? = $0 as? StorageFailure { true } else { false }
    }
    campaign.document = [4]
    campaign.topic = "b"
    campaign.audience = .user("ann")
    campaign.rate = nil
    campaign.environment = nil
    campaign.name = nil
    campaign.state = .scheduled
    try store.replace(campaign)
    #expect(try store.campaigns() == [campaign])
    campaign.state = .completed
    campaign.problem = "none"
    campaign.total = 7
    campaign.lastNumber = 8
    campaign.finishedMilliseconds = 9
    try store.update(campaign)
    #expect(try store.campaigns() == [campaign])
  }

  private func listsCampaigns() throws {
    let store = try make()
    var second = Self.campaign("c2", at: 2)
    for campaign in [second, Self.campaign("c3", at: 1), Self.campaign("c1", at: 2)] {
      try store.addCampaign(campaign)
    }
    try store.addCampaign(Self.campaign("c4", at: 3, topic: "b"))
    second.state = .paused
    try store.update(second)
    #expect(try store.campaignIDs() == ["c3", "c1", "c2", "c4"])
    #expect(try store.campaigns().map(\.id) == ["c3", "c1", "c2", "c4"])
    #expect(try store.campaignIDs(in: .paused) == ["c2"])
    #expect(try store.campaignIDs(in: .running) == [])
    let newest = try store.campaigns(ofTopic: Self.topic, limit: 2)
    #expect(newest.map(\.id) == ["c1", "c2"] && newest.allSatisfy { $0.document.isEmpty })
  }

  private func keepsLists() throws {
    let store = try make()
    _ = try store.register(
      Self.token(2, language: "fr", timeZone: "UTC", environment: "sandbox"), at: 1)
    var campaign = Self.campaign(to: .list)
    try store.addCampaign(campaign)
    let tokens = [Self.token(1, language: "de"), Self.token(2), Self.token(1)]
    #expect(try store.appendRecipients(tokens, to: "c1") == 2)
    #expect(try store.appendRecipients([Self.token(2), Self.token(3)], to: "c1") == 1)
    #expect(try store.appendRecipients([], to: "c1") == 0)
    let expected = [
      AudienceShare(language: nil, timeZone: nil, environment: nil, count: 1),
      AudienceShare(language: "de", timeZone: nil, environment: nil, count: 1),
      AudienceShare(language: "fr", timeZone: "UTC", environment: "sandbox", count: 1),
    ]
    func shares() throws -> [AudienceShare] {
      try store.shares(of: .list, campaign: "c1", topic: Self.topic)
    }
    #expect(try shares() == expected)
    try store.replace(campaign)
    #expect(try shares() == expected)
    campaign.audience = .all
    try store.replace(campaign)
    #expect(try shares() == [])
    #expect(try store.appendRecipients([Self.token(1)], to: "c1") == 1)
    try store.clearRecipients(of: "c1")
    #expect(try shares() == [])
  }

  private func copiesLists() throws {
    let store = try make()
    try store.addCampaign(Self.campaign(to: .list))
    _ = try store.appendRecipients([Self.token(1), Self.token(2)], to: "c1")
    try store.addCampaign(Self.campaign("c2", to: .list), copying: "c1")
    try store.addCampaign(Self.campaign("c3", to: .all), copying: "c1")
    func count(_ id: String) throws -> Int64 {
      try store.shares(of: .list, campaign: id, topic: Self.topic).reduce(0) { $0 + $1.count }
    }
    #expect(try [count("c1"), count("c2"), count("c3")] == [2, 2, 0])
    #expect {
      try store.addCampaign(Self.campaign("c2", to: .list), copying: "c1")
    } throws: {
      if case .exists? = $0 as? StorageFailure { true } else { false }
    }
    #expect(try count("c2") == 2)
  }

  private func countsAudiences() throws {
    let store = try make()
    _ = try store.register(
      [
        Self.token(1, language: "fr", user: "ann", tags: ["news"], environment: "sandbox"),
        Self.token(2, user: "ann"), Self.token(3, tags: ["news"], environment: "production"),
        Self.token(4, topic: "b", user: "ann", tags: ["news"]),
      ], at: 1)
    func count(_ audience: CampaignAudience, _ environment: String? = nil) throws -> Int64 {
      try store.shares(of: audience, topic: Self.topic, environment: environment)
        .reduce(0) { $0 + $1.count }
    }
    #expect(try [count(.all), count(.tag("news")), count(.user("ann"))] == [3, 2, 2])
    #expect(try [count(.all, "sandbox"), count(.tag("news"), "sandbox")] == [2, 1])
    #expect(try count(.user("ann"), "production") == 1)
    #expect(
      try store.shares(of: .user("ann"), topic: Self.topic) == [
        AudienceShare(language: nil, timeZone: nil, environment: nil, count: 1),
        AudienceShare(language: "fr", timeZone: nil, environment: "sandbox", count: 1),
      ])
  }

  private func countsUnregisteredRecipients() throws {
    let store = try make()
    _ = try store.register([Self.token(1), Self.token(2, topic: "b")], at: 1)
    for id in ["c1", "c2"] { try store.addCampaign(Self.campaign(id, to: .list)) }
    _ = try store.appendRecipients([Self.token(1), Self.token(2), Self.token(3)], to: "c1")
    #expect(try store.unregisteredRecipients(of: "c1", topic: Self.topic) == 2)
    #expect(try store.unregisteredRecipients(of: "c1", topic: "b") == 2)
    #expect(try store.unregisteredRecipients(of: "c2", topic: Self.topic) == 0)
  }

  private func sendsToEachAudience() throws {
    let store = try make()
    let environments = [5: "sandbox", 6: "production"]
    let tokens = (1...7).map { number in
      Self.token(
        UInt8(number), language: number == 1 ? "fr" : nil, user: number < 4 ? "ann" : nil,
        tags: number.isMultiple(of: 2) ? ["even"] : [], environment: environments[number])
    }
    _ = try store.register(tokens, at: 1)
    _ = try store.register(Self.token(8, topic: "b", user: "ann", tags: ["even"]), at: 1)
    let cases: [(CampaignAudience, String?, [UInt8])] = [
      (.all, nil, [1, 2, 3, 4, 5, 6, 7]), (.all, "sandbox", [1, 2, 3, 4, 5, 7]),
      (.tag("even"), nil, [2, 4, 6]), (.tag("even"), "sandbox", [2, 4]),
      (.user("ann"), nil, [1, 2, 3]), (.list, nil, [9, 1, 4]),
    ]
    for (index, (audience, environment, expected)) in cases.enumerated() {
      let added = Self.campaign("c\(index)", to: audience, environment: environment)
      try store.addCampaign(added)
      if audience == .list {
        _ = try store.appendRecipients(
          [Self.token(9), Self.token(1), Self.token(4)], to: added.id)
      }
      let started = try store.start(added, groups: [.any], total: Int64(expected.count))
      #expect(started.state == .running && started.total == Int64(expected.count))
      #expect(try store.campaign(added.id) == started)
      #expect(try Self.claims(of: started, in: store) == expected.map { [$0] }, "\(audience)")
    }
    // Devices that register after the start are not included.
    let added = Self.campaign("late")
    try store.addCampaign(added)
    let started = try store.start(added, groups: [.any], total: 7)
    _ = try store.register(Self.token(10), at: 2)
    #expect(try Self.claims(of: started, in: store).count == 7)
  }

  private func sendsByTimeZone() throws {
    let store = try make()
    _ = try store.register(
      [
        Self.token(1, timeZone: "UTC"), Self.token(2), Self.token(3, timeZone: "Asia/Tokyo"),
        Self.token(4, timeZone: "UTC", tags: ["a"]), Self.token(5, tags: ["a"]),
        Self.token(6, topic: "b", timeZone: "UTC"),
      ], at: 1)
    let zones: [ZoneGroup.Zone] = [.named("UTC"), .named(nil), .named("Asia/Tokyo")]
    let all = Self.campaign("all")
    let tag = Self.campaign("tag", to: .tag("a"))
    let list = Self.campaign("list", to: .list)
    for campaign in [all, tag, list] { try store.addCampaign(campaign) }
    _ = try store.appendRecipients([Self.token(7, timeZone: "UTC"), Self.token(2)], to: "list")
    let startedAll = try store.start(all, groups: zones, total: 5)
    let startedTag = try store.start(tag, groups: zones, total: 2)
    let startedList = try store.start(list, groups: zones, total: 2)
    #expect(try store.groups(of: "all").map(\.zone) == zones)
    // A device that moves stays in its group, and a device that is removed gets nothing.
    _ = try store.register(Self.token(1, timeZone: "Asia/Tokyo"), at: 2)
    #expect(try store.remove([4], topic: nil))
    #expect(try Self.claims(of: startedAll, in: store) == [[1], [2], [5], [3]])
    #expect(try Self.claims(of: startedTag, in: store) == [[5]])
    #expect(try Self.claims(of: startedList, in: store) == [[7], [2]])
    try store.removeRecipients(of: "all")
    #expect(try store.shares(of: .list, campaign: "all", topic: Self.topic) == [])
    #expect(!(try store.shares(of: .list, campaign: "tag", topic: Self.topic)).isEmpty)
  }

  private func reachesAnInstallationOnce() throws {
    let store = try make()
    _ = try store.register(
      [Self.token(1, installation: "phone"), Self.token(2, installation: "tablet")], at: 1)
    let added = Self.campaign()
    try store.addCampaign(added)
    let campaign = try store.start(added, groups: [.any], total: 2)
    func next() throws -> [[UInt8]] {
      let group = try #require(try store.groups(of: "c1").first)
      let claim = try store.claim(of: campaign, group: group, limit: 1, at: 0)
      return (claim?.recipients ?? []).map(\.sealed)
    }
    #expect(try next() == [[1]])
    // The campaign has reached the first installation but not the second.
    _ = try store.register(
      [Self.token(3, installation: "phone"), Self.token(4, installation: "tablet")], at: 2)
    #expect(try next() == [[4]])
    #expect(try next() == [])
  }

  private func removesCampaigns() throws {
    let store = try make()
    _ = try store.register([Self.token(1), Self.token(2)], at: 5)
    for id in ["c1", "c2"] {
      let added = Self.campaign(id)
      try store.addCampaign(added)
      let started = try store.start(added, groups: [.named(nil)], total: 2)
      let group = try #require(try store.groups(of: id).first)
      let (batch, _) = try #require(try store.claim(of: started, group: group, limit: 1, at: 1))
      try store.narrow(
        batch, of: id, tallies: [CampaignTally(outcome: .accepted, reason: "", count: 1)],
        dead: [])
    }
    try store.removeCampaign("c1")
    #expect(try store.campaignIDs() == ["c2"])
    #expect(try store.groups(of: "c1").isEmpty && store.batches(of: "c1").isEmpty)
    #expect(try store.tallies(of: "c1").isEmpty)
    #expect(try store.shares(of: .list, campaign: "c1", topic: Self.topic).isEmpty)
    #expect(try store.batches(of: "c2").count == 1 && store.tallies(of: "c2").count == 1)
    try store.removeCampaign("c1")
  }
}
