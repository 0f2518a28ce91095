/// The token registry and its campaigns.
///
/// Any thread can use the store; writes are serialized. Once a call returns, its changes survive a crash of the process
/// and of the machine.
public protocol RegistryStore: AnyObject, Sendable {
  /// The health of the store's disk.
  var health: StoreHealth { get }
  /// Performs a write to test whether the disk accepts writes.
  func probe() throws(StorageFailure)
  /// Warnings about the settings of the database server, one sentence each.
  var warnings: [String] { get }
  /// The rows that were set aside.
  var damage: StoreDamage { get }
  /// Returns the rows that were set aside, for inspection.
  func rowsSetAside() throws(StorageFailure) -> [SetAsideRow]
  /// Discards the rows that were set aside.
  ///
  /// Returns their number.
  func forgetSetAside() throws(StorageFailure) -> Int

  // MARK: Tokens

  /// Registers several tokens in one transaction.
  func register(
    _ tokens: [TokenRegistration], at milliseconds: Int64, limit: RegistrationLimit?
  ) throws(StorageFailure) -> [RegistrationChange]
  /// Removes a token from a topic, or from all topics if `topic` is nil.
  ///
  /// Returns true if the token was registered.
  func remove(_ sealed: [UInt8], topic: String?) throws(StorageFailure) -> Bool
  /// Removes dead tokens that have not been registered again since they became dead.
  ///
  /// Returns the number of removed tokens.
  func removeDead(_ tokens: [DeadToken]) throws(StorageFailure) -> Int
  /// Returns the tokens with numbers above `number`, in order.
  func tokens(
    after number: Int64, limit: Int
  ) throws(StorageFailure) -> [RegisteredToken]
  /// Returns a page of the tokens that match a filter, with numbers above `number`.
  ///
  /// A page can be empty even if the search has not reached its end, because each call reads a limited number of rows.
  func tokens(
    matching filter: TokenFilter, after number: Int64, limit: Int
  ) throws(StorageFailure) -> TokenPage
  /// Returns the number of tokens per app, kind, language, and environment.
  func shares() throws(StorageFailure) -> [RegistryShare]
  /// Returns, for each app, the number of dead tokens that were removed since the store was created.
  func departures() throws(StorageFailure) -> [String: Int64]
  /// Returns the number of registered tokens.
  func tokenCount() throws(StorageFailure) -> Int64

  // MARK: Campaigns

