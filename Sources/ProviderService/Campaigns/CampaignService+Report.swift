public import BelfryWire
internal import Storage
internal import System

/// Queries for the state and the results of campaigns.
extension CampaignService {
  /// Returns the status of every campaign, in order of creation.
  func list() throws(Failure) -> [JSONObject] {
    var lines: [JSONObject] = []
    try forEachCampaign(documentBytesMax: Limits.listedDocumentBytesMax) {
      campaign throws(Failure) in lines.append(try status(of: campaign))
    }
    return lines
  }

  /// Calls `body` with each campaign, in order of creation; only one document at a time is in memory.
  func forEachCampaign(
    documentBytesMax: Int, _ body: (CampaignRecord) throws(Failure) -> Void
  ) throws(Failure) {
    let ids = try stored { () throws(StorageFailure) in try registry.store.campaignIDs() }
    for id in ids {
      let campaign = try stored { () throws(StorageFailure) in
        try registry.store.campaign(id, documentBytesMax: documentBytesMax)
      }
      // The campaign might have been deleted in the meantime.
      if let campaign { try body(campaign) }
    }
  }

  /// Returns the status of a campaign.
  func status(_ id: String) throws(Failure) -> JSONObject { try status(of: try campaign(id)) }

  func status(of campaign: CampaignRecord) throws(Failure) -> JSONObject {
    status(of: campaign, try tallies(of: campaign.id))
  }

  private func status(of campaign: CampaignRecord, _ tallies: [CampaignTally]) -> JSONObject {
    let counts = CampaignCounts(tallies)
    func time(_ milliseconds: Int64?) -> JSONValue {
      milliseconds.map { .string(Timestamp.rfc3339(unixMilliseconds: $0)) } ?? .null
    }
    // In a list, a document that exceeds the size limit is treated as empty.
    let document = (try? JSONValue(parsing: campaign.document))?.objectValue ?? [:]
    let wait = timeWait(of: campaign)
    return [
      "id": .string(campaign.id), "name": .string(campaign.name ?? CampaignName.of(document)),
      "state": .string(campaign.state.rawValue), "revision": revision(of: campaign, document),
      "topic": .string(campaign.topic), "to": .string(campaign.audience.text),
      "at": document["at"] ?? .null, "quietHours": document["quietHours"] ?? .null,
      // The recipients of a draft are counted when it starts; the number of an earlier schedule is outdated.
      "devices": campaign.state == .draft ? .null : .integer(campaign.total),
      "accepted": .integer(counts[.accepted]), "dead": .integer(counts[.dead]),
      "kept": .integer(counts[.kept]),
      "failed": .integer(counts[.failed]), "unknown": .integer(counts[.unknown]),
      "sent": .integer(counts.sent), "rate": campaign.rate.map { .integer($0) } ?? .null,
      "problem": problem(of: campaign).map { .string($0) } ?? .null,
      "waitsFor": wait.map { .string($0.reason.rawValue) } ?? .null,
      "waitsUntil": time(wait.map { Int64($0.untilUnixSeconds) * 1_000 }),
      "created": time(campaign.createdMilliseconds),
      "finished": time(campaign.finishedMilliseconds),
    ]
  }

  /// Returns the revision of a campaign whose content can change; null for any other campaign, and for a campaign whose
  /// document was omitted because of its size.
  private func revision(of campaign: CampaignRecord, _ document: JSONObject) -> JSONValue {
    switch campaign.state {
    case .draft, .scheduled:
      document.isEmpty ? .null : .string(CampaignRevision(campaign, document).text)
    case .running, .paused, .completed, .cancelled: .null
    }
  }

  /// Returns the results of a campaign: its status, the outcomes by reason and language, and the delivery states from
  /// the gateway's log.
  func report(_ id: String) throws(Failure) -> JSONObject {
    _ = try self.campaign(id)
    // Read the log first: otherwise, it could contain deliveries of pushes that the other numbers do not include yet.
    let states = (try? service())?.log?.states(of: CampaignIdentity(campaign: id))
    let campaign = try campaign(id)
    let tallies = try tallies(of: id)
    var report = status(of: campaign, tallies)
    var reasons = JSONObject()
    for tally in tallies where !tally.reason.isEmpty {
      let count = reasons[tally.reason]?.integerValue ?? 0
      reasons[tally.reason] = .integer(count + tally.count)
    }
    report["reasons"] = .object(reasons)
    report["kinds"] = .array(CampaignCounts.byKind(tallies).map { .object($0) })
    report["languages"] = .array(CampaignCounts.byLanguage(tallies).map { .object($0) })
    report["outcomes"] = .array(
      tallies.map { tally in
        [
          "outcome": .string(tally.outcome.rawValue),
          "reason": tally.reason.isEmpty ? .null : .string(tally.reason),
          "language": tally.language.isEmpty ? .null : .string(tally.language),
          "kind": .string(tally.isWebPush ? Registry.webPushKind : Registry.deviceKind),
          "devices": .integer(tally.count),
        ]
      })
    guard let states else {
      for key in ["delivered", "replaced", "logged"] { report[key] = .null }
      return report
    }
    func count(where matches: (String) -> Bool) -> JSONValue {
      .integer(states.filter { matches($0.key) }.reduce(0) { $0 + $1.value })
    }
    report["delivered"] = count { $0.hasPrefix("Delivered") }
    report["replaced"] = count { $0 == "Replaced" }
    report["logged"] = count { _ in true }
    report["states"] = .object(
      JSONObject(states.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) }))
    return report
  }
}

