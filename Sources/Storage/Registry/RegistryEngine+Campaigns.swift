/// Campaigns, and their groups, batches, and tallies.
extension RegistryEngine {
  func addCampaign(_ campaign: CampaignRecord) throws(StorageFailure) {
    let insert = try statement(
      "INSERT INTO campaign VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)"
    )
    try insert.bind(1, campaign.id)
    try insert.bind(2, campaign.createdMilliseconds)
    try insert.bind(3, campaign.document)
    try insert.bind(4, campaign.topic)
    try insert.bind(5, campaign.audience.kind)
    try insert.bind(6, campaign.audience.subject ?? "")
    try insert.bind(7, campaign.rate)
    try insert.bind(8, campaign.state.rawValue)
    try insert.bind(9, campaign.problem)
    try insert.bind(10, campaign.total)
    try insert.bind(11, campaign.lastNumber)
    try insert.bind(12, campaign.finishedMilliseconds)
    try insert.bind(13, campaign.environment)
    try insert.bind(14, campaign.name)
    try insert.run()
  }

  /// Replaces the content of a campaign that has not started.
  func replaceCampaign(_ campaign: CampaignRecord) throws(StorageFailure) {
    let update = try statement(
      """
      UPDATE campaign SET document = ?2, topic = ?3, audience = ?4, subject = ?5, rate = ?6,
        environment = ?7, name = ?8
      WHERE id = ?1
      """)
    try update.bind(1, campaign.id)
    try update.bind(2, campaign.document)
    try update.bind(3, campaign.topic)
    try update.bind(4, campaign.audience.kind)
    try update.bind(5, campaign.audience.subject ?? "")
    try update.bind(6, campaign.rate)
    try update.bind(7, campaign.environment)
    try update.bind(8, campaign.name)
    try update.run()
  }

  func updateCampaign(_ campaign: CampaignRecord) throws(StorageFailure) {
    let update = try statement(
      """
      UPDATE campaign SET state = ?2, problem = ?3, total = ?4, last_number = ?5, finished = ?6
      WHERE id = ?1
      """)
    try update.bind(1, campaign.id)
    try update.bind(2, campaign.state.rawValue)
    try update.bind(3, campaign.problem)
    try update.bind(4, campaign.total)
    try update.bind(5, campaign.lastNumber)
    try update.bind(6, campaign.finishedMilliseconds)
    try update.run()
  }

  /// The beginning of a query for campaigns; a document is omitted if it has more bytes than parameter ?9.
  private static let campaignColumns = """
    SELECT id, created, CASE WHEN length(document) <= ?9 THEN document ELSE x'' END, topic, audience, subject, rate, state, problem, total,
      last_number, finished, environment, name, \(RegistryTable.campaign.isWhole)
    FROM campaign
    """

  /// Returns the campaigns, sorted by creation time, or only the campaign with `id` if an ID is given.
  ///
  /// A document of more than `documentBytesMax` is omitted.
  func campaigns(
    id: String?, documentBytesMax: Int = .max
  ) throws(StorageFailure) -> [CampaignRecord] {
    // Use two statements, because one condition for both cases would cause the whole table to be read.
    let select = try statement(
      Self.campaignColumns + (id == nil ? " ORDER BY created, id" : " WHERE id = ?1"))
    if let id { try select.bind(1, id) }
    try select.bind(9, Int64(documentBytesMax))
    return try campaigns(select)
  }

  /// Returns the IDs of all campaigns, or of the campaigns in one state, sorted by creation time.
  func campaignIDs(in state: CampaignRecord.State?) throws(StorageFailure) -> [String] {
    let select = try statement(
      "SELECT id FROM campaign WHERE ?1 IS NULL OR state = ?1 ORDER BY created, id")
    try select.bind(1, state?.rawValue)
    var ids: [String] = []
    while try select.step() { ids.append(select.text(0)) }
    return ids
  }

  /// Returns the newest campaigns of an app without their documents, newest first.
  func campaigns(ofTopic topic: String, limit: Int) throws(StorageFailure) -> [CampaignRecord] {
    let select = try statement(
      Self.campaignColumns + " WHERE topic = ?1 ORDER BY created DESC, id LIMIT ?2")
    try select.bind(1, topic)
    try select.bind(2, Int64(limit))
    try select.bind(9, -1 as Int64)
    return try campaigns(select)
  }

