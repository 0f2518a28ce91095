internal import BelfryWire
internal import Foundation
public import Storage
internal import Synchronization
public import System
internal import Transport

/// The campaigns of a registry, with operations to create, start, pause, resume and report them.
public final class CampaignService: Sendable {
  /// The reason that a campaign cannot be changed.
  enum Failure: Error {
    /// The campaign does not exist.
    case missing(id: String)
    /// The campaign's state does not allow the operation.
    case conflict(String, advice: String)
    /// The campaign itself is invalid.
    case invalid(RequestProblems)
    /// No push service is configured.
    case noService(String)
    case storage(StorageFailure)
  }

  private struct Running {
    var runners: [String: CampaignRunner] = [:]
    var service: PushService?
    var isDraining = false
  }

  let registry: Registry
  private let makeService: @Sendable () throws -> PushService
  private let log: Log
  private let clock: CampaignClock
  private let running = Mutex(Running())
  let counts: RegistryCounts

  /// Creates the campaigns of a registry.
  ///
  /// `makeService` is called when the first one starts.
  public init(
    registry: Registry, log: Log, clock: CampaignClock? = nil,
    makeService: @escaping @Sendable () throws -> PushService
  ) {
    self.clock = clock ?? CampaignClock(log: log)
    self.registry = registry
    counts = RegistryCounts(of: registry.store)
    self.log = log
    self.makeService = makeService
  }

  /// Continues the campaigns that an earlier run was sending.
  public func resumeInterrupted() throws(StorageFailure) {
    for campaign in try registry.store.campaigns() where campaign.state == .running {
      if registry.store.lacksRows(of: campaign.id) {
        var held = campaign
        held.problem =
          "rows of it are damaged and set aside: some devices may get nothing, or it twice"
        held.state = .paused
        try registry.store.update(held)
        log.error("a campaign is held: rows of it are damaged", ["campaign": campaign.id])
        continue
      }
      do throws(Failure) {
        try run(campaign)
      } catch {
        var held = campaign
        held.problem = "it could not be resumed: \(error)"
        held.state = .paused
        try registry.store.update(held)
        log.error("a campaign could not be resumed", ["campaign": campaign.id, "why": "\(error)"])
      }
    }
  }

  /// Ends the runs gracefully: waits for the responses to pushes in flight, and leaves the rest to the next start.
  public func drain() {
    let runners = running.withLock { running in
      running.isDraining = true
      return Array(running.runners.values)
    }
    for runner in runners { runner.stop() }
    for runner in runners { runner.wait(nanoseconds: Limits.drainNanoseconds) }
  }

  // MARK: requests

  /// Adds a campaign without starting it.
  func add(
    _ object: JSONObject, audience: CampaignAudience, rate: Int64?
  ) throws(Failure) -> CampaignRecord {
    let document = try Self.document(object)
    let id = Hexadecimal.encode(SystemRandom.bytes(6))
    let campaign = CampaignRecord(
      id: id, createdMilliseconds: SystemClock.unixMilliseconds, document: object.bytes,
      topic: document.topic, audience: audience, rate: rate,
      environment: document.environment?.name)
    try stored { () throws(StorageFailure) in try registry.store.addCampaign(campaign) }
    return campaign
  }

  /// Validates a campaign and returns a preview.
  func preview(
    _ object: JSONObject, audience: CampaignAudience
  ) throws(Failure) -> CampaignPreview {
    let document = try Self.document(object)
    return try preview(document, audience, campaign: "")
  }

  /// Returns a preview of an added campaign.
  func preview(_ id: String) throws(Failure) -> CampaignPreview {
    let campaign = try campaign(id)
    return try preview(document(of: campaign), campaign.audience, campaign: id)
  }

  /// Appends to the list of a campaign that has not started.
  func append(
    _ recipients: [RegistrationRequest], to id: String
  ) throws(Failure) -> Int {
    let campaign = try campaign(id)
    guard campaign.state == .preparing, campaign.audience == .list else {
      throw .conflict(
        "campaign \(id) takes no list", advice: "add one with \"to\":\"list\" and \"hold\":true")
    }
    let registrations = recipients.map { one in
      one.registration(sealed: registry.sealer.seal(one.token), topic: campaign.topic)
    }
    return try stored { () throws(StorageFailure) in
      try registry.store.appendRecipients(registrations, to: id)
    }
  }

