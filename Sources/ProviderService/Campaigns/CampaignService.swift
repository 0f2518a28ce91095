internal import BelfryWire
internal import Foundation
public import Storage
internal import Synchronization
public import System
internal import Transport

/// The campaigns of a registry, with operations to create, edit, start, pause, resume, cancel, and report on them.
public final class CampaignService: Sendable {
  /// The reason that a campaign cannot be changed.
  enum Failure: Error {
    /// The campaign does not exist.
    case missing(id: String)
    /// The campaign's state does not allow the operation.
    case conflict(String, advice: String)
    /// The campaign has changed since the client read the revision that it sent; `parts` are the parts that differ.
    case changed(id: String, parts: [String])
    /// The campaign itself is invalid.
    case invalid(RequestProblems)
    /// No push service is configured.
    case noService(String)
    /// The push service did not respond to a test push.
    case unanswered(String)
    case storage(StorageFailure)

    /// The reason, as a line for a log or a status.
    var text: String {
      switch self {
      case .missing(let id): "campaign \(id) does not exist"
      case .conflict(let what, let advice): "\(what): \(advice)"
      case .changed(let id, let parts): Self.problem(ofChanged: id, parts).description
      case .invalid(let problems): problems.all.map(\.description).joined(separator: "; ")
      case .noService(let why): "no push service: \(why)"
      case .unanswered(let why): "no answer from the push service: \(why)"
      case .storage(let failure): failure.description
      }
    }

    /// The reason, for a status that operators read: without the members of a request and the advice on them.
    var reason: String {
      guard case .invalid(let problems) = self else { return text }
      return problems.all.map(\.what).joined(separator: "; ")
    }

    /// Returns the problem of a change that is based on an older revision of a campaign.
    static func problem(ofChanged id: String, _ parts: [String]) -> RequestProblem {
      assert(!parts.isEmpty, "a changed campaign has a part that differs")
      return RequestProblem(
        "revision",
        "the \(CampaignRevision.list(parts)) of campaign \(id) \(parts.count == 1 ? "has" : "have") changed since "
          + "it was read",
        do: "read the campaign again, and repeat the change")
    }
  }

  private struct Running {
    var runners: [String: CampaignRunner] = [:]
    var schedule: CampaignSchedule?
    var service: PushService?
    var isDraining = false
  }

  let registry: Registry
  private let makeService: @Sendable () throws -> PushService
  let log: Log
  let clock: CampaignClock
  private let logsDelays: Bool
  private let running = Mutex(Running())
  /// A lock that is held while a campaign's state changes, so that each change is based on the result of the previous
  /// change.
  let transitions = Mutex(())
  let counts: RegistryCounts

  /// Creates the service that manages the campaigns of a registry.
  ///
  /// `makeService` is called when the first campaign starts. If `logsDelays` is false, the caller itself shows that a
  /// campaign is delayed; the reason is in the campaign's status.
  public init(
    registry: Registry, log: Log, clock: CampaignClock? = nil, logsDelays: Bool = true,
    makeService: @escaping @Sendable () throws -> PushService
  ) {
    self.clock = clock ?? CampaignClock(log: log)
    self.registry = registry
    counts = RegistryCounts(of: registry.store)
    self.log = log
    self.logsDelays = logsDelays
    self.makeService = makeService
  }

  /// Continues the campaigns that were running when the service last stopped, and settles the cancelled campaigns.
  public func resumeInterrupted() throws(StorageFailure) {
    let ids =
      try registry.store.campaignIDs(in: .running) + registry.store.campaignIDs(in: .cancelled)
    for id in ids {
      guard let campaign = try registry.store.campaign(id) else { continue }
      let isWhole = !registry.store.lacksRows(of: campaign.id)
      do throws(Failure) {
        if campaign.state == .running, isWhole, try reschedule(campaign) { continue }
        let hasBatches = try stored { () throws(StorageFailure) in
          try !registry.store.batches(of: campaign.id).isEmpty
        }
        var damaged = campaign
        if !isWhole {
          damaged.problem =
            "some of the campaign's rows were damaged and set aside: devices may get no push, or get it twice"
        }
        _ = try change(damaged, .serviceStarted(isWhole: isWhole, hasBatches: hasBatches))
        if !isWhole, campaign.state == .running {
          log.error("paused a campaign: some of its rows are damaged", ["campaign": campaign.id])
        }
      } catch {
        log.error("cannot resume a campaign", ["campaign": campaign.id, "why": error.text])
        guard campaign.state == .running else { continue }
        var held = campaign
        held.problem = "cannot resume: \(error.text)"
        held.state = .paused
        try registry.store.update(held)
      }
    }
  }

