internal import BelfryProvider
internal import BelfryWire
internal import PushWire
internal import Scheduling
internal import Storage

/// The decisions of one run of a campaign: the recipients to claim, the pushes to send and repeat, the queries of the
/// delivery log, and the outcomes to store.
///
/// This type is a state machine without I/O. The run performs each action before it requests the next step. If the
/// result of an action affects later decisions, the run reports the result through a method of this type.
struct CampaignMachine {
  /// The properties of the push service and of the campaign's text that affect decisions.
  struct Setting {
    let sendTime: SendTime
    /// True if the service has a delivery log.
    let hasLog: Bool
    /// The environment of the service's tokens; nil if unknown.
    let environment: String?
    /// The time in nanoseconds after which the log shows whether a push was received.
    let settleNanoseconds: Int64
  }

  private(set) var campaign: CampaignRecord
  private let setting: Setting
  private var random: any RandomNumberGenerator
  private var pacing: CampaignPacing
  private var hasStarted = false
  private var flights: [Int64: BatchInFlight] = [:]
  /// The actions that the run has not performed yet, in order.
  private var actions: [CampaignAction] = []
  /// The batches about which the log is being queried.
  private var queried: [Int64] = []
  /// The group whose recipients are being claimed; nil if no claim is pending.
  private var claiming: ZoneGroup?
  /// The state in which to leave the campaign once nothing is in flight; nil while the campaign continues.
  private(set) var endState: CampaignRecord.State?
  /// True if the operator requested the pause, so that a delay of the campaign no longer matters.
  private var isPauseRequested = false
  /// True if the program is exiting: log queries are left to the next run.
  private var isProgramEnding = false
  private var hasEnded = false
  /// The reason that the run waits for a time; nil if it does not wait, or pushes are in flight.
  private(set) var timeWait: CampaignTimeWait?
  private var answered: Int64 = 0
  private var badTokens: Int64 = 0

  /// Creates a machine for a campaign whose groups and batches have not been read from the store yet.
  init(
    _ campaign: CampaignRecord, _ setting: Setting, random: any RandomNumberGenerator
  ) {
    self.campaign = campaign
    self.setting = setting
    self.random = random
    pacing = CampaignPacing(groups: [], sendTime: setting.sendTime, rate: campaign.rate) { _ in nil
    }
    if campaign.state == .cancelled { endState = .cancelled }
  }

  // MARK: Events

  /// Starts with the groups that the store contains, before any batch is recovered.
  ///
  /// `zone` returns the time zone with a given name.
  mutating func start(_ groups: [ZoneGroup], zone: (String) -> Zone?) {
    assert(!hasStarted && flights.isEmpty, "a run starts once")
    hasStarted = true
    pacing = CampaignPacing(
      groups: groups, sendTime: setting.sendTime, rate: campaign.rate, zone: zone)
  }

  /// Continues with a batch that an earlier run left in flight.
  mutating func recover(
    _ batch: CampaignBatch, _ recipients: ClaimedRecipients, at now: CampaignMoment
  ) {
    assert(hasStarted && flights[batch.number] == nil, "each batch is recovered once")
    var flight = BatchInFlight(
      batch,
      phase: batch.isSent
        ? .settling(at: now.nanoseconds + setting.settleNanoseconds)
        : .retry(at: now.nanoseconds))
    if batch.isSent {
      // The delivery log does not contain messages to Web Push subscriptions.
      flight.uncertain = recipients.readable.filter { !$0.isWebPush }
      for addressee in recipients.readable where addressee.isWebPush {
        flight.count(.unknown, "AnswerLost", of: addressee)
      }
    } else {
      flight.unsent = recipients.readable
    }
    for one in recipients.unreadable {
      flight.count(.failed, "UnreadableToken", in: one.language, isWebPush: one.isWebPush)
    }
    flights[batch.number] = flight
    pacing.recovered()
    if flight.isSettled { settle(batch.number, at: now) }
  }

  /// Stops claiming recipients, and leaves the campaign in `state` once nothing is in flight.
  ///
  /// `isRequest` is false if an earlier run has determined the state.
  mutating func stop(leaving state: CampaignRecord.State, isRequest: Bool = true) {
    if state == .running { isProgramEnding = true }
    if state == .paused, endState != .paused { isPauseRequested = isRequest }
    // A pause must persist even if the program is stopped, and nothing can undo a cancellation.
    switch (endState, state) {
    case (.cancelled?, _), (.paused?, .running): return
    default: endState = state
    }
  }