  /// Removes a campaign that has not started.
  func remove(_ id: String) throws(Failure) {
    guard try campaign(id).state == .preparing else {
      throw .conflict("campaign \(id) has started", advice: "pause it instead")
    }
    try stored { () throws(StorageFailure) in try registry.store.removeCampaign(id) }
  }

  /// Starts a campaign, or continues a paused one.
  func resume(_ id: String) throws(Failure) -> CampaignRecord {
    var campaign = try campaign(id)
    switch campaign.state {
    case .finished: return campaign
    case .running:
      if running.withLock({ $0.runners[id] != nil }) { return campaign }
    case .paused:
      _ = try service()
      campaign.state = .running
      campaign.problem = nil
      let resumed = campaign
      try stored { () throws(StorageFailure) in try registry.store.update(resumed) }
    case .preparing:
      _ = try service()
      campaign = try start(campaign)
    }
    try run(campaign)
    return campaign
  }

  /// Pauses a campaign; pushes in flight are finished.
  func pause(_ id: String) throws(Failure) -> CampaignRecord {
    var campaign = try campaign(id)
    guard campaign.state == .running || campaign.state == .paused else {
      throw .conflict(
        "campaign \(id) is \(campaign.state.rawValue)", advice: "only a running one can be held")
    }
    guard let runner = running.withLock({ $0.runners[id] }) else {
      campaign.state = .paused
      let paused = campaign
      try stored { () throws(StorageFailure) in try registry.store.update(paused) }
      return campaign
    }
    runner.pause()
    runner.wait(nanoseconds: Limits.drainNanoseconds)
    return try self.campaign(id)
  }

  /// Returns every campaign's status, by creation time.
  func list() throws(Failure) -> [JSONObject] {
    let campaigns = try stored { () throws(StorageFailure) in try registry.store.campaigns() }
    var lines: [JSONObject] = []
    for campaign in campaigns { lines.append(try status(of: campaign)) }
    return lines
  }

  /// Returns the status of a campaign.
  func status(_ id: String) throws(Failure) -> JSONObject { try status(of: try campaign(id)) }

