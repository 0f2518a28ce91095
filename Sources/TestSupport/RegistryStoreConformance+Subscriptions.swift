import Storage
import Testing

/// The checks of Web Push subscriptions, which a registry keeps beside device tokens.
extension RegistryStoreConformance {
  func checkSubscriptions() throws {
    try keepsSubscriptions()
    try sendsToSubscriptions()
    try countsOutcomesByKind()
  }

  private func keepsSubscriptions() throws {
    let store = try make()
    _ = try store.register(
      [
        Self.token(1, language: "fr", user: "ann", tags: ["news"], keys: [1]), Self.token(2),
        Self.token(3, keys: [3]),
      ], at: 1)
    // New keys of the same endpoint replace the earlier keys, and the last registration in one call applies.
    #expect(
      try store.register([Self.token(1, keys: [4]), Self.token(1, keys: [5])], at: 2)
        == [.renewed, .renewed])
    func keys() throws -> [[UInt8]?] {
      try store.tokens(after: 0, limit: 10).map(\.registration.keys)
    }
    #expect(try keys() == [[5], nil, [3]])
    func found(_ change: (inout TokenFilter) -> Void) throws -> [[UInt8]] {
      var filter = TokenFilter()
      change(&filter)
      return try store.tokens(matching: filter, after: 0, limit: 10).tokens
        .map(\.registration.sealed)
    }
    #expect(try found { $0.isWebPush = true } == [[1], [3]])
    #expect(try found { $0.isWebPush = false } == [[2]])
    #expect(try found { ($0.sealed, $0.isWebPush) = ([1], false) } == [])
    #expect(
      try store.shares() == [
        RegistryShare(
          topic: Self.topic, language: nil, environment: nil, isWebPush: true, count: 2),
        RegistryShare(topic: Self.topic, language: nil, environment: nil, count: 1),
      ])
    #expect(
      Set(try store.shares(of: .all, topic: Self.topic)) == [
        AudienceShare(language: nil, timeZone: nil, environment: nil, isWebPush: true, count: 2),
        AudienceShare(language: nil, timeZone: nil, environment: nil, count: 1),
      ])
    #expect(
      try store.removeDead([DeadToken(sealed: [3], topic: nil, sinceMilliseconds: 1)]) == 1)
    #expect(try store.register(Self.token(1), at: 3) == .renewed)
    #expect(try keys() == [nil, nil])
  }

  private func sendsToSubscriptions() throws {
    let store = try make()
    _ = try store.register(
      [
        Self.token(1, timeZone: "UTC", user: "ann", tags: ["a"], keys: [7]),
        Self.token(2, timeZone: "UTC", user: "ann", tags: ["a"]),
      ], at: 1)
    let audiences: [CampaignAudience] = [.all, .tag("a"), .user("ann")]
    for (index, audience) in audiences.enumerated() {
      for zone in [ZoneGroup.Zone.any, .named("UTC")] {
        let added = Self.campaign("c\(index)\(zone)", to: audience)
        try store.addCampaign(added)
        let started = try store.start(added, groups: [zone], total: 2)
        let group = try #require(try store.groups(of: added.id).first)
        let claim = try #require(try store.claim(of: started, group: group, limit: 5, at: 1))
        #expect(claim.recipients.map(\.keys) == [[7], nil], "\(audience) \(zone)")
        let again = try store.recipients(of: claim.batch, group: group, in: started)
        #expect(again == claim.recipients)
      }
    }
    // A list that was supplied with the campaign contains only device tokens.
    let list = Self.campaign("list", to: .list)
    try store.addCampaign(list)
    _ = try store.appendRecipients([Self.token(1), Self.token(2)], to: "list")
    let started = try store.start(list, groups: [.named("UTC")], total: 2)
    let group = try #require(try store.groups(of: "list").first)
    let claim = try #require(try store.claim(of: started, group: group, limit: 5, at: 1))
    #expect(claim.recipients.map(\.keys) == [nil, nil])
  }

  private func countsOutcomesByKind() throws {
    let store = try make()
    _ = try store.register((1...4).map { Self.token($0) }, at: 1)
    let added = Self.campaign()
    try store.addCampaign(added)
    let campaign = try store.start(added, groups: [.any], total: 4)
    let group = try #require(try store.groups(of: "c1").first)
    for _ in 1...2 {
      let claim = try #require(try store.claim(of: campaign, group: group, limit: 2, at: 1))
      try store.finish(
        claim.batch, of: "c1",
        tallies: [
          CampaignTally(outcome: .accepted, reason: "", language: "fr", count: 1),
          CampaignTally(outcome: .accepted, reason: "", language: "fr", isWebPush: true, count: 3),
        ], dead: [])
    }
    #expect(
      Set(try store.tallies(of: "c1")) == [
        CampaignTally(outcome: .accepted, reason: "", language: "fr", count: 2),
        CampaignTally(outcome: .accepted, reason: "", language: "fr", isWebPush: true, count: 6),
      ])
  }
}
