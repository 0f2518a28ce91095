public import Storage

extension PostgresRegistryStore {
  /// Adds a campaign that has not started.
  public func addCampaign(_ campaign: CampaignRecord) throws(StorageFailure) {
    try change(Self.addCampaign, Self.parameters(campaign) + [.text(nil)])
  }

  /// Adds a copy of a campaign as a campaign that has not started.
  ///
  /// If the original still has its own list of recipients, the list is copied too.
  public func addCampaign(
    _ campaign: CampaignRecord, copying original: String
  ) throws(StorageFailure) {
    try change(
      Self.addCampaign, Self.parameters(campaign) + [.text(original)], isBulk: true)
  }

  /// Replaces the content and the state of a campaign that has not started.
  ///
  /// The campaign's own list of recipients is discarded unless the audience is still that list.
  public func replace(_ campaign: CampaignRecord) throws(StorageFailure) {
    try change(Self.replaceCampaign, Self.parameters(campaign), isBulk: true)
  }

  /// Empties the list of recipients of a campaign that has not started.
  public func clearRecipients(of campaign: String) throws(StorageFailure) {
    try change(Self.clearRecipients, [.text(campaign)], isBulk: true)
  }

  /// Sets a running campaign back to `scheduled` if no pushes have been sent yet.
  ///
  /// Returns nil if the campaign has already sent pushes.
  public func reschedule(_ campaign: CampaignRecord) throws(StorageFailure) -> CampaignRecord? {
    let results = try change(
      Self.unstart,
      [
        .text(campaign.id), .text(campaign.audience.kind), .integer(campaign.total),
        .integer(campaign.finishedMilliseconds),
      ], isBulk: true)
    guard results.first == 1 else { return nil }
    var scheduled = campaign
    scheduled.state = .scheduled
    scheduled.problem = nil
    scheduled.lastNumber = 0
    return scheduled
  }

  /// Returns the IDs of all campaigns, or of the campaigns in one state, sorted by creation time.
  ///
  /// The documents of all campaigns together might not fit into memory, so callers read one campaign at a time.
  public func campaignIDs(in state: CampaignRecord.State?) throws(StorageFailure) -> [String] {
    let rows = try read(Self.campaignIDs, [.text(state?.rawValue)])
    return (0..<rows.count).map { rows.text($0, 0) }
  }

  /// Returns the newest campaigns of an app without their documents, newest first.
  public func campaigns(
    ofTopic topic: String, limit: Int
  ) throws(StorageFailure) -> [CampaignRecord] {
    let campaigns = try campaigns(
      try read(
        Self.campaignsOfTopic, [.integer(-1), .text(topic), .integer(Int64(limit))]))
    assert(campaigns.count <= limit, "the database returns at most this many campaigns")
    return campaigns
  }

  /// Returns all campaigns, sorted by creation time.
  public func campaigns() throws(StorageFailure) -> [CampaignRecord] {
    try campaigns(try read(Self.allCampaigns, [.integer(Int64.max)]))
  }

  /// Returns the campaign with this ID, or nil if it does not exist.
  ///
  /// A document of more than `documentBytesMax` is omitted.
  public func campaign(
    _ id: String, documentBytesMax: Int
  ) throws(StorageFailure) -> CampaignRecord? {
    try campaigns(
      try read(Self.campaignOfID, [.integer(Int64(documentBytesMax)), .text(id)])
    ).first
  }

  /// Appends recipients to a campaign's own list, with each token only once.
  ///
  /// Returns the number of new recipients.
  public func appendRecipients(
    _ tokens: [TokenRegistration], to campaign: String
  ) throws(StorageFailure) -> Int {
    guard !tokens.isEmpty else { return 0 }
    let added = try change(
      Self.appendRecipients,
      [
        .text(campaign), .texts(tokens.map(\.topic)), .datas(tokens.map(\.sealed)),
        .texts(tokens.map(\.language)), .texts(tokens.map(\.timeZone)),
        .texts(tokens.map(\.environment)),
      ], isBulk: tokens.count > Limits.registryBulkTokens
    ).first
    guard let added else { throw .missing(what: "the campaign \(campaign)") }
    assert(added <= tokens.count, "each token is appended at most once")
    return Int(added)
  }

