import Storage

/// A provider's tokens and campaigns.
enum RegistryUnderPowerCuts: PowerCutSubject {
  enum Operation {
    case register([TokenRegistration], Int64)
    case remove([UInt8])
    case removeDead([DeadToken])
    case add(CampaignRecord)
    case start(CampaignRecord)
    case claim(CampaignRecord, ZoneGroup, limit: Int)
    case finish(CampaignBatch, campaign: String, accepted: Int64)
  }

  struct Campaign: Equatable {
    var record: CampaignRecord
    var groups: [ZoneGroup]
    var batches: [CampaignBatch]
    var tallies: [CampaignTally]
  }

  struct Contents: Equatable {
    var tokens: [RegisteredToken]
    var campaigns: [Campaign]
  }

  static let name = "registry"
  private static let topic = "com.example.app"

  static func open(
    path: String, now: @escaping @Sendable () -> Int64
  ) throws(PowerCutFault) -> SQLiteRegistryStore {
    try inspectThenOpen(path) { path throws(StorageFailure) in
      try SQLiteRegistryStore.inspect(path: path)
    } open: { () throws(StorageFailure) in
      try SQLiteRegistryStore(path: path, now: now)
    } lost: { _ throws(StorageFailure) in
      0
    }
  }

  static func close(_ store: SQLiteRegistryStore) { store.close() }

  static func operation(
    after contents: Contents, number: UInt64, _ random: inout SeededGenerator
  ) -> Operation {
    let at = Int64(number)
    let running = contents.campaigns.filter { $0.record.state == .running }
    switch random.draw(0...9) {
    case 0: return .remove(sealed(random.draw(1...300)))
    case 1:
      return .removeDead(
        [DeadToken(sealed: sealed(random.draw(1...300)), topic: nil, sinceMilliseconds: at - 3)])
    case 2:
      return .add(
        CampaignRecord(
          id: "campaign\(number)", createdMilliseconds: at, document: random.bytes(1...900),
          topic: topic, audience: .all, rate: nil))
    case 3:
      let waiting = contents.campaigns.filter { $0.record.state == .draft }
      guard let campaign = waiting.randomElement(using: &random) else { fallthrough }
      return .start(campaign.record)
    case 4...5:
      guard let campaign = running.randomElement(using: &random), let group = campaign.groups.first
      else { fallthrough }
      return .claim(campaign.record, group, limit: random.draw(1...50))
    case 6:
      guard let campaign = running.randomElement(using: &random),
        let batch = campaign.batches.randomElement(using: &random)
      else { fallthrough }
      return .finish(batch, campaign: campaign.record.id, accepted: at)
    default:
      let most = random.chance(0.1) ? 200 : 5
      let tokens = (0..<random.draw(1...most)).map { _ in
        let index = random.draw(1...300)
        return TokenRegistration(
          sealed: sealed(index), topic: topic, language: random.chance(0.5) ? "fr" : nil,
          installation: random.chance(0.3) ? "\(index % 40)" : nil,
          tags: random.chance(0.3) ? ["tag\(index % 5)"] : [],
          keys: random.chance(0.3) ? [UInt8(truncatingIfNeeded: at)] : nil)
      }
      return .register(tokens, at)
    }
  }

  private static func sealed(_ index: Int) -> [UInt8] {
    [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: 47) + [UInt8(index >> 8)]
  }

  static func perform(
    _ operation: Operation, on store: SQLiteRegistryStore
  ) throws(StorageFailure) {
    try apply(operation, to: store)
  }

  static func apply(_ operation: Operation, to store: any RegistryStore) throws(StorageFailure) {
    switch operation {
    case .register(let tokens, let at): _ = try store.register(tokens, at: at)
    case .remove(let sealed): _ = try store.remove(sealed, topic: nil)
    case .removeDead(let tokens): _ = try store.removeDead(tokens)
    case .add(let campaign): try store.addCampaign(campaign)
    case .start(let campaign): _ = try store.start(campaign, groups: [.any], total: 1)
    case .claim(let campaign, let group, let limit):
      assert(campaign.state == .running, "only a running campaign is claimed")
      _ = try store.claim(
        of: campaign, group: group, limit: limit, at: campaign.createdMilliseconds)
    case .finish(let batch, let campaign, let accepted):
      try store.finish(
        batch, of: campaign,
        tallies: [CampaignTally(outcome: .accepted, reason: "", count: accepted)], dead: [])
    }
  }

  static func contents(of store: SQLiteRegistryStore) throws(StorageFailure) -> Contents {
    try contents(in: store)
  }

  static func contents(in store: any RegistryStore) throws(StorageFailure) -> Contents {
    var campaigns: [Campaign] = []
    for record in try store.campaigns() {
      campaigns.append(
        Campaign(
          record: record, groups: try store.groups(of: record.id),
          batches: try store.batches(of: record.id), tallies: try store.tallies(of: record.id)))
    }
    return Contents(tokens: try store.tokens(after: 0, limit: .max), campaigns: campaigns)
  }

  /// Returns the records.
  ///
  /// Tags are separate rows, so a damaged tag does not affect its token.
  static func records(_ contents: Contents) -> Set<String> {
    Set(
      contents.tokens.map { token in
        var registration = token.registration
        registration.tags = []
        return "\(token.number) \(registration)"
      } + contents.campaigns.map { "\($0.record)" })
  }

  static func difference(_ expected: Contents, _ found: Contents) -> String {
    "expected \(expected.tokens.count) tokens and \(expected.campaigns.count) campaigns, "
      + "found \(found.tokens.count) and \(found.campaigns.count); tokens "
      + "\(expected.tokens == found.tokens ? "are" : "are not") the same"
  }
}