  /// Adds a campaign that has not started.
  func addCampaign(_ campaign: CampaignRecord) throws(StorageFailure)
  /// Adds a copy of a campaign as a campaign that has not started.
  ///
  /// If the original still has its own list of recipients, the list is copied too.
  func addCampaign(
    _ campaign: CampaignRecord, copying original: String
  ) throws(StorageFailure)
  /// Replaces the content and the state of a campaign that has not started.
  ///
  /// The campaign's own list of recipients is discarded unless the audience is still that list.
  func replace(_ campaign: CampaignRecord) throws(StorageFailure)
  /// Empties the list of recipients of a campaign that has not started.
  func clearRecipients(of campaign: String) throws(StorageFailure)
  /// Sets a running campaign back to `scheduled` if no pushes have been sent yet.
  ///
  /// Earlier versions started a campaign immediately, even if its start time was in the future. Returns nil if the
  /// campaign has already sent pushes.
  func reschedule(_ campaign: CampaignRecord) throws(StorageFailure) -> CampaignRecord?
  /// Returns the IDs of all campaigns, or of the campaigns in one state, sorted by creation time.
  ///
  /// The documents of all campaigns together might not fit into memory, so callers read one campaign at a time.
  func campaignIDs(
    in state: CampaignRecord.State?
  ) throws(StorageFailure) -> [String]
  /// Returns the newest campaigns of an app without their documents, newest first.
  func campaigns(
    ofTopic topic: String, limit: Int
  ) throws(StorageFailure) -> [CampaignRecord]
  /// Returns all campaigns, sorted by creation time.
  func campaigns() throws(StorageFailure) -> [CampaignRecord]
  /// Returns the campaign with this ID, or nil if it does not exist.
  ///
  /// A document of more than `documentBytesMax` is omitted.
  func campaign(
    _ id: String, documentBytesMax: Int
  ) throws(StorageFailure) -> CampaignRecord?
  /// Appends recipients to a campaign's own list, with each token only once.
  ///
  /// Returns the number of new recipients.
  func appendRecipients(
    _ tokens: [TokenRegistration], to campaign: String
  ) throws(StorageFailure) -> Int
  /// Returns the number of devices in an audience for each kind, language, time zone, and environment.
  ///
  /// If the audience is `.list`, the devices in the list of `campaign` are counted.
  func shares(
    of audience: CampaignAudience, campaign: String, topic: String, environment: String?
  ) throws(StorageFailure) -> [AudienceShare]
  /// Returns the number of tokens in a campaign's own list that are not registered for a topic.
  func unregisteredRecipients(
    of campaign: String, topic: String
  ) throws(StorageFailure) -> Int64
  /// Starts a campaign for the currently registered devices.
  ///
  /// Returns the campaign's new record.
  func start(
    _ campaign: CampaignRecord, groups: [ZoneGroup.Zone], total: Int64
  ) throws(StorageFailure) -> CampaignRecord
  /// Removes a finished campaign's list of recipients, in slices, so that other writes can run between the slices.
  func removeRecipients(of campaign: String) throws(StorageFailure)
  /// Changes the state of a campaign.
  func update(_ campaign: CampaignRecord) throws(StorageFailure)
  /// Returns a campaign's groups in order.
  func groups(of campaign: String) throws(StorageFailure) -> [ZoneGroup]
  /// Claims a group's next recipients, which are in flight after this call.
  ///
  /// Returns nil if no recipients remain.
  func claim(
    of campaign: CampaignRecord, group: ZoneGroup, limit: Int, at milliseconds: Int64
  ) throws(StorageFailure) -> (batch: CampaignBatch, recipients: [CampaignRecipient])?
  /// Returns a campaign's batches that have not been completed.
  func batches(of campaign: String) throws(StorageFailure) -> [CampaignBatch]
  /// Returns the recipients of a batch that are still registered.
  func recipients(
    of batch: CampaignBatch, group: ZoneGroup, in campaign: CampaignRecord
  ) throws(StorageFailure) -> [CampaignRecipient]
  /// Reduces a batch to its unsettled recipients, and counts the outcomes of the other recipients.
  func narrow(
    _ batch: CampaignBatch, of campaign: String, tallies: [CampaignTally], dead: [DeadToken]
  ) throws(StorageFailure)
  /// Removes a campaign that is not being sent, together with its outcomes.
  func removeCampaign(_ id: String) throws(StorageFailure)
  /// Completes a batch: counts its outcomes, and removes its dead tokens from the registry.
  func finish(
    _ batch: CampaignBatch, of campaign: String, tallies: [CampaignTally], dead: [DeadToken]
  ) throws(StorageFailure)
  /// Returns the outcomes of a campaign's recipients so far.
  func tallies(of campaign: String) throws(StorageFailure) -> [CampaignTally]
  /// Closes the file; later calls throw `.closed`.
  func close()
}

extension RegistryStore {
  /// No warnings, because a store in a file has no server.
  public var warnings: [String] { [] }

  /// Adds a token, or updates its data, and replaces the installation's previous token.
  ///
  /// A limit applies only to a new token that does not replace the installation's previous token.
  public func register(
    _ token: TokenRegistration, at milliseconds: Int64, limit: RegistrationLimit? = nil
  ) throws(StorageFailure) -> RegistrationChange {
    let changes = try register([token], at: milliseconds, limit: limit)
    assert(changes.count <= 1, "one registration makes at most one change")
    guard let change = changes.first else {
      preconditionFailure("registering a token returned no change")
    }
    return change
  }

  /// Registers several tokens in one transaction, without a limit.
  public func register(
    _ tokens: [TokenRegistration], at milliseconds: Int64
  ) throws(StorageFailure) -> [RegistrationChange] {
    try register(tokens, at: milliseconds, limit: nil)
  }

  /// Returns the IDs of all campaigns, sorted by creation time.
  public func campaignIDs() throws(StorageFailure) -> [String] { try campaignIDs(in: nil) }

  /// Returns the campaign with this ID, or nil if it does not exist.
  public func campaign(_ id: String) throws(StorageFailure) -> CampaignRecord? {
    try campaign(id, documentBytesMax: .max)
  }

  /// Returns the number of an app's devices for each kind, language, time zone, and environment.
  public func shares(
    of audience: CampaignAudience, topic: String, environment: String? = nil
  ) throws(StorageFailure) -> [AudienceShare] {
    try shares(of: audience, campaign: "", topic: topic, environment: environment)
  }

  /// Returns the number of devices in a campaign's audience for each kind, language, time zone, and environment.
  public func shares(
    of audience: CampaignAudience, campaign: String, topic: String
  ) throws(StorageFailure) -> [AudienceShare] {
    try shares(of: audience, campaign: campaign, topic: topic, environment: nil)
  }
}
