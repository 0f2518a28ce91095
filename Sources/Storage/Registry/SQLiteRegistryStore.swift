/// The token registry and its campaigns in one SQLite file of mode 0600.
///
/// Any thread; one at a time writes. What a call has written is on disk when it returns.
public final class SQLiteRegistryStore: Sendable {
  private let engine: LockedEngine<RegistryEngine>

  /// Opens or makes the store at `path`; an empty path is memory alone.
  public init(path: String) throws(StorageFailure) {
    engine = try LockedEngine(path: path)
  }

  /// Opens or makes a store under that monotonic clock, for tests.
  package init(path: String, now: @escaping @Sendable () -> Int64) throws(StorageFailure) {
    engine = try LockedEngine(path: path, now: now)
  }

  /// The rows that were set aside.
  public var damage: StoreDamage { engine.damage }

  /// The rows that are set aside, as people inspect them.
  public func rowsSetAside() throws(StorageFailure) -> [SetAsideRow] { try engine.rowsSetAside() }

  /// Forgets the rows that were set aside; the number of those that there were.
  public func forgetSetAside() throws(StorageFailure) -> Int { try engine.forgetSetAside() }

  /// Finds damage in the file at `path`, and gives it a new file without what cannot be read.
  public static func inspect(path: String) throws(StorageFailure) -> StoreInspection {
    try LockedEngine<RegistryEngine>.inspect(path: path)
  }

  // MARK: Tokens

  /// Adds a token, or renews what is known of it; replaces the installation's former one.
  ///
  /// A limit holds for a token that is new and replaces none.
  public func register(
    _ token: TokenRegistration, at milliseconds: Int64, limit: RegistrationLimit? = nil
  ) throws(StorageFailure) -> RegistrationChange {
    let changes = try register([token], at: milliseconds, limit: limit)
    guard let change = changes.first else { preconditionFailure("one token has one change") }
    return change
  }

  /// Registers several tokens in one transaction.
  public func register(
    _ tokens: [TokenRegistration], at milliseconds: Int64, limit: RegistrationLimit? = nil
  ) throws(StorageFailure) -> [RegistrationChange] {
    try change { engine throws(StorageFailure) in
      var changes: [RegistrationChange] = []
      for token in tokens {
        changes.append(try engine.register(token, at: milliseconds, limit: limit))
      }
      return changes
    }
  }

  /// Removes a token, of every topic where none is given; whether there was one.
  public func remove(_ sealed: [UInt8], topic: String?) throws(StorageFailure) -> Bool {
    try change { engine throws(StorageFailure) in try engine.remove(sealed, topic: topic) > 0 }
  }

  /// Removes dead tokens that did not register since; the number of those that left.
  public func removeDead(_ tokens: [DeadToken]) throws(StorageFailure) -> Int {
    try change { engine throws(StorageFailure) in
      var removed = 0
      for token in tokens { removed += try engine.removeDead(token) }
      return removed
    }
  }

  /// Tokens with numbers above `number`, in order.
  public func tokens(
    after number: Int64, limit: Int
  ) throws(StorageFailure) -> [RegisteredToken] {
    try read { engine throws(StorageFailure) in try engine.tokens(after: number, limit: limit) }
  }

  /// How many tokens each app, language and environment has.
  public func shares() throws(StorageFailure) -> [RegistryShare] {
    try read { engine throws(StorageFailure) in try engine.shares() }
  }

  /// How many dead tokens of each app have left since the store was made.
  public func departures() throws(StorageFailure) -> [String: Int64] {
    try read { engine throws(StorageFailure) in try engine.departures() }
  }

  /// The number of registered tokens.
  public func tokenCount() throws(StorageFailure) -> Int64 {
    try read { engine throws(StorageFailure) in try engine.tokenCount() }
  }

  // MARK: Campaigns

  /// Adds a campaign that has not started.
  public func addCampaign(_ campaign: CampaignRecord) throws(StorageFailure) {
    try change { engine throws(StorageFailure) in try engine.addCampaign(campaign) }
  }

  /// Campaigns by creation.
  public func campaigns() throws(StorageFailure) -> [CampaignRecord] {
    try read { engine throws(StorageFailure) in try engine.campaigns(id: nil) }
  }

  /// The campaign with this id; nil where there is none.
  public func campaign(_ id: String) throws(StorageFailure) -> CampaignRecord? {
    try read { engine throws(StorageFailure) in try engine.campaigns(id: id).first }
  }

  /// Appends to a campaign's own list, each token once; the number of those that were new.
  public func appendRecipients(
    _ tokens: [TokenRegistration], to campaign: String
  ) throws(StorageFailure) -> Int {
    try change { engine throws(StorageFailure) in
      try engine.appendRecipients(tokens, to: campaign)
    }
  }

