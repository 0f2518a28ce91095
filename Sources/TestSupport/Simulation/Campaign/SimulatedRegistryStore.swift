import Storage

/// The real registry store in memory, with a simulated disk that can fail before or after a write.
final class SimulatedRegistryStore: RegistryStore, @unchecked Sendable {
  // The class is used only on the simulation's own thread, which makes the unchecked conformance safe.
  private unowned let world: CampaignSimulation
  let contents: SQLiteRegistryStore

  init(in world: CampaignSimulation) throws(StorageFailure) {
    self.world = world
    contents = try SQLiteRegistryStore(path: "")
  }

  /// Performs a write of the campaign, unless the disk fails.
  ///
  /// The method sometimes throws after the write took effect, because a failed sync can look like this.
  private func write<Result>(
    _ what: String, _ body: () throws(StorageFailure) -> Result
  ) throws(StorageFailure) -> Result {
    if world.failsNow(.writes) {
      world.note("the store refuses to \(what)")
      throw .diskFull(path: "registry")
    }
    let result = try body()
    world.note("the store has to \(what)")
    if world.failsNow(.lateErrors) {
      world.note("the store reports an error, although it has to \(what)")
      throw .diskFull(path: "registry")
    }
    return result
  }

  private func read<Result>(
    _ body: () throws(StorageFailure) -> Result
  ) throws(StorageFailure) -> Result {
    if world.failsNow(.reads) { throw .diskFull(path: "registry") }
    return try body()
  }

  // MARK: Calls of a campaign's run

  func update(_ campaign: CampaignRecord) throws(StorageFailure) {
    try write("set the state \(campaign.state)") { () throws(StorageFailure) in
      try contents.update(campaign)
    }
  }

  func claim(
    of campaign: CampaignRecord, group: ZoneGroup, limit: Int, at milliseconds: Int64
  ) throws(StorageFailure) -> (batch: CampaignBatch, recipients: [CampaignRecipient])? {
    try write("claim up to \(limit) of group \(group.number)") { () throws(StorageFailure) in
      try contents.claim(of: campaign, group: group, limit: limit, at: milliseconds)
    }
  }

  func narrow(
    _ batch: CampaignBatch, of campaign: String, tallies: [CampaignTally], dead: [DeadToken]
  ) throws(StorageFailure) {
    try write("narrow batch \(batch.number)") { () throws(StorageFailure) in
      try contents.narrow(batch, of: campaign, tallies: tallies, dead: dead)
    }
  }

  func finish(
    _ batch: CampaignBatch, of campaign: String, tallies: [CampaignTally], dead: [DeadToken]
  ) throws(StorageFailure) {
    try write("finish batch \(batch.number)") { () throws(StorageFailure) in
      try contents.finish(batch, of: campaign, tallies: tallies, dead: dead)
    }
  }

  func removeRecipients(of campaign: String) throws(StorageFailure) {
    try write("remove the recipients") { () throws(StorageFailure) in
      try contents.removeRecipients(of: campaign)
    }
  }

  func groups(of campaign: String) throws(StorageFailure) -> [ZoneGroup] {
    try read { () throws(StorageFailure) in try contents.groups(of: campaign) }
  }

  func batches(of campaign: String) throws(StorageFailure) -> [CampaignBatch] {
    try read { () throws(StorageFailure) in try contents.batches(of: campaign) }
  }

  func recipients(
    of batch: CampaignBatch, group: ZoneGroup, in campaign: CampaignRecord
  ) throws(StorageFailure) -> [CampaignRecipient] {
    try read { () throws(StorageFailure) in
      try contents.recipients(of: batch, group: group, in: campaign)
    }
  }

  func campaign(
    _ id: String, documentBytesMax: Int
  ) throws(StorageFailure) -> CampaignRecord? {
    try read { () throws(StorageFailure) in
      try contents.campaign(id, documentBytesMax: documentBytesMax)
    }
  }