  /// Returns the number of devices in an audience for each kind, language, time zone, and environment.
  ///
  /// If the audience is `.list`, the devices in the list of `campaign` are counted.
  public func shares(
    of audience: CampaignAudience, campaign: String, topic: String, environment: String?
  ) throws(StorageFailure) -> [AudienceShare] {
    let rows = try read(
      Self.shares(of: audience),
      [.text(topic), .text(audience.subject ?? campaign), .text(environment)], isLong: true)
    return (0..<rows.count).map { row in
      AudienceShare(
        language: rows.optionalText(row, 0), timeZone: rows.optionalText(row, 1),
        environment: rows.optionalText(row, 2), isWebPush: rows.integer(row, 3) != 0,
        count: rows.integer(row, 4))
    }
  }

  /// Returns the number of tokens in a campaign's own list that are not registered for a topic.
  public func unregisteredRecipients(
    of campaign: String, topic: String
  ) throws(StorageFailure) -> Int64 {
    let count = try read(
      Self.unregisteredRecipients, [.text(campaign), .text(topic)], isLong: true
    ).integer(0, 0)
    assert(count >= 0, "a number of tokens is never negative")
    return count
  }

  /// Starts a campaign for the currently registered devices.
  ///
  /// Returns the campaign's new record.
  public func start(
    _ campaign: CampaignRecord, groups: [ZoneGroup.Zone], total: Int64
  ) throws(StorageFailure) -> CampaignRecord {
    assert(total >= 0, "a number of devices is never negative")
    let highest = try change(
      Self.start,
      [
        .text(campaign.id), .text(campaign.topic), .text(campaign.audience.kind),
        .text(campaign.audience.subject ?? ""), .text(campaign.problem), .integer(total),
        .integer(campaign.finishedMilliseconds), .flag(groups != [.any]),
        .integers(groups.map { $0 == .any ? 1 : 0 }), .texts(groups.map(Self.name(of:))),
      ], isBulk: true
    ).first
    guard let highest else { throw server.invalidRow("campaign") }
    var started = campaign
    started.state = .running
    started.total = total
    started.lastNumber = highest
    return started
  }

  /// Removes a finished campaign's list of recipients, in slices, so that other writes can run between the slices.
  public func removeRecipients(of campaign: String) throws(StorageFailure) {
    let limit = Int64(Limits.recipientsRemoved)
    while let removed = try change(
      Self.trimRecipients, [.text(campaign), .integer(limit)]
    ).first, removed > 0 {
      assert(removed <= limit, "a slice has at most this many rows")
    }
  }

  /// Changes the state of a campaign.
  public func update(_ campaign: CampaignRecord) throws(StorageFailure) {
    try change(
      Self.updateCampaign,
      [
        .text(campaign.id), .text(campaign.state.rawValue), .text(campaign.problem),
        .integer(campaign.total), .integer(campaign.lastNumber),
        .integer(campaign.finishedMilliseconds),
      ])
  }

  /// Returns a campaign's groups in order.
  public func groups(of campaign: String) throws(StorageFailure) -> [ZoneGroup] {
    let rows = try read(Self.groups, [.text(campaign)])
    return (0..<rows.count).map { row in
      ZoneGroup(
        number: Int(rows.integer(row, 0)),
        zone: rows.integer(row, 1) != 0 ? .any : .named(rows.optionalText(row, 2)),
        isClaimed: rows.integer(row, 3) != 0)
    }
  }