  /// How many devices of an audience share each language, zone and environment; `campaign` is the one whose
  /// list `.list` means.
  public func shares(
    of audience: CampaignAudience, campaign: String = "", topic: String, environment: String? = nil
  ) throws(StorageFailure) -> [AudienceShare] {
    try read { engine throws(StorageFailure) in
      try engine.shares(
        of: audience, campaign: campaign, topic: topic, environment: environment)
    }
  }

  /// Starts a campaign for the devices that there are now; returns it as it stands then.
  public func start(
    _ campaign: CampaignRecord, legs: [CampaignLeg.Zone], total: Int64
  ) throws(StorageFailure) -> CampaignRecord {
    try change { engine throws(StorageFailure) in
      var started = campaign
      started.state = .running
      started.total = total
      started.lastNumber = try engine.lastNumber(of: campaign.audience, campaign: campaign.id)
      if legs != [.any] { try engine.snapshot(campaign.audience, of: campaign) }
      try engine.addLegs(legs, to: campaign.id)
      try engine.updateCampaign(started)
      return started
    }
  }

  /// Forgets a finished campaign's list of recipients, in slices, so that others write in between.
  public func removeRecipients(of campaign: String) throws(StorageFailure) {
    while try change({ engine throws(StorageFailure) in
      try engine.removeRecipients(of: campaign, limit: Limits.operationsPerCommitMax)
    }) {}
  }

  /// Changes where a campaign stands.
  public func update(_ campaign: CampaignRecord) throws(StorageFailure) {
    try change { engine throws(StorageFailure) in try engine.updateCampaign(campaign) }
  }

  /// A campaign's legs in order.
  public func legs(of campaign: String) throws(StorageFailure) -> [CampaignLeg] {
    try read { engine throws(StorageFailure) in try engine.legs(of: campaign) }
  }

  /// Claims a leg's next recipients, which are in flight from now on; nil where none is left.
  public func claim(
    of campaign: CampaignRecord, leg: CampaignLeg, limit: Int, at milliseconds: Int64
  ) throws(StorageFailure) -> (batch: CampaignBatch, recipients: [CampaignRecipient])? {
    try change { engine throws(StorageFailure) in
      try engine.claim(of: campaign, leg: leg, limit: limit, at: milliseconds)
    }
  }

  /// The batches that have no outcome yet.
  public func batches(of campaign: String) throws(StorageFailure) -> [CampaignBatch] {
    try read { engine throws(StorageFailure) in try engine.batches(of: campaign) }
  }

  /// The recipients of a batch that are still registered.
  public func recipients(
    of batch: CampaignBatch, leg: CampaignLeg, in campaign: CampaignRecord
  ) throws(StorageFailure) -> [CampaignRecipient] {
    precondition(leg.number == batch.leg, "a batch belongs to its leg")
    return try read { engine throws(StorageFailure) in
      let all = try engine.recipients(
        of: campaign, zone: leg.zone, after: batch.after, upTo: batch.last, limit: .max)
      guard let unsettled = batch.unsettled.map(Set.init) else { return all }
      return all.filter { unsettled.contains($0.number) }
    }
  }

  /// Keeps of a batch only its unsettled recipients; the outcomes of the others are counted.
  public func narrow(
    _ batch: CampaignBatch, of campaign: String, tallies: [CampaignTally], dead: [DeadToken]
  ) throws(StorageFailure) {
    try change { engine throws(StorageFailure) in
      try engine.narrow(batch, of: campaign, tallies: tallies, dead: dead)
    }
  }

  /// Removes a campaign that never started.
  public func removeCampaign(_ id: String) throws(StorageFailure) {
    try change { engine throws(StorageFailure) in try engine.removeCampaign(id) }
  }

  /// Ends a batch: its outcomes are counted, and its dead tokens leave the registry.
  public func finish(
    _ batch: CampaignBatch, of campaign: String, tallies: [CampaignTally], dead: [DeadToken]
  ) throws(StorageFailure) {
    try change { engine throws(StorageFailure) in
      try engine.finish(batch, of: campaign, tallies: tallies, dead: dead)
    }
  }

  /// What became of a campaign's recipients so far.
  public func tallies(of campaign: String) throws(StorageFailure) -> [CampaignTally] {
    try read { engine throws(StorageFailure) in try engine.tallies(of: campaign) }
  }

  /// Closes the file; later calls throw `.closed`.
  public func close() { engine.close() }

  private func change<Answer: Sendable>(
    _ body: (RegistryEngine) throws(StorageFailure) -> Answer
  ) throws(StorageFailure) -> Answer {
    try engine.write { engine throws(StorageFailure) in
      do throws(StorageFailure) {
        return try engine.database.transaction { () throws(StorageFailure) in try body(engine) }
      } catch {
        engine.forgetCounts()
        throw error
      }
    }
  }

  private func read<Answer: Sendable>(
    _ body: (RegistryEngine) throws(StorageFailure) -> Answer
  ) throws(StorageFailure) -> Answer {
    try engine.read(body)
  }
}