  // MARK: Calls of the service, which do not fail

  var health: StoreHealth { contents.health }
  var damage: StoreDamage { contents.damage }
  func probe() throws(StorageFailure) { try contents.probe() }
  func rowsSetAside() throws(StorageFailure) -> [SetAsideRow] { try contents.rowsSetAside() }
  func forgetSetAside() throws(StorageFailure) -> Int { try contents.forgetSetAside() }
  func close() { contents.close() }

  func register(
    _ tokens: [TokenRegistration], at milliseconds: Int64, limit: RegistrationLimit?
  ) throws(StorageFailure) -> [RegistrationChange] {
    try contents.register(tokens, at: milliseconds, limit: limit)
  }

  func remove(_ sealed: [UInt8], topic: String?) throws(StorageFailure) -> Bool {
    try contents.remove(sealed, topic: topic)
  }

  func removeDead(_ tokens: [DeadToken]) throws(StorageFailure) -> Int {
    try contents.removeDead(tokens)
  }

  func tokens(after number: Int64, limit: Int) throws(StorageFailure) -> [RegisteredToken] {
    try contents.tokens(after: number, limit: limit)
  }

  func tokens(
    matching filter: TokenFilter, after number: Int64, limit: Int
  ) throws(StorageFailure) -> TokenPage {
    try contents.tokens(matching: filter, after: number, limit: limit)
  }

  func shares() throws(StorageFailure) -> [RegistryShare] { try contents.shares() }
  func departures() throws(StorageFailure) -> [String: Int64] { try contents.departures() }
  func tokenCount() throws(StorageFailure) -> Int64 { try contents.tokenCount() }

  func addCampaign(_ campaign: CampaignRecord) throws(StorageFailure) {
    try contents.addCampaign(campaign)
  }

  func addCampaign(
    _ campaign: CampaignRecord, copying original: String
  ) throws(StorageFailure) {
    try contents.addCampaign(campaign, copying: original)
  }

  func replace(_ campaign: CampaignRecord) throws(StorageFailure) {
    try contents.replace(campaign)
  }

  func clearRecipients(of campaign: String) throws(StorageFailure) {
    try contents.clearRecipients(of: campaign)
  }

  func reschedule(_ campaign: CampaignRecord) throws(StorageFailure) -> CampaignRecord? {
    try contents.reschedule(campaign)
  }

  func campaignIDs(in state: CampaignRecord.State?) throws(StorageFailure) -> [String] {
    try contents.campaignIDs(in: state)
  }

  func campaigns(
    ofTopic topic: String, limit: Int
  ) throws(StorageFailure) -> [CampaignRecord] {
    try contents.campaigns(ofTopic: topic, limit: limit)
  }

  func campaigns() throws(StorageFailure) -> [CampaignRecord] { try contents.campaigns() }

  func appendRecipients(
    _ tokens: [TokenRegistration], to campaign: String
  ) throws(StorageFailure) -> Int {
    try contents.appendRecipients(tokens, to: campaign)
  }

  func shares(
    of audience: CampaignAudience, campaign: String, topic: String, environment: String?
  ) throws(StorageFailure) -> [AudienceShare] {
    try contents.shares(of: audience, campaign: campaign, topic: topic, environment: environment)
  }

  func unregisteredRecipients(
    of campaign: String, topic: String
  ) throws(StorageFailure) -> Int64 {
    try contents.unregisteredRecipients(of: campaign, topic: topic)
  }

  func start(
    _ campaign: CampaignRecord, groups: [ZoneGroup.Zone], total: Int64
  ) throws(StorageFailure) -> CampaignRecord {
    try contents.start(campaign, groups: groups, total: total)
  }

  func removeCampaign(_ id: String) throws(StorageFailure) { try contents.removeCampaign(id) }

  func tallies(of campaign: String) throws(StorageFailure) -> [CampaignTally] {
    try contents.tallies(of: campaign)
  }
}