  /// Returns a campaign to `scheduled` if an earlier release started the campaign and left it waiting for its time.
  ///
  /// Returns true if the campaign is now scheduled.
  private func reschedule(_ campaign: CampaignRecord) throws(Failure) -> Bool {
    guard try startsLater(campaign, document(of: campaign)) else { return false }
    let scheduled = try stored { () throws(StorageFailure) in
      try registry.store.reschedule(campaign)
    }
    return scheduled != nil
  }

  /// Starts the thread that starts campaigns at their scheduled time.
  public func startSchedule() {
    let schedule = CampaignSchedule { [weak self] in self?.startDue() }
    running.withLock { $0.schedule = schedule }
  }

  /// Prevents further runs, and stops the current runs once the pushes in flight are answered.
  ///
  /// The remaining recipients receive the campaign after the service starts again.
  public func stop() {
    let (runners, schedule) = running.withLock { running in
      running.isDraining = true
      return (Array(running.runners.values), running.schedule)
    }
    schedule?.wake()
    for runner in runners { runner.stop() }
  }

  /// Stops the runs, and waits a few seconds in total for all pushes in flight.
  public func drain() {
    stop()
    let runners = running.withLock { Array($0.runners.values) }
    let due = SystemClock.monotonicNanoseconds + Limits.shutdownNanoseconds
    for runner in runners {
      runner.wait(nanoseconds: max(0, due - SystemClock.monotonicNanoseconds))
    }
  }

  // MARK: Requests

  /// Starts or schedules a draft, or continues a paused campaign.
  ///
  /// A draft whose time has passed is refused, because its owner might not expect that it is sent immediately. If
  /// `revision` is given, a campaign whose content has changed since that revision is refused, too.
  func resume(
    _ id: String, revision: CampaignRevision? = nil
  ) throws(Failure) -> CampaignRecord {
    let campaign = try campaign(id)
    // Report a change before the time, because the time might have changed.
    if let revision { try check(campaign, since: revision) }
    if campaign.state == .draft, try hasPassed(campaign, document(of: campaign)) {
      let time = try object(of: campaign)["at"]?.stringValue ?? ""
      throw .conflict(
        "cannot send campaign \(id): its time (\(RequestProblem.excerpt(time))) has passed for every device",
        advice: "edit the campaign to set a later time, or copy it: a copy has no time")
    }
    let startsLater =
      switch campaign.state {
      case .draft, .scheduled: try startsLater(campaign, document(of: campaign))
      case .running, .paused, .completed, .cancelled: false
      }
    return try change(id, .sendRequested(startsLater: startsLater), since: revision)
  }

  /// Throws an error if a campaign's content has changed since a revision.
  func check(_ campaign: CampaignRecord, since revision: CampaignRevision) throws(Failure) {
    let parts = try CampaignRevision(campaign, object(of: campaign)).changes(since: revision)
    if !parts.isEmpty { throw .changed(id: campaign.id, parts: parts) }
  }

  /// Pauses a campaign; pushes in flight still get their outcomes.
  func pause(_ id: String) throws(Failure) -> CampaignRecord { try change(id, .pauseRequested) }

  /// Cancels a campaign: nothing more is sent, and pushes in flight get their outcomes.
  func cancel(_ id: String) throws(Failure) -> CampaignRecord { try change(id, .cancelRequested) }

  /// Removes a campaign that is not being sent.
  func remove(_ id: String) throws(Failure) { _ = try change(id, .deleteRequested) }

  // MARK: Changes of state