  private func campaigns(_ select: SQLiteStatement) throws(StorageFailure) -> [CampaignRecord] {
    var campaigns: [CampaignRecord] = []
    while try step(select) {
      guard let audience = CampaignAudience(kind: select.text(4), subject: select.text(5)),
        let state = CampaignRecord.State(rawValue: select.text(7))
      else {
        select.reset()
        throw .corrupt(path: database.path, detail: "a campaign has an unknown state")
      }
      campaigns.append(
        CampaignRecord(
          id: select.text(0), name: select.optionalText(13),
          createdMilliseconds: select.integer(1), document: select.bytes(2),
          topic: select.text(3), audience: audience, rate: select.optionalInteger(6),
          environment: select.optionalText(12), state: state, problem: select.optionalText(8),
          total: select.integer(9),
          lastNumber: select.integer(10), finishedMilliseconds: select.optionalInteger(11)))
    }
    return campaigns
  }

  func addGroups(_ zones: [ZoneGroup.Zone], to campaign: String) throws(StorageFailure) {
    let insert = try statement("INSERT INTO leg VALUES (?1, ?2, ?3, ?4, 0, 0)")
    for (number, zone) in zones.enumerated() {
      try insert.bind(1, campaign)
      try insert.bind(2, Int64(number))
      switch zone {
      case .any:
        try insert.bind(3, Int64(1))
        try insert.bind(4, nil as String?)
      case .named(let name):
        try insert.bind(3, Int64(0))
        try insert.bind(4, name)
      }
      try insert.run()
    }
  }

  func groups(of campaign: String) throws(StorageFailure) -> [ZoneGroup] {
    let select = try statement(
      """
      SELECT number, any_zone, time_zone, claimed, \(RegistryTable.leg.isWhole) FROM leg
      WHERE campaign = ?1 ORDER BY number
      """)
    try select.bind(1, campaign)
    var groups: [ZoneGroup] = []
    while try step(select) {
      groups.append(
        ZoneGroup(
          number: Int(select.integer(0)),
          zone: select.integer(1) != 0 ? .any : .named(select.optionalText(2)),
          isClaimed: select.integer(3) != 0))
    }
    return groups
  }

  /// Advances a group's cursor past its next recipients and records them in a batch.
  ///
  /// If no recipients remain, marks the group as completely claimed and returns nil.
  func claim(
    of campaign: CampaignRecord, group: ZoneGroup, limit: Int, at milliseconds: Int64
  ) throws(StorageFailure) -> (batch: CampaignBatch, recipients: [CampaignRecipient])? {
    precondition(limit > 0, "the limit is positive")
    let cursor = try cursor(of: group, in: campaign.id)
    assert(cursor >= 0, "a cursor is a recipient's number, or 0")
    let recipients = try recipients(
      of: campaign, zone: group.zone, after: cursor, upTo: campaign.lastNumber, limit: limit)
    guard let last = recipients.last?.number else {
      try setCursor(cursor, isClaimed: true, group: group, campaign: campaign.id)
      return nil
    }
    assert(
      last > cursor && last <= campaign.lastNumber,
      "the cursor moves forward, at most to the campaign's last number")
    let batch = CampaignBatch(
      number: try nextBatchNumber(of: campaign.id), group: group.number, after: cursor, last: last,
      claimedMilliseconds: milliseconds)
    try setCursor(last, isClaimed: false, group: group, campaign: campaign.id)
    let insert = try statement("INSERT INTO batch VALUES (?1, ?2, ?3, ?4, ?5, ?6, NULL, 1)")
    try insert.bind(1, campaign.id)
    try insert.bind(2, batch.number)
    try insert.bind(3, Int64(batch.group))
    try insert.bind(4, batch.after)
    try insert.bind(5, batch.last)
    try insert.bind(6, batch.claimedMilliseconds)
    try insert.run()
    return (batch, recipients)
  }