  /// Handles the result of a claim: a new batch, or nil if the group has no recipients left.
  mutating func claimed(
    _ batch: CampaignBatch?, _ recipients: ClaimedRecipients, at now: CampaignMoment
  ) {
    guard let group = claiming else {
      assertionFailure("recipients were claimed without a request")
      return
    }
    claiming = nil
    guard let batch else { return pacing.exhausted(group) }
    assert(batch.group == group.number, "the batch belongs to the requested group")
    assert(flights[batch.number] == nil, "each batch is claimed once")
    var flight = BatchInFlight(batch, phase: .answers)
    flight.unsent = recipients.readable
    for one in recipients.unreadable {
      flight.count(.failed, "UnreadableToken", in: one.language, isWebPush: one.isWebPush)
    }
    pacing.claimed(
      recipients.readable.count + recipients.unreadable.count, now: now.nanoseconds)
    flights[batch.number] = flight
    send(batch.number, at: now)
  }

  /// Handles the answers to a batch's pushes: counts outcomes, and determines the recipients that need another push or
  /// a log query.
  mutating func handle(
    _ answers: BatchAnswers.Answers, of number: Int64, at now: CampaignMoment
  ) {
    guard var flight = flights[number] else {
      assertionFailure("answers arrived for a batch that is not in flight")
      return
    }
    assert(answers.count == flight.sent.count, "each push has its answer")
    var problem: String?
    var webPushProblem: String?
    for (addressee, answer) in zip(flight.sent, answers) {
      switch answer ?? .uncertain {
      case .accepted: flight.count(.accepted, of: addressee)
      case .dead(let reason, let since):
        flight.countDead(
          DeadToken(
            sealed: addressee.recipient.sealed, topic: campaign.topic,
            sinceMilliseconds: since ?? flight.batch.claimedMilliseconds), reason: reason,
          of: addressee)
      case .failed(let reason):
        flight.count(.failed, reason, of: addressee)
        if reason == "BadDeviceToken" {
          badTokens += 1
          drop(addressee, from: &flight)
        }
      case .notSent(let why):
        flight.unsent.append(addressee)
        if addressee.isWebPush { webPushProblem = why } else { problem = why }
      case .refused(let why):
        flight.unsent.append(addressee)
        problem = why
        if endState != .cancelled { endState = .paused }
        isPauseRequested = false
      case .interrupted(let why):
        problem = why
        guard setting.hasLog else {
          flight.unsent.append(addressee)
          break
        }
        var interrupted = addressee
        interrupted.isInterrupted = true
        flight.uncertain.append(interrupted)
      // The delivery log does not contain messages to Web Push subscriptions.
      case .uncertain where addressee.isWebPush:
        flight.count(.unknown, "AnswerLost", of: addressee)
      case .uncertain: flight.uncertain.append(addressee)
      }
      answered += 1
    }
    flight.answered()
    flight.giveUpOnWebPush()
    flights[number] = flight
    // A Web Push service is only one of many, so it is a problem only once nothing else is left to send.
    if !pacing.isExhausted { webPushProblem = nil }
    if endState != .cancelled { report(problem ?? webPushProblem ?? badTokenProblem) }
    settle(number, at: now)
  }

  /// Handles the result of a log query.
  mutating func handle(_ answer: GatewayLog.Answer, at now: CampaignMoment) {
    assert(!queried.isEmpty, "the log was queried")
    let due = queried
    queried = []
    switch answer {
    case .outOfReach:
      let moment = now.nanoseconds + setting.settleNanoseconds
      for number in due { flights[number]?.phase = .settling(at: moment) }
      report("cannot read the gateway's delivery log: check that the gateway is running")
    case .forgotten:
      for number in due { resolve(number, at: now) { _ in .sent } }
    case .verdicts(let verdicts):
      for number in due { resolve(number, at: now) { verdicts[$0] ?? .sent } }
    }
  }

  // MARK: Steps

  /// Returns the next step.
  mutating func next(at now: CampaignMoment) -> CampaignStep {
    assert(hasStarted, "a run starts before its first step")
    assert(claiming == nil && queried.isEmpty, "the run has reported the result of each action")
    checkInvariants()
    timeWait = nil
    while true {
      if !actions.isEmpty { return .act(actions.removeFirst()) }
      if hasEnded { return .end }
      let step =
        switch endState {
        case nil: nextWhileRunning(at: now)
        case .cancelled?: nextAfterCancellation(at: now)
        case let state?: nextBeforeEnd(leaving: state)
        }
      if let step { return step }
    }
  }