  /// Handles an event of a campaign: determines the actions from the current state, and executes them.
  ///
  /// If `revision` is given, the campaign's content must not have changed since that revision. Returns the campaign
  /// after the change.
  func change(
    _ id: String, _ event: CampaignLifecycle.Event, edited: CampaignRecord? = nil,
    since revision: CampaignRevision? = nil
  ) throws(Failure) -> CampaignRecord {
    let known = try campaign(id)
    do throws(Failure) {
      return try change(known, event, edited: edited, since: revision)
    } catch {
      // A runner that has stored its last state exits within moments, so wait for it.
      guard case .conflict = error, let runner = running.withLock({ $0.runners[id] }),
        try campaign(id).state != .running
      else { throw error }
      runner.wait(nanoseconds: Limits.drainNanoseconds)
      return try change(known, event, edited: edited, since: revision)
    }
  }

  /// Handles an event of a campaign, and stores the campaign's problem, if any, with the new state.
  func change(
    _ known: CampaignRecord, _ event: CampaignLifecycle.Event, edited: CampaignRecord? = nil,
    since revision: CampaignRevision? = nil
  ) throws(Failure) -> CampaignRecord {
    var stopped: CampaignRunner?
    let changed = try transitions.withLock { _ throws(Failure) in
      // Another request might have changed the campaign in the meantime.
      var campaign = try campaign(known.id)
      if let revision { try check(campaign, since: revision) }
      campaign.problem = known.problem
      let runner = running.withLock { $0.runners[known.id] }
      var lifecycle = CampaignLifecycle(state: campaign.state, isRunning: runner != nil)
      let actions: [CampaignLifecycle.Action]
      switch lifecycle.handle(event) {
      case .success(let found): actions = found
      case .failure(let refusal):
        let (what, advice) = refusal.text(about: campaign.id)
        throw .conflict(what, advice: advice)
      }
      if let edited {
        let state = campaign.state
        campaign = edited
        campaign.state = state
      }
      for action in actions {
        try execute(action, lifecycle.state, &campaign)
        if case .stopRunner = action { stopped = runner }
      }
      return campaign
    }
    if changed.state == .scheduled { running.withLock { $0.schedule }?.wake() }
    guard let stopped else { return changed }
    stopped.wait(nanoseconds: Limits.drainNanoseconds)
    return try campaign(known.id)
  }

  private func execute(
    _ action: CampaignLifecycle.Action, _ state: CampaignRecord.State,
    _ campaign: inout CampaignRecord
  ) throws(Failure) {
    switch action {
    case .checkAudience:
      campaign.total = try devices(of: campaign)
    case .storeState:
      campaign.state = state
      if state == .running || state == .scheduled || state == .cancelled { campaign.problem = nil }
      if state == .cancelled { campaign.finishedMilliseconds = SystemClock.unixMilliseconds }
      // If no push service is available, throw an error, so that a paused campaign remains paused.
      if state == .running { _ = try service() }
      try update(campaign)
    case .replaceContent:
      campaign.state = state
      campaign.problem = nil
      let replaced = campaign
      try stored { () throws(StorageFailure) in try registry.store.replace(replaced) }
    case .start: campaign = try start(campaign)
    case .run where campaign.state == .cancelled: try settle(campaign)
    case .run: try run(campaign)
    case .stopRunner(let state):
      running.withLock { $0.runners[campaign.id] }?.stop(leaving: state)
    case .remove:
      let id = campaign.id
      try stored { () throws(StorageFailure) in try registry.store.removeCampaign(id) }
    }
  }

  /// Settles a cancelled campaign's pushes in flight.
  ///
  /// Without a push service, they are settled when the service starts again.
  private func settle(_ campaign: CampaignRecord) throws(Failure) {
    let isSettled = try stored { () throws(StorageFailure) in
      try registry.store.batches(of: campaign.id).isEmpty
    }
    guard !isSettled else {
      return try stored { () throws(StorageFailure) in
        try registry.store.removeRecipients(of: campaign.id)
      }
    }
    do throws(Failure) {
      try run(campaign)
    } catch {
      log.warning(
        "the outcome of pushes of a cancelled campaign is unknown until the next start",
        ["campaign": campaign.id, "why": error.text])
    }
  }

