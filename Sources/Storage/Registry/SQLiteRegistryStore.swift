/// The token registry and its campaigns in one SQLite file with mode 0600.
public final class SQLiteRegistryStore: RegistryStore {
  private let engine: LockedEngine<RegistryEngine>

  /// Opens or creates the store at `path`; an empty path creates it in memory.
  public init(path: String) throws(StorageFailure) {
    engine = try LockedEngine(path: path)
  }

  /// Opens or creates the store at `path` with a specific monotonic clock, for tests.
  package init(path: String, now: @escaping @Sendable () -> Int64) throws(StorageFailure) {
    engine = try LockedEngine(path: path, now: now)
  }

  /// The health of the store's disk.
  public var health: StoreHealth { engine.health }

  /// Performs a write to test whether the disk accepts writes.
  public func probe() throws(StorageFailure) {
    try change { engine throws(StorageFailure) in try engine.probe() }
  }

  /// The rows that were set aside.
  public var damage: StoreDamage { engine.damage }

  /// Returns the rows that were set aside, for inspection.
  public func rowsSetAside() throws(StorageFailure) -> [SetAsideRow] { try engine.rowsSetAside() }

  /// Discards the rows that were set aside.
  ///
  /// Returns their number.
  public func forgetSetAside() throws(StorageFailure) -> Int { try engine.forgetSetAside() }

  /// Checks the file at `path` for damage, and replaces a damaged file with a new one that omits the unreadable parts.
  public static func inspect(path: String) throws(StorageFailure) -> StoreInspection {
    try LockedEngine<RegistryEngine>.inspect(path: path)
  }

  // MARK: Tokens

  /// Registers several tokens in one transaction.
  public func register(
    _ tokens: [TokenRegistration], at milliseconds: Int64, limit: RegistrationLimit?
  ) throws(StorageFailure) -> [RegistrationChange] {
    try change { engine throws(StorageFailure) in
      var changes: [RegistrationChange] = []
      for token in tokens {
        changes.append(try engine.register(token, at: milliseconds, limit: limit))
      }
      return changes
    }
  }

  /// Removes a token from a topic, or from all topics if `topic` is nil.
  ///
  /// Returns true if the token was registered.
  public func remove(_ sealed: [UInt8], topic: String?) throws(StorageFailure) -> Bool {
    try change { engine throws(StorageFailure) in try engine.remove(sealed, topic: topic) > 0 }
  }

  /// Removes dead tokens that have not been registered again since they became dead.
  ///
  /// Returns the number of removed tokens.
  public func removeDead(_ tokens: [DeadToken]) throws(StorageFailure) -> Int {
    try change { engine throws(StorageFailure) in
      var removed = 0
      for token in tokens { removed += try engine.removeDead(token) }
      return removed
    }
  }

  /// Returns the tokens with numbers above `number`, in order.
  public func tokens(
    after number: Int64, limit: Int
  ) throws(StorageFailure) -> [RegisteredToken] {
    try read { engine throws(StorageFailure) in try engine.tokens(after: number, limit: limit) }
  }

  /// Returns a page of the tokens that match a filter, with numbers above `number`.
  ///
  /// A page can be empty even if the search has not reached its end, because each call reads a limited number of rows.
  public func tokens(
    matching filter: TokenFilter, after number: Int64, limit: Int
  ) throws(StorageFailure) -> TokenPage {
    try read { engine throws(StorageFailure) in
      try engine.tokens(matching: filter, after: number, limit: limit)
    }
  }

  /// Returns the number of tokens per app, kind, language, and environment.
  public func shares() throws(StorageFailure) -> [RegistryShare] {
    try read { engine throws(StorageFailure) in try engine.shares() }
  }

  /// Returns, for each app, the number of dead tokens that were removed since the store was created.
  public func departures() throws(StorageFailure) -> [String: Int64] {
    try read { engine throws(StorageFailure) in try engine.departures() }
  }

  /// Returns the number of registered tokens.
  public func tokenCount() throws(StorageFailure) -> Int64 {
    try read { engine throws(StorageFailure) in try engine.tokenCount() }
  }

  // MARK: Campaigns