/// The number of a campaign's recipients for each outcome.
struct CampaignCounts {
  private var counts: [CampaignOutcome: Int64] = [:]

  init(_ tallies: some Sequence<CampaignTally>) {
    for tally in tallies { counts[tally.outcome, default: 0] += tally.count }
  }

  subscript(_ outcome: CampaignOutcome) -> Int64 { counts[outcome] ?? 0 }

  /// The number of pushes that the service answered.
  ///
  /// A push to a dead token was also sent; pushes with an unknown outcome do not count as sent.
  var sent: Int64 { self[.accepted] + self[.dead] + self[.failed] }

  /// Returns the counts of devices and of Web Push subscriptions as objects; a kind without recipients is omitted.
  ///
  /// Outcomes of the kind `kept` are omitted, because their recipients are also counted as `dead`.
  static func byKind(_ tallies: [CampaignTally]) -> [JSONObject] {
    [false, true].compactMap { isWebPush in
      let own = tallies.filter { $0.isWebPush == isWebPush && $0.outcome != .kept }
      guard !own.isEmpty else { return nil }
      return CampaignCounts(own).members(
        ["kind": .string(isWebPush ? Registry.webPushKind : Registry.deviceKind)])
    }
  }

  /// Returns an object with the given members and the counts.
  private func members(_ first: JSONObject) -> JSONObject {
    var line = first
    line["devices"] = .integer(sent + self[.unknown])
    for outcome in [CampaignOutcome.accepted, .dead, .failed, .unknown] {
      line[outcome.rawValue] = .integer(self[outcome])
    }
    return line
  }

  /// Returns the counts of each language as objects, largest first.
  ///
  /// Outcomes of the kind `kept` are omitted, because their recipients are also counted as `dead`.
  static func byLanguage(_ tallies: [CampaignTally]) -> [JSONObject] {
    let groups = Dictionary(
      grouping: tallies.filter { $0.outcome != .kept }, by: { UTF8Text($0.language) })
    let lines = groups.map { language, tallies in (language, CampaignCounts(tallies)) }
    func total(_ counts: CampaignCounts) -> Int64 { counts.sent + counts[.unknown] }
    return lines.sorted { one, other in
      (total(other.1), one.0.string) < (total(one.1), other.0.string)
    }.map { language, counts in
      counts.members(["language": language.string.isEmpty ? .null : .string(language.string)])
    }
  }
}

/// The report of a campaign as a table for spreadsheets.
public enum CampaignTable {
  private static let columns = [
    "campaign", "name", "outcome", "reason", "language", "devices", "kind",
  ]

  /// Returns the lines of a report: one per outcome, reason, and language, followed by a line for the recipients to
  /// which nothing has been sent, if there are any.
  public static func lines(_ report: JSONObject) -> [JSONObject] {
    var lines = (report["outcomes"]?.arrayValue ?? []).compactMap(\.objectValue)
    let done = (report["sent"]?.integerValue ?? 0) + (report["unknown"]?.integerValue ?? 0)
    if let devices = report["devices"]?.integerValue, devices > done {
      lines.append([
        "outcome": "not sent", "reason": .null, "language": .null,
        "devices": .integer(devices - done),
      ])
    }
    return lines
  }

  /// Returns the lines of a report as CSV (RFC 4180).
  public static func csv(_ report: JSONObject) -> String {
    var text = columns.joined(separator: ",") + "\r\n"
    for var line in lines(report) {
      line["campaign"] = report["id"]
      line["name"] = report["name"]
      text += columns.map { field(line[$0] ?? .null) }.joined(separator: ",") + "\r\n"
    }
    return text
  }

  private static func field(_ value: JSONValue) -> String {
    guard let text = value.stringValue else { return value == .null ? "" : value.text }
    // A spreadsheet evaluates a field as a formula if the field begins with one of these characters.
    let isFormula = text.utf8.first.map { "=+-@\t\r".utf8.contains($0) } == true
    let escaped = (isFormula ? "'" : "") + text.replacing("\"", with: "\"\"")
    return "\"\(escaped)\""
  }
}