  private func update(_ campaign: CampaignRecord) throws(Failure) {
    try stored { () throws(StorageFailure) in try registry.store.update(campaign) }
  }

  // MARK: Parts

  /// Returns the number of devices in a campaign's audience for each combination of language, zone, and environment.
  func shares(of campaign: CampaignRecord) throws(Failure) -> [AudienceShare] {
    try stored { () throws(StorageFailure) in
      try registry.store.shares(
        of: campaign.audience, campaign: campaign.id, topic: campaign.topic,
        environment: campaign.environment)
    }
  }

  /// Checks that a campaign can be sent to its audience, and returns the number of devices.
  private func devices(of campaign: CampaignRecord) throws(Failure) -> Int64 {
    let shares = try shares(of: campaign)
    try check(shares, of: campaign, for: document(of: campaign))
    return shares.reduce(0) { $0 + $1.count }
  }

  private func check(
    _ shares: [AudienceShare], of campaign: CampaignRecord, for document: CampaignDocument
  ) throws(Failure) {
    let environment = try service().environment
    guard !shares.isEmpty else {
      throw .invalid(
        RequestProblems([
          RequestProblem(
            "to",
            AudienceCheck.emptiness(
              of: campaign.audience, topic: campaign.topic, environment: document.environment),
            do: "check the recipients: 'GET /tokens' and the console list the registered devices")
        ]))
    }
    let problems = AudienceCheck(document, shares, service: environment).problems
    if !problems.isEmpty { throw .invalid(RequestProblems(problems)) }
  }

  private func start(_ campaign: CampaignRecord) throws(Failure) -> CampaignRecord {
    let document = try document(of: campaign)
    let shares = try shares(of: campaign)
    try check(shares, of: campaign, for: document)
    var started = campaign
    started.problem = nil
    let ready = started
    return try stored { () throws(StorageFailure) in
      let zones = Set(shares.map(\.timeZone)).sorted { ($0 ?? "") < ($1 ?? "") }
      return try registry.store.start(
        ready,
        groups: document.sendTime.dependsOnZone ? zones.map { .named($0) } : [.any],
        total: shares.reduce(0) { $0 + $1.count })
    }
  }

  private func run(_ campaign: CampaignRecord) throws(Failure) {
    let document = try document(of: campaign)
    let resources = CampaignRunner.Resources(
      registry: registry, service: try service(), log: log, clock: clock, logsDelays: logsDelays)
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

  func campaign(_ id: String) throws(Failure) -> CampaignRecord {
    let found = try stored { () throws(StorageFailure) in try registry.store.campaign(id) }
    guard let found else { throw .missing(id: id) }
    return found
  }

  func tallies(of id: String) throws(Failure) -> [CampaignTally] {
    try stored { () throws(StorageFailure) in try registry.store.tallies(of: id) }
  }

  /// True once the service is shutting down.
  var isDraining: Bool { running.withLock { $0.isDraining } }

  /// Returns the problem that delays a campaign or prevents it from continuing automatically; nil if it has no problem.
  func problem(of campaign: CampaignRecord) -> String? {
    running.withLock { $0.runners[campaign.id] }?.problem ?? campaign.problem
  }

  /// Returns the reason that a running campaign waits for a time; nil if it does not wait.
  func timeWait(of campaign: CampaignRecord) -> CampaignTimeWait? {
    guard campaign.state == .running else { return nil }
    return running.withLock { $0.runners[campaign.id] }?.timeWait
  }

  /// Returns the document of a campaign as JSON.
  func object(of campaign: CampaignRecord) throws(Failure) -> JSONObject {
    guard let object = (try? JSONValue(parsing: campaign.document))?.objectValue else {
      throw .storage(
        .corrupt(path: "the registry", detail: "campaign \(campaign.id) is not valid JSON"))
    }
    return object
  }

  func document(of campaign: CampaignRecord) throws(Failure) -> CampaignDocument {
    try Self.document(object(of: campaign))
  }

  static func document(_ object: JSONObject) throws(Failure) -> CampaignDocument {
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