  /// Returns the results of a campaign: its status, the reasons, and the delivery states from the gateway's log.
  func report(_ id: String) throws(Failure) -> JSONObject {
    let campaign = try campaign(id)
    var report = try status(of: campaign)
    var reasons = JSONObject()
    for tally in try tallies(of: id) where !tally.reason.isEmpty {
      reasons[tally.reason] = .integer(tally.count)
    }
    report["reasons"] = .object(reasons)
    let log = (try? service())?.log
    guard let states = log?.states(of: CampaignIdentity(campaign: id)) else {
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

  // MARK: parts

  private func preview(
    _ document: CampaignDocument, _ audience: CampaignAudience, campaign: String
  ) throws(Failure) -> CampaignPreview {
    let shares = try stored { () throws(StorageFailure) in
      try registry.store.shares(
        of: audience, campaign: campaign, topic: document.topic,
        environment: document.environment?.name)
    }
    return CampaignPreview(
      document, shares: shares, zones: registry.zones, service: (try? service())?.environment,
      unixSeconds: Int(clock.unixSeconds))
  }

  private func start(_ campaign: CampaignRecord) throws(Failure) -> CampaignRecord {
    let document = try document(of: campaign)
    let environment = try service().environment
    let shares = try stored { () throws(StorageFailure) in
      try registry.store.shares(
        of: campaign.audience, campaign: campaign.id, topic: campaign.topic,
        environment: campaign.environment)
    }
    guard !shares.isEmpty else {
      throw .invalid(
        RequestProblems([
          RequestProblem(
            "to", "no device is registered for this",
            do: "see who is registered: GET /tokens, or the console")
        ]))
    }
    let problems = AudienceCheck(document, shares, service: environment).problems
    if !problems.isEmpty { throw .invalid(RequestProblems(problems)) }
    return try stored { () throws(StorageFailure) in
      let zones = Set(shares.map(\.timeZone)).sorted { ($0 ?? "") < ($1 ?? "") }
      return try registry.store.start(
        campaign,
        legs: document.sendTime.dependsOnZone ? zones.map { .named($0) } : [.any],
        total: shares.reduce(0) { $0 + $1.count })
    }
  }

  private func run(_ campaign: CampaignRecord) throws(Failure) {
    let document = try document(of: campaign)
    let resources = CampaignRunner.Resources(
      registry: registry, service: try service(), log: log, clock: clock)
    let id = campaign.id
    try running.withLock { running throws(Failure) in
      guard !running.isDraining else {
        throw .conflict("the service is shutting down", advice: "resume it after the next start")
      }
      guard running.runners[id] == nil else { return }
      running.runners[id] = CampaignRunner(campaign, document: document, resources: resources) {
        [weak self] in self?.running.withLock { $0.runners[id] = nil }
      }
    }
  }

  func service() throws(Failure) -> PushService {
    try running.withLock { running throws(Failure) in
      if let service = running.service { return service }
      do {
        let service = try makeService()
        running.service = service
        return service
      } catch {
        throw .noService("\(error)")
      }
    }
  }

  private func campaign(_ id: String) throws(Failure) -> CampaignRecord {
    let found = try stored { () throws(StorageFailure) in try registry.store.campaign(id) }
    guard let found else { throw .missing(id: id) }
    return found
  }

  private func tallies(of id: String) throws(Failure) -> [CampaignTally] {
    try stored { () throws(StorageFailure) in try registry.store.tallies(of: id) }
  }

  func status(of campaign: CampaignRecord) throws(Failure) -> JSONObject {
    var counts: [CampaignOutcome: Int64] = [:]
    for tally in try tallies(of: campaign.id) { counts[tally.outcome, default: 0] += tally.count }
    func count(_ outcome: CampaignOutcome) -> Int64 { counts[outcome] ?? 0 }
    // A push to a dead token was also sent; unknown outcomes do not count as sent.
    let sent = count(.accepted) + count(.dead) + count(.failed)
    func time(_ milliseconds: Int64?) -> JSONValue {
      milliseconds.map { .string(Timestamp.rfc3339(unixMilliseconds: $0)) } ?? .null
    }
    return [
      "id": .string(campaign.id), "state": .string(campaign.state.rawValue),
      "topic": .string(campaign.topic), "devices": .integer(campaign.total),
      "accepted": .integer(count(.accepted)), "dead": .integer(count(.dead)),
      "kept": .integer(count(.kept)),
      "failed": .integer(count(.failed)), "unknown": .integer(count(.unknown)),
      "sent": .integer(sent), "rate": campaign.rate.map { .integer($0) } ?? .null,
      "problem": problem(of: campaign).map { .string($0) } ?? .null,
      "created": time(campaign.createdMilliseconds),
      "finished": time(campaign.finishedMilliseconds),
    ]
  }

  /// Returns the reason that a campaign waits or does not continue automatically.
  func problem(of campaign: CampaignRecord) -> String? {
    running.withLock { $0.runners[campaign.id] }?.problem ?? campaign.problem
  }

  private func document(of campaign: CampaignRecord) throws(Failure) -> CampaignDocument {
    guard let object = (try? JSONValue(parsing: campaign.document))?.objectValue else {
      throw .storage(.corrupt(path: "the registry", detail: "campaign \(campaign.id) is no JSON"))
    }
    return try Self.document(object)
  }

  private static func document(_ object: JSONObject) throws(Failure) -> CampaignDocument {
    do throws(RequestProblems) {
      return try CampaignDocument(object)
    } catch {
      throw .invalid(error)
    }
  }

  func stored<Answer>(
    _ body: () throws(StorageFailure) -> Answer
  ) throws(Failure) -> Answer {
    do throws(StorageFailure) {
      return try body()
    } catch {
      throw .storage(error)
    }
  }
}