  private func cursor(of group: ZoneGroup, in campaign: String) throws(StorageFailure) -> Int64 {
    let select = try statement(
      "SELECT cursor, \(RegistryTable.leg.isWhole) FROM leg WHERE campaign = ?1 AND number = ?2")
    try select.bind(1, campaign)
    try select.bind(2, Int64(group.number))
    guard try step(select) else { throw .missing(what: "the campaign's group \(group.number)") }
    let cursor = select.integer(0)
    select.reset()
    return cursor
  }

  private func setCursor(
    _ cursor: Int64, isClaimed: Bool, group: ZoneGroup, campaign: String
  ) throws(StorageFailure) {
    let update = try statement(
      "UPDATE leg SET cursor = ?3, claimed = ?4 WHERE campaign = ?1 AND number = ?2")
    try update.bind(1, campaign)
    try update.bind(2, Int64(group.number))
    try update.bind(3, cursor)
    try update.bind(4, Int64(isClaimed ? 1 : 0))
    try update.run()
  }

  private func nextBatchNumber(of campaign: String) throws(StorageFailure) -> Int64 {
    let select = try statement(
      "SELECT coalesce(max(number), 0) + 1 FROM batch WHERE campaign = ?1")
    try select.bind(1, campaign)
    let number = try select.step() ? select.integer(0) : 1
    select.reset()
    return number
  }

  func batches(of campaign: String) throws(StorageFailure) -> [CampaignBatch] {
    let select = try statement(
      """
      SELECT number, leg, after, last, claimed, numbers, sent, \(RegistryTable.batch.isWhole)
      FROM batch WHERE campaign = ?1 ORDER BY number
      """)
    try select.bind(1, campaign)
    var batches: [CampaignBatch] = []
    while try step(select) {
      batches.append(
        CampaignBatch(
          number: select.integer(0), group: Int(select.integer(1)), after: select.integer(2),
          last: select.integer(3), claimedMilliseconds: select.integer(4),
          unsettled: select.isNull(5) ? nil : Self.numbers(select.bytes(5)),
          isSent: select.integer(6) != 0))
    }
    return batches
  }

  /// Reduces a batch to its unsettled recipients, and counts the outcomes of the other recipients.
  func narrow(
    _ batch: CampaignBatch, of campaign: String, tallies: [CampaignTally], dead: [DeadToken]
  ) throws(StorageFailure) {
    let update = try statement(
      """
      UPDATE batch SET numbers = ?3, sent = ?4, claimed = ?5 WHERE campaign = ?1 AND number = ?2
      RETURNING number
      """)
    try update.bind(1, campaign)
    try update.bind(2, batch.number)
    try update.bind(3, batch.unsettled.map(Self.bytes))
    try update.bind(4, Int64(batch.isSent ? 1 : 0))
    try update.bind(5, batch.claimedMilliseconds)
    guard try update.step() else { throw .missing(what: "the campaign's batch \(batch.number)") }
    update.reset()
    try add(tallies, to: campaign)
    try removeDead(dead, of: campaign)
  }

  /// Completes a batch: counts its outcomes, and removes its dead tokens from the registry.
  func finish(
    _ batch: CampaignBatch, of campaign: String, tallies: [CampaignTally], dead: [DeadToken]
  ) throws(StorageFailure) {
    let remove = try statement(
      "DELETE FROM batch WHERE campaign = ?1 AND number = ?2 RETURNING number")
    try remove.bind(1, campaign)
    try remove.bind(2, batch.number)
    guard try remove.step() else { throw .missing(what: "the campaign's batch \(batch.number)") }
    remove.reset()
    try add(tallies, to: campaign)
    try removeDead(dead, of: campaign)
  }

  /// Removes dead tokens, and counts the dead tokens that remain registered.
  private func removeDead(_ dead: [DeadToken], of campaign: String) throws(StorageFailure) {
    var kept: Int64 = 0
    for token in dead where try removeDead(token) == 0 {
      // A token that was reported as dead in only one environment might be valid in another environment. It has a
      // separate outcome and is not counted as kept.
      guard token.environment == nil else { continue }
      if try isRegistered(token) { kept += 1 }
    }
    assert(kept <= dead.count, "no more tokens are kept than were reported dead")
    try add([CampaignTally(outcome: .kept, reason: "", count: kept)], to: campaign)
  }