  /// Returns the next step of a campaign that continues, or nil if actions were added instead.
  private mutating func nextWhileRunning(at now: CampaignMoment) -> CampaignStep? {
    if let query = query(at: now) { return .act(query) }
    for number in flights.keys.sorted() {
      guard let flight = flights[number], case .retry(let moment) = flight.phase,
        moment <= now.nanoseconds
      else { continue }
      // Quiet hours might have begun since the first attempt.
      let seconds = Int(now.campaignSeconds)
      if let wait = pacing.wait(of: flight.batch.group, unixSeconds: seconds) {
        flights[number]?.hold(
          wait, until: wait.nextCheck(now: now.nanoseconds, unixSeconds: seconds))
      } else {
        send(number, at: now)
      }
    }
    guard actions.isEmpty else { return nil }
    // More pushes could displace the log lines that are about to be queried.
    if awaitsLog { return .wait(until: nextDue ?? .max / 2) }
    let held = flights.values.compactMap(\.held)
    let parked = min(
      flights.values.count { $0.parkedFrom.map { $0 <= now.nanoseconds } == true },
      Limits.parkedBatchesMax)
    let action = pacing.next(
      now: now.nanoseconds, unixSeconds: Int(now.campaignSeconds), held: held.count + parked)
    if held.count == flights.count {
      timeWait = (held + [pacing.timeWait].compactMap { $0 })
        .min { $0.untilUnixSeconds < $1.untilUnixSeconds }
    }
    switch action {
    case .claim(let group, let limit):
      let isSlow = badTokenProblem != nil
      if isSlow, flights.count > parked { return .wait(until: nextDue ?? .max / 2) }
      claiming = group
      return .act(
        .claim(group, limit: isSlow ? min(limit, Limits.slowBatchRecipients) : limit))
    case .wait(let moment): return .wait(until: min(moment, nextDue ?? .max))
    case .awaitBatches:
      let nextParked = flights.values.compactMap(\.parkedFrom).filter { $0 > now.nanoseconds }.min()
      return .wait(until: min(nextDue ?? .max / 2, nextParked ?? .max / 2))
    case .finish:
      campaign.state = .completed
      campaign.problem = badTokenProblem
      campaign.finishedMilliseconds = now.unixMilliseconds
      actions += [.write(.update(campaign)), .write(.removeRecipients)]
      hasEnded = true
      return nil
    }
  }

  /// Returns the next step of a campaign that is paused, or left to the next run.
  ///
  /// Waits only for answers. The next run performs the outstanding log queries, and repeats pushes if necessary.
  private mutating func nextBeforeEnd(leaving state: CampaignRecord.State) -> CampaignStep? {
    if isAwaitingAnswers { return .wait(until: .max / 2) }
    if campaign.state != state {
      campaign.state = state
      // A delay before the pause needs no attention. If the delay continues, the resumed campaign reports it again.
      if state == .paused, isPauseRequested { campaign.problem = nil }
      actions.append(.write(.update(campaign)))
    }
    hasEnded = true
    return nil
  }

  /// Returns the next step of a cancelled campaign, which waits until every push that was sent has an outcome.
  ///
  /// The run gives up on recipients that were not reached. An uncertain push is looked up in the delivery log.
  private mutating func nextAfterCancellation(at now: CampaignMoment) -> CampaignStep? {
    if campaign.state != .cancelled {
      campaign.state = .cancelled
      campaign.problem = nil
      campaign.finishedMilliseconds = now.unixMilliseconds
      actions.append(.write(.update(campaign)))
      return nil
    }
    if let query = query(at: now) { return .act(query) }
    for number in flights.keys.sorted() {
      guard case .retry? = flights[number]?.phase else { continue }
      flights[number]?.discardUnsent()
      settle(number, at: now)
    }
    guard actions.isEmpty else { return nil }
    if isAwaitingAnswers { return .wait(until: .max / 2) }
    if let nextDue, !isProgramEnding { return .wait(until: nextDue) }
    hasEnded = true
    guard flights.isEmpty else { return nil }
    report(nil)
    actions.append(.write(.removeRecipients))
    return nil
  }

  private var isAwaitingAnswers: Bool { flights.values.contains { $0.phase == .answers } }

  /// True if a query of the delivery log is pending for at least one batch.
  private var awaitsLog: Bool {
    guard setting.hasLog else { return false }
    return flights.values.contains { flight in
      if case .settling = flight.phase { true } else { false }
    }
  }

  private var nextDue: Int64? { flights.values.compactMap(\.due).min() }

  /// Returns a log query about all uncertain recipients that are due; nil if none is due.
  private mutating func query(at now: CampaignMoment) -> CampaignAction? {
    let due = flights.values.filter { flight in
      guard case .settling(let moment) = flight.phase else { return false }
      return moment <= now.nanoseconds
    }
    guard let since = due.map(\.batch.claimedMilliseconds).min() else { return nil }
    queried = due.map(\.batch.number).sorted()
    return .readLog(Set(due.flatMap { $0.uncertain.map(\.id) }), since: since)
  }

