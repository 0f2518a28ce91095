internal import BelfryProvider
internal import BelfryWire
internal import Storage
internal import System

/// The data for the console's overview page.
extension CampaignService {
  /// Returns the state of the service in one object: the registered devices, the newest campaigns, the campaign
  /// that was completed last, and whether the service can send pushes.
  func summary() throws(Failure) -> JSONObject {
    let counted = try stored { () throws(StorageFailure) in try counts.counts() }
    var campaigns: [CampaignRecord] = []
    try forEachCampaign(documentBytesMax: 0) { campaign throws(Failure) in
      campaigns.append(campaign)
    }
    var last: [JSONValue] = []
    for campaign in campaigns.suffix(Limits.campaignsSummarized).reversed() {
      last.append(.object(try status(campaign.id)))
    }
    // A draft can be sent long after newer campaigns.
    let latest = campaigns.filter { $0.state == .completed }.max {
      ($0.finishedMilliseconds ?? 0) < ($1.finishedMilliseconds ?? 0)
    }
    let held = campaigns.filter { problem(of: $0) != nil && $0.state != .completed }
    let scheduled = campaigns.filter { $0.state == .scheduled }
    func names(_ campaigns: [CampaignRecord]) -> JSONValue {
      .array(
        campaigns.map {
          [
            "id": .string($0.id), "name": .string($0.name ?? $0.id),
            "problem": problem(of: $0).map { .string($0) } ?? .null,
          ]
        })
    }
    return JSONObject(
      [("at", .string(Timestamp.rfc3339(unixMilliseconds: SystemClock.unixMilliseconds)))]
        + counted.members + [
          ("service", .object(connection)), ("campaigns", .array(last)),
          (
            "latest", try latest.map { one throws(Failure) in .object(try status(one.id)) } ?? .null
          ),
          ("held", names(held)),
          ("paused", names(campaigns.filter { $0.state == .paused && problem(of: $0) == nil })),
          ("scheduled", .integer(Int64(scheduled.count))),
          (
            "notices",
            .array((registry.store.notices + registry.store.warnings).map { .string($0) })
          ),
          ("disk", registry.store.health.failure.map { .string("\($0)") } ?? .null),
        ])
  }

  /// The push service to which campaigns are sent, and the state of the connection to it.
  private var connection: JSONObject {
    do throws(Failure) {
      let service = try service()
      var line: JSONObject = [
        "name": .string(service.name),
        "environment": service.environment.map { .string($0.name) } ?? .null,
      ]
      switch service.connection() {
      case .idle: line["connection"] = "idle"
      case .connecting: line["connection"] = "connecting"
      case .connected(let since):
        line["connection"] = "connected"
        line["since"] = .string(Timestamp.rfc3339(unixMilliseconds: since))
      case .ended(let moment):
        line["connection"] = "ended"
        line["since"] = .string(Timestamp.rfc3339(unixMilliseconds: moment))
      case .failed(let reason):
        line["connection"] = "failed"
        line["problem"] = .string(ProviderFailure.cause(reason, of: service.name))
      }
      return line
    } catch {
      let why = if case .noService(let why) = error { why } else { "\(error)" }
      return ["name": .null, "connection": "failed", "problem": .string(why)]
    }
  }
}