  /// Adds a campaign that has not started.
  public func addCampaign(_ campaign: CampaignRecord) throws(StorageFailure) {
    try change { engine throws(StorageFailure) in try engine.addCampaign(campaign) }
  }

  /// Adds a copy of a campaign as a campaign that has not started.
  ///
  /// If the original still has its own list of recipients, the list is copied too.
  public func addCampaign(
    _ campaign: CampaignRecord, copying original: String
  ) throws(StorageFailure) {
    try change { engine throws(StorageFailure) in
      try engine.addCampaign(campaign)
      if campaign.audience == .list { try engine.copyRecipients(of: original, to: campaign.id) }
    }
  }

  /// Replaces the content and the state of a campaign that has not started.
  ///
  /// The campaign's own list of recipients is discarded unless the audience is still that list.
  public func replace(_ campaign: CampaignRecord) throws(StorageFailure) {
    try change { engine throws(StorageFailure) in
      try engine.replaceCampaign(campaign)
      try engine.updateCampaign(campaign)
      if campaign.audience != .list { try engine.clearRecipients(of: campaign.id) }
    }
  }

  /// Empties the list of recipients of a campaign that has not started.
  public func clearRecipients(of campaign: String) throws(StorageFailure) {
    try change { engine throws(StorageFailure) in try engine.clearRecipients(of: campaign) }
  }

  /// Sets a running campaign back to `scheduled` if no pushes have been sent yet.
  ///
  /// Earlier versions started a campaign immediately, even if its start time was in the future. Returns nil if the
  /// campaign has already sent pushes.
  public func reschedule(_ campaign: CampaignRecord) throws(StorageFailure) -> CampaignRecord? {
    try change { engine throws(StorageFailure) in
      guard try !engine.hasClaimed(campaign.id), try engine.batches(of: campaign.id).isEmpty,
        try engine.tallies(of: campaign.id).isEmpty
      else { return nil }
      var scheduled = campaign
      scheduled.state = .scheduled
      scheduled.problem = nil
      scheduled.lastNumber = 0
      try engine.unstart(scheduled)
      return scheduled
    }
  }

  /// Returns the IDs of all campaigns, or of the campaigns in one state, sorted by creation time.
  ///
  /// The documents of all campaigns together might not fit into memory, so callers read one campaign at a time.
  public func campaignIDs(
    in state: CampaignRecord.State?
  ) throws(StorageFailure) -> [String] {
    try read { engine throws(StorageFailure) in try engine.campaignIDs(in: state) }
  }

  /// Returns the newest campaigns of an app without their documents, newest first.
  public func campaigns(
    ofTopic topic: String, limit: Int
  ) throws(StorageFailure) -> [CampaignRecord] {
    try read { engine throws(StorageFailure) in
      try engine.campaigns(ofTopic: topic, limit: limit)
    }
  }

  /// Returns all campaigns, sorted by creation time.
  public func campaigns() throws(StorageFailure) -> [CampaignRecord] {
    try read { engine throws(StorageFailure) in try engine.campaigns(id: nil) }
  }

  /// Returns the campaign with this ID, or nil if it does not exist.
  ///
  /// A document of more than `documentBytesMax` is omitted.
  public func campaign(
    _ id: String, documentBytesMax: Int
  ) throws(StorageFailure) -> CampaignRecord? {
    try read { engine throws(StorageFailure) in
      try engine.campaigns(id: id, documentBytesMax: documentBytesMax).first
    }
  }

  /// Appends recipients to a campaign's own list, with each token only once.
  ///
  /// Returns the number of new recipients.
  public func appendRecipients(
    _ tokens: [TokenRegistration], to campaign: String
  ) throws(StorageFailure) -> Int {
    try change { engine throws(StorageFailure) in
      try engine.appendRecipients(tokens, to: campaign)
    }
  }

  /// Returns the number of devices in an audience for each kind, language, time zone, and environment.
  ///
  /// If the audience is `.list`, the devices in the list of `campaign` are counted.
  public func shares(
    of audience: CampaignAudience, campaign: String, topic: String, environment: String?
  ) throws(StorageFailure) -> [AudienceShare] {
    try read { engine throws(StorageFailure) in
      try engine.shares(
        of: audience, campaign: campaign, topic: topic, environment: environment)
    }
  }