  /// Claims a group's next recipients, which are in flight after this call.
  ///
  /// Returns nil if no recipients remain. The recipients are read from the range that the claim stored, so that a
  /// repeated claim returns the recipients of its first attempt.
  public func claim(
    of campaign: CampaignRecord, group: ZoneGroup, limit: Int, at milliseconds: Int64
  ) throws(StorageFailure) -> (batch: CampaignBatch, recipients: [CampaignRecipient])? {
    precondition(limit > 0, "the limit is positive")
    let selection = Self.parameters(campaign, group.zone)
    let (results, rows) = try change(
      Self.claim,
      selection + [
        .integer(campaign.lastNumber), .integer(Int64(limit)), .integer(Int64(group.number)),
        .integer(milliseconds),
      ], then: .init(Self.claimedRecipients, selection))
    assert([0, 1, 3].contains(results.count), "a claim has a range, or there is nothing to claim")
    if results.isEmpty { throw .missing(what: "the campaign's group \(group.number)") }
    guard results.count == 3, let rows else { return nil }
    let batch = CampaignBatch(
      number: results[0], group: group.number, after: results[1], last: results[2],
      claimedMilliseconds: milliseconds)
    assert(
      batch.last > batch.after && batch.last <= campaign.lastNumber,
      "the cursor moves forward, at most to the campaign's last number")
    return (batch, Self.recipients(rows))
  }

  /// Returns a campaign's batches that have not been completed.
  public func batches(of campaign: String) throws(StorageFailure) -> [CampaignBatch] {
    let rows = try read(Self.batches, [.text(campaign)])
    return (0..<rows.count).map { Self.batch(rows, $0) }
  }

  /// Returns the recipients of a batch that are still registered.
  public func recipients(
    of batch: CampaignBatch, group: ZoneGroup, in campaign: CampaignRecord
  ) throws(StorageFailure) -> [CampaignRecipient] {
    precondition(group.number == batch.group, "the batch belongs to the group")
    assert(batch.after < batch.last, "a batch has recipients")
    let all = Self.recipients(
      try read(
        Self.recipients,
        Self.parameters(campaign, group.zone) + [.integer(batch.after), .integer(batch.last)]))
    guard let unsettled = batch.unsettled.map(Set.init) else { return all }
    return all.filter { unsettled.contains($0.number) }
  }

  /// Reduces a batch to its unsettled recipients, and counts the outcomes of the other recipients.
  public func narrow(
    _ batch: CampaignBatch, of campaign: String, tallies: [CampaignTally], dead: [DeadToken]
  ) throws(StorageFailure) {
    try settle(batch, of: campaign, finishes: false, tallies, dead)
  }

  /// Removes a campaign that is not being sent, together with its outcomes.
  public func removeCampaign(_ id: String) throws(StorageFailure) {
    try change(Self.removeCampaign, [.text(id)], isBulk: true)
  }

  /// Completes a batch: counts its outcomes, and removes its dead tokens from the registry.
  public func finish(
    _ batch: CampaignBatch, of campaign: String, tallies: [CampaignTally], dead: [DeadToken]
  ) throws(StorageFailure) {
    try settle(batch, of: campaign, finishes: true, tallies, dead)
  }

  /// Returns the outcomes of a campaign's recipients so far.
  public func tallies(of campaign: String) throws(StorageFailure) -> [CampaignTally] {
    let rows = try read(Self.tallies, [.text(campaign)])
    var tallies: [CampaignTally] = []
    for row in 0..<rows.count {
      guard let tally = Self.tally(rows, row) else { throw server.invalidRow("tally") }
      assert(tally.count > 0, "only outcomes of recipients are stored")
      tallies.append(tally)
    }
    return tallies
  }

  private func settle(
    _ batch: CampaignBatch, of campaign: String, finishes: Bool, _ tallies: [CampaignTally],
    _ dead: [DeadToken]
  ) throws(StorageFailure) {
    let settled = try change(
      Self.settle,
      [
        .text(campaign), .integer(batch.number), .flag(finishes),
        .data(batch.unsettled.map(Self.bytes)), .flag(batch.isSent),
        .integer(batch.claimedMilliseconds), .texts(tallies.map(\.storedOutcome)),
        .texts(tallies.map(\.reason)), .texts(tallies.map(\.language)),
        .integers(tallies.map(\.count)),
      ] + Self.parameters(dead)
    ).first
    guard settled == 1 else { throw .missing(what: "the campaign's batch \(batch.number)") }
  }

  private func campaigns(_ rows: PostgresRows) throws(StorageFailure) -> [CampaignRecord] {
    var campaigns: [CampaignRecord] = []
    for row in 0..<rows.count {
      guard let campaign = Self.campaign(rows, row) else { throw server.invalidRow("campaign") }
      campaigns.append(campaign)
    }
    return campaigns
  }
}