  private func isRegistered(_ token: DeadToken) throws(StorageFailure) -> Bool {
    let select = try statement(
      "SELECT 1 FROM token WHERE sealed = ?1 AND (?2 IS NULL OR topic = ?2) LIMIT 1")
    try select.bind(1, token.sealed)
    try select.bind(2, token.topic)
    defer { select.reset() }
    return try select.step()
  }

  private func add(_ tallies: [CampaignTally], to campaign: String) throws(StorageFailure) {
    let add = try statement(
      """
      INSERT INTO tally VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (campaign, outcome, reason, language) DO UPDATE SET count = count + ?5
      """)
    for tally in tallies where tally.count > 0 {
      try add.bind(1, campaign)
      try add.bind(2, tally.storedOutcome)
      try add.bind(3, tally.reason)
      try add.bind(4, tally.language)
      try add.bind(5, tally.count)
      try add.run()
    }
  }

  /// Encodes each number in eight bytes, big-endian.
  private static func bytes(_ numbers: [Int64]) -> [UInt8] {
    numbers.flatMap { number in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> Int64($0)) }
    }
  }

  private static func numbers(_ bytes: [UInt8]) -> [Int64] {
    stride(from: 0, to: bytes.count - 7, by: 8).map { start in
      bytes[start..<start + 8].reduce(0) { $0 << 8 | Int64($1) }
    }
  }

  /// Removes a campaign and all rows that belong to it.
  func removeCampaign(_ id: String) throws(StorageFailure) {
    for sql in [
      "DELETE FROM batch WHERE campaign = ?1", "DELETE FROM leg WHERE campaign = ?1",
      "DELETE FROM tally WHERE campaign = ?1", "DELETE FROM recipient WHERE campaign = ?1",
      "DELETE FROM campaign WHERE id = ?1",
    ] {
      let remove = try statement(sql)
      try remove.bind(1, id)
      try remove.run()
    }
  }

  /// Restores a started campaign to its state before the start; the campaign must not have claimed any recipients.
  func unstart(_ campaign: CampaignRecord) throws(StorageFailure) {
    let remove = try statement("DELETE FROM leg WHERE campaign = ?1")
    try remove.bind(1, campaign.id)
    try remove.run()
    // A list that was supplied with the campaign is retained. A snapshot of the registry is taken again at the next
    // start.
    if campaign.audience != .list { try clearRecipients(of: campaign.id) }
    try updateCampaign(campaign)
  }

  func clearRecipients(of campaign: String) throws(StorageFailure) {
    let remove = try statement("DELETE FROM recipient WHERE campaign = ?1")
    try remove.bind(1, campaign)
    try remove.run()
  }

  /// Copies a campaign's own list of recipients to another campaign.
  func copyRecipients(of campaign: String, to other: String) throws(StorageFailure) {
    let copy = try statement(
      """
      INSERT INTO recipient SELECT ?2, number, sealed, language, time_zone, environment
      FROM recipient WHERE campaign = ?1 AND \(RegistryTable.recipient.isWhole)
      """)
    try copy.bind(1, campaign)
    try copy.bind(2, other)
    try copy.run()
  }

  /// Returns true if a started campaign has claimed recipients.
  func hasClaimed(_ campaign: String) throws(StorageFailure) -> Bool {
    let select = try statement(
      "SELECT 1 FROM leg WHERE campaign = ?1 AND (cursor > 0 OR claimed > 0) LIMIT 1")
    try select.bind(1, campaign)
    defer { select.reset() }
    return try select.step()
  }

  func tallies(of campaign: String) throws(StorageFailure) -> [CampaignTally] {
    let select = try statement(
      """
      SELECT outcome, reason, language, count, \(RegistryTable.tally.isWhole) FROM tally
      WHERE campaign = ?1 ORDER BY outcome, reason, language
      """)
    try select.bind(1, campaign)
    var tallies: [CampaignTally] = []
    while try step(select) {
      let stored = CampaignTally(
        storedOutcome: select.text(0), reason: select.text(1), language: select.text(2),
        count: select.integer(3))
      guard let tally = stored else {
        select.reset()
        throw .corrupt(path: database.path, detail: "a campaign has an unknown outcome")
      }
      tallies.append(tally)
    }
    return tallies
  }
}