  /// Returns the number of tokens in a campaign's own list that are not registered for a topic.
  public func unregisteredRecipients(
    of campaign: String, topic: String
  ) throws(StorageFailure) -> Int64 {
    try read { engine throws(StorageFailure) in
      try engine.unregisteredRecipients(of: campaign, topic: topic)
    }
  }

  /// Starts a campaign for the currently registered devices.
  ///
  /// Returns the campaign's new record.
  public func start(
    _ campaign: CampaignRecord, groups: [ZoneGroup.Zone], total: Int64
  ) throws(StorageFailure) -> CampaignRecord {
    try change { engine throws(StorageFailure) in
      var started = campaign
      started.state = .running
      started.total = total
      started.lastNumber = try engine.lastNumber(of: campaign.audience, campaign: campaign.id)
      if groups != [.any] { try engine.snapshot(campaign.audience, of: campaign) }
      try engine.addGroups(groups, to: campaign.id)
      try engine.updateCampaign(started)
      return started
    }
  }

  /// Removes a finished campaign's list of recipients, in slices, so that other writes can run between the slices.
  public func removeRecipients(of campaign: String) throws(StorageFailure) {
    while try change({ engine throws(StorageFailure) in
      try engine.removeRecipients(of: campaign, limit: Limits.operationsPerCommitMax)
    }) {}
  }

  /// Changes the state of a campaign.
  public func update(_ campaign: CampaignRecord) throws(StorageFailure) {
    try change { engine throws(StorageFailure) in try engine.updateCampaign(campaign) }
  }

  /// Returns a campaign's groups in order.
  public func groups(of campaign: String) throws(StorageFailure) -> [ZoneGroup] {
    try read { engine throws(StorageFailure) in try engine.groups(of: campaign) }
  }

  /// Claims a group's next recipients, which are in flight after this call.
  ///
  /// Returns nil if no recipients remain.
  public func claim(
    of campaign: CampaignRecord, group: ZoneGroup, limit: Int, at milliseconds: Int64
  ) throws(StorageFailure) -> (batch: CampaignBatch, recipients: [CampaignRecipient])? {
    try change { engine throws(StorageFailure) in
      try engine.claim(of: campaign, group: group, limit: limit, at: milliseconds)
    }
  }

  /// Returns a campaign's batches that have not been completed.
  public func batches(of campaign: String) throws(StorageFailure) -> [CampaignBatch] {
    try read { engine throws(StorageFailure) in try engine.batches(of: campaign) }
  }

  /// Returns the recipients of a batch that are still registered.
  public func recipients(
    of batch: CampaignBatch, group: ZoneGroup, in campaign: CampaignRecord
  ) throws(StorageFailure) -> [CampaignRecipient] {
    precondition(group.number == batch.group, "the batch belongs to the group")
    return try read { engine throws(StorageFailure) in
      let all = try engine.recipients(
        of: campaign, zone: group.zone, after: batch.after, upTo: batch.last, limit: .max)
      guard let unsettled = batch.unsettled.map(Set.init) else { return all }
      return all.filter { unsettled.contains($0.number) }
    }
  }

  /// Reduces a batch to its unsettled recipients, and counts the outcomes of the other recipients.
  public func narrow(
    _ batch: CampaignBatch, of campaign: String, tallies: [CampaignTally], dead: [DeadToken]
  ) throws(StorageFailure) {
    try change { engine throws(StorageFailure) in
      try engine.narrow(batch, of: campaign, tallies: tallies, dead: dead)
    }
  }

  /// Removes a campaign that is not being sent, together with its outcomes.
  public func removeCampaign(_ id: String) throws(StorageFailure) {
    try change { engine throws(StorageFailure) in try engine.removeCampaign(id) }
  }

  /// Completes a batch: counts its outcomes, and removes its dead tokens from the registry.
  public func finish(
    _ batch: CampaignBatch, of campaign: String, tallies: [CampaignTally], dead: [DeadToken]
  ) throws(StorageFailure) {
    try change { engine throws(StorageFailure) in
      try engine.finish(batch, of: campaign, tallies: tallies, dead: dead)
    }
  }

  /// Returns the outcomes of a campaign's recipients so far.
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
