public import Storage
import Testing

/// A registry with rows in every table, for copies to another store.
extension RegistryStoreConformance {
  /// Fills an empty store with tokens, and with campaigns in several states.
  ///
  /// The token with the highest number is removed again, and the campaign `zones` has two batches and an unclaimed
  /// recipient.
  public static func fill(_ store: any RegistryStore) throws {
    _ = try store.register(
      [
        token(
          1, language: "fr-CA", timeZone: "Europe/Paris", user: "ann", installation: "phone",
          tags: ["news", "é"], environment: "sandbox"),
        token(2, timeZone: "UTC", tags: ["news"]), token(3), token(4, topic: "b", user: "ann"),
        token(5, timeZone: "UTC", keys: [1, 2]), token(6, keys: [3]), token(7), token(8),
      ], at: 10)
    #expect(
      try store.removeDead([DeadToken(sealed: [3], topic: nil, sinceMilliseconds: 20)]) == 1)
    #expect(try store.remove([8], topic: nil))
    try store.addCampaign(campaign("list", to: .list))
    #expect(try store.appendRecipients([token(9, language: "de"), token(1)], to: "list") == 2)
    try store.addCampaign(
      CampaignRecord(
        id: "user", createdMilliseconds: 2, document: [], topic: topic, audience: .user("ann"),
        rate: nil))
    let tagged = campaign("tagged", to: .tag("news"), at: 3, environment: "sandbox")
    try store.addCampaign(tagged)
    var completed = try store.start(tagged, groups: [.any], total: 1)
    (completed.state, completed.problem) = (.completed, "none")
    completed.finishedMilliseconds = 99
    try store.update(completed)
    try fillZones(store)
  }

  private static func fillZones(_ store: any RegistryStore) throws {
    let added = campaign("zones", at: 4)
    try store.addCampaign(added)
    let zones = try store.start(added, groups: [.named("UTC"), .named(nil)], total: 4)
    let groups = try store.groups(of: "zones")
    assert(groups.count == 2, "a campaign has the groups with which it was started")
    let first = try #require(try store.claim(of: zones, group: groups[0], limit: 2, at: 30))
    var batch = first.batch
    batch.unsettled = first.recipients.suffix(1).map(\.number)
    batch.isSent = false
    try store.narrow(
      batch, of: "zones",
      tallies: [
        CampaignTally(outcome: .accepted, reason: "", language: "fr", count: 1),
        CampaignTally(outcome: .accepted, reason: "", language: "fr", isWebPush: true, count: 2),
      ], dead: [])
    _ = try #require(try store.claim(of: zones, group: groups[1], limit: 1, at: 31))
  }

  /// Returns one line of text for each record that the store returns.
  public static func contents(_ store: any RegistryStore) throws -> [String] {
    var lines = try store.tokens(after: 0, limit: .max).map { "\($0)" }
    lines.append("\(try store.tokenCount()) tokens")
    lines += try store.shares().map { "\($0)" }.sorted()
    lines += try store.departures().map { "\($0.key) lost \($0.value)" }.sorted()
    for campaign in try store.campaigns() {
      let groups = try store.groups(of: campaign.id)
      let batches = try store.batches(of: campaign.id)
      lines.append("\(campaign)")
      lines += groups.map { "\($0)" } + batches.map { "\($0)" }
      lines += try store.tallies(of: campaign.id).map { "\($0)" }
      lines += try store.shares(of: .list, campaign: campaign.id, topic: campaign.topic).map {
        "\($0)"
      }
      for batch in batches {
        let group = try #require(groups.first { $0.number == batch.group })
        lines += try store.recipients(of: batch, group: group, in: campaign).map { "\($0)" }
      }
    }
    return lines
  }
}