  // MARK: Batches

  private mutating func send(_ number: Int64, at now: CampaignMoment) {
    guard var flight = flights[number] else { return }
    let addressees = flight.send(at: now.nanoseconds)
    guard !addressees.isEmpty else {
      flights[number] = flight
      return settle(number, at: now)
    }
    // If the batch was stored for a later retry, store that it is in flight again before its first push is sent.
    if !flight.batch.isSent {
      flight.resend(at: now.unixMilliseconds)
      actions.append(.write(.narrow(flight.batch, [], [])))
    }
    flights[number] = flight
    actions.append(.push(batch: number, addressees))
  }

  /// Completes a batch if all of its recipients have an outcome; otherwise schedules the remaining steps.
  private mutating func settle(_ number: Int64, at now: CampaignMoment) {
    guard var flight = flights[number] else { return }
    guard !flight.isSettled else {
      actions.append(.write(.finish(flight.batch, flight.tallies, flight.dead)))
      flights[number] = nil
      pacing.batchEnded()
      return
    }
    flight.narrow(isSent: !flight.uncertain.isEmpty)
    actions.append(.write(.narrow(flight.batch, flight.tallies, flight.dead)))
    flight.forgetCounts()
    if flight.uncertain.isEmpty {
      let backoff = Backoff(
        firstNanoseconds: Limits.retryPauseNanoseconds,
        longestNanoseconds: Limits.retryPauseNanosecondsMax)
      let pause = backoff.nanoseconds(
        afterFailures: max(1, flight.failures), random: random.next())
      flight.phase = .retry(at: now.nanoseconds + pause)
    } else {
      flight.phase = .settling(at: now.nanoseconds + setting.settleNanoseconds)
    }
    flights[number] = flight
  }

  private mutating func resolve(
    _ number: Int64, at now: CampaignMoment, _ verdict: (NotificationID) -> GatewayLog.Verdict
  ) {
    guard var flight = flights[number] else { return }
    var isInterrupted = false
    for var addressee in flight.uncertain {
      switch verdict(addressee.id) {
      case .accepted: flight.count(.accepted, of: addressee)
      // If the gateway received the push and then answered with an internal error, it does not deliver the push, so
      // send the push again.
      case .absent,
        .received where addressee.isInterrupted:
        isInterrupted = isInterrupted || addressee.isInterrupted
        addressee.isInterrupted = false
        flight.unsent.append(addressee)
      case .received, .sent: flight.count(.unknown, "AnswerLost", of: addressee)
      }
    }
    flight.uncertain = []
    flights[number] = flight
    settle(number, at: now)
    // Immediately send to the recipients that were not reached, unless the gateway has a problem.
    if !isInterrupted { flights[number]?.phase = .retry(at: now.nanoseconds) }
  }

  // MARK: Problems

  /// The problem to report if most tokens are bad.
  ///
  /// The campaign continues, because the other tokens might be valid. Any client with an app's key can register
  /// invented tokens, and these tokens must not block the campaign for the other devices.
  private var badTokenProblem: String? {
    guard badTokens >= Limits.badTokensBeforeSlowing, badTokens * 2 > answered else { return nil }
    return
      "more than half of the device tokens so far were refused as BadDeviceToken: they belong to "
      + "the other environment or do not exist; the campaign continues slowly"
  }

  /// Removes a bad token from the registry if its app specified the environment of the service, because the token
  /// cannot be valid in another environment.
  private func drop(_ addressee: CampaignAddressee, from flight: inout BatchInFlight) {
    guard let environment = setting.environment else { return }
    flight.drop(
      DeadToken(
        sealed: addressee.recipient.sealed, topic: campaign.topic,
        sinceMilliseconds: flight.batch.claimedMilliseconds, environment: environment))
  }

  /// Reports the reason that the campaign does not continue, or clears the reason once the campaign continues.
  private mutating func report(_ problem: String?) {
    guard campaign.problem != problem else { return }
    campaign.problem = problem
    actions.append(.write(.update(campaign)))
    if let problem { actions.append(.warn(problem)) }
  }

  // MARK: Invariants

  /// Asserts the invariants that hold between events.
  private func checkInvariants() {
    assert(pacing.batchesInFlight == flights.count, "the pacing counts the batches in flight")
    assert(answered >= badTokens, "each bad token was an answer")
    for (number, flight) in flights {
      assert(flight.batch.number == number, "a batch is stored under its number")
      flight.checkInvariants()
    }
    assert(!hasEnded || flights.isEmpty || endState != nil, "a completed campaign has no batches")
  }
}
