internal import BelfryProvider
internal import BelfryWire
internal import Storage
internal import System

/// One run of a campaign, which claims recipients, sends pushes, queries the delivery log, and counts outcomes.
///
/// A run is confined to the runner's thread.
struct CampaignRun {
  private(set) var campaign: CampaignRecord
  private let document: CampaignDocument
  private let resources: CampaignRunner.Resources
  private let onAnswers: @Sendable (_ batch: Int64, BatchAnswers.Answers) -> Void
  private let identity: CampaignIdentity
  private var pacing: CampaignPacing?
  private var groups: [ZoneGroup] = []
  private var flights: [Int64: BatchInFlight] = [:]
  private var payloads: [String: [UInt8]] = [:]  // text: the campaign's own languages
  /// The language of the text for each device language.
  private var languages: [String?: String] = [:]
  /// The state in which to leave the campaign once nothing is in flight; nil while the campaign continues.
  private(set) var endState: CampaignRecord.State?
  /// True if the program is exiting: log queries are left to the next run.
  private var isProgramEnding = false
  /// True if the store has accepted a write of this run.
  private(set) var hasWritten = false
  /// The reason that the run waits for a time; nil if it does not wait, or pushes are in flight.
  private(set) var timeWait: CampaignTimeWait?
  private var answered: Int64 = 0
  private var badTokens: Int64 = 0

  /// Creates a run.
  ///
  /// `onAnswers` is called once all responses of a batch are available, on any thread.
  init(
    _ campaign: CampaignRecord, _ document: CampaignDocument, _ resources: CampaignRunner.Resources,
    onAnswers: @escaping @Sendable (_ batch: Int64, BatchAnswers.Answers) -> Void
  ) {
    self.campaign = campaign
    self.document = document
    self.resources = resources
    self.onAnswers = onAnswers
    identity = CampaignIdentity(campaign: campaign.id)
    if campaign.state == .cancelled { endState = .cancelled }
  }

  private var store: any RegistryStore { resources.registry.store }

  /// Reads the state in which an earlier run left the campaign.
  mutating func recover() throws(StorageFailure) {
    groups = try store.groups(of: campaign.id)
    let zones = resources.registry.zones
    var pacing = CampaignPacing(
      groups: groups, sendTime: document.sendTime, rate: campaign.rate
    ) { zones.zone(named: $0) }
    let now = SystemClock.monotonicNanoseconds
    for batch in try store.batches(of: campaign.id) {
      guard let group = groups.first(where: { $0.number == batch.group }) else {
        throw .corrupt(path: "the registry", detail: "a batch refers to an unknown time-zone group")
      }
      let recipients = try store.recipients(of: batch, group: group, in: campaign)
      var flight = BatchInFlight(
        batch,
        phase: batch.isSent
          ? .settling(at: now + resources.settleNanoseconds) : .retry(at: now))
      let addressees = addressees(recipients)
      if batch.isSent { flight.uncertain = addressees } else { flight.unsent = addressees }
      flights[batch.number] = flight
      pacing.recovered()
    }
    self.pacing = pacing
  }

  /// Stops claiming recipients, and leaves the campaign in `state` once nothing is in flight.
  mutating func stop(leaving state: CampaignRecord.State) {
    if state == .running { isProgramEnding = true }
    // A pause must persist even if the program is stopped, and nothing can undo a cancellation.
    switch (endState, state) {
    case (.cancelled?, _), (.paused?, .running): return
    default: endState = state
    }
  }

  /// True if a push has been sent but not answered yet.
  var isAwaitingAnswers: Bool { flights.values.contains { !$0.sent.isEmpty } }

  /// Discards a batch that was answered but cannot be stored.
  mutating func drop(_ number: Int64) { flights[number] = nil }

  /// Performs all due steps.
  ///
  /// Returns the time of the next step in monotonic nanoseconds, or nil if the run has finished.
  mutating func advance() throws(StorageFailure) -> Int64? {
    timeWait = nil
    if endState == .cancelled { return try advanceToCancellation() }
    try workFlights()
    if endState != nil { return try advanceToEnd() }
    while true {
      // More pushes could displace the log lines that are about to be queried.
      if asksLog { return nextDue ?? .max / 2 }
      let now = SystemClock.monotonicNanoseconds
      let seconds = Int(resources.clock.unixSeconds)
      guard let action = pacing?.next(now: now, unixSeconds: seconds) else {
        preconditionFailure("a campaign run was advanced before its recovery")
      }
      switch action {
      case .claim(let group, let limit):
        guard badTokenProblem != nil else {
          try claim(group, limit: limit, now: now)
          continue
        }
        if !flights.isEmpty { return nextDue ?? .max / 2 }
        try claim(group, limit: min(limit, Limits.slowBatchRecipients), now: now)
      case .wait(let moment):
        if flights.isEmpty { timeWait = pacing?.timeWait }
        return min(moment, nextDue ?? .max)
      case .awaitBatches: return nextDue ?? .max / 2
      case .finish:
        campaign.state = .completed
        campaign.problem = badTokenProblem
        campaign.finishedMilliseconds = SystemClock.unixMilliseconds
        try store.update(campaign)
        try store.removeRecipients(of: campaign.id)
        return nil
      }
    }
  }

  /// True if the delivery log is to be queried about a batch.
  private var asksLog: Bool {
    guard resources.service.log != nil else { return false }
    return flights.values.contains { flight in
      if case .settling = flight.phase { true } else { false }
    }
  }

  private var nextDue: Int64? { flights.values.compactMap(\.due).min() }

  /// Waits only for responses.
  ///
  /// Log queries, and pushes that must be repeated, are left to the next run.
  private mutating func advanceToEnd() throws(StorageFailure) -> Int64? {
    if flights.values.contains(where: { $0.phase == .answers }) { return .max / 2 }
    guard let endState else { return nil }
    if campaign.state != endState {
      campaign.state = endState
      try store.update(campaign)
    }
    return nil
  }

  /// Stores the cancellation, then waits until every push that was sent has an outcome.
  ///
  /// The run gives up on recipients that were not reached. An uncertain push is looked up in the delivery log.
  private mutating func advanceToCancellation() throws(StorageFailure) -> Int64? {
    if campaign.state != .cancelled {
      campaign.state = .cancelled
      campaign.problem = nil
      campaign.finishedMilliseconds = SystemClock.unixMilliseconds
      try store.update(campaign)
    }
    try askLog(now: SystemClock.monotonicNanoseconds)
    for (number, var flight) in flights {
      guard case .retry = flight.phase else { continue }
      flight.discardUnsent()
      flights[number] = flight
      try settle(number)
    }
    if flights.values.contains(where: { $0.phase == .answers }) { return .max / 2 }
    if !flights.isEmpty, !isProgramEnding { return nextDue }
    guard flights.isEmpty else { return nil }
    try report(nil)
    try store.removeRecipients(of: campaign.id)
    return nil
  }

  // MARK: Sending

  private mutating func claim(
    _ group: ZoneGroup, limit: Int, now: Int64
  ) throws(StorageFailure) {
    let claimed = try store.claim(
      of: campaign, group: group, limit: limit, at: SystemClock.unixMilliseconds)
    guard let (batch, recipients) = claimed else {
      pacing?.exhausted(group)
      return
    }
    hasWritten = true
    var flight = BatchInFlight(batch, phase: .answers)
    flight.unsent = addressees(recipients)
    pacing?.claimed(recipients.count, now: now)
    if flight.unsent.count < recipients.count {
      let readable = Set(flight.unsent.map(\.recipient.number))
      for recipient in recipients where !readable.contains(recipient.number) {
        flight.count(.failed, "UnreadableToken", in: language(of: recipient))
      }
    }
    flights[batch.number] = flight
    try send(batch.number)
  }

  /// Returns the recipients whose tokens can be read, with their notifications.
  private mutating func addressees(_ recipients: [CampaignRecipient]) -> [CampaignAddressee] {
    var addressees: [CampaignAddressee] = []
    for recipient in recipients {
      guard let token = resources.registry.sealer.open(recipient.sealed) else { continue }
      addressees.append(
        CampaignAddressee(
          recipient: recipient, token: token, id: identity.notification(to: token),
          language: language(of: recipient)))
    }
    return addressees
  }

  /// Returns the language of a recipient's text; empty if the campaign has the same text for everyone.
  private mutating func language(of recipient: CampaignRecipient) -> String {
    if let known = languages[recipient.language] { return known }
    let language = document.textLanguage(for: recipient.language) ?? ""
    // Devices choose the languages, so only a limited number is cached.
    if languages.count < Limits.languagesMax { languages[recipient.language] = language }
    return language
  }

  private mutating func send(_ number: Int64) throws(StorageFailure) {
    guard var flight = flights[number] else { return }
    let addressees = flight.send()
    guard !addressees.isEmpty else {
      flights[number] = flight
      return try settle(number)
    }
    // A batch that was stored for a later retry counts as in flight again before its first push.
    if !flight.batch.isSent {
      flight.resend(at: SystemClock.unixMilliseconds)
      try store.narrow(flight.batch, of: campaign.id, tallies: [], dead: [])
    }
    flights[number] = flight
    let answers = BatchAnswers(count: addressees.count) { [onAnswers] in onAnswers(number, $0) }
    let expiration = document.expiration(now: resources.clock.unixSeconds)
    for (index, addressee) in addressees.enumerated() {
      let push = Push(
        to: Hexadecimal.encode(addressee.token), topic: campaign.topic,
        payload: payload(in: addressee.language), type: document.type,
        priority: document.priority, expiration: expiration, collapseID: document.collapseID,
        id: addressee.id.text)
      resources.service.submit(push) { answers.add($0, at: index) }
    }
  }

  private mutating func payload(in language: String) -> [UInt8] {
    if let made = payloads[language] { return made }
    let payload = document.payload(in: language.isEmpty ? nil : language)
    payloads[language] = payload
    assert(
      payloads.count <= Limits.languagesMax + 1,
      "the number of payloads is within the limit of languages")
    return payload
  }

  // MARK: Answers

  /// Handles each of a batch's responses according to its consequence.
  mutating func handle(
    _ answers: BatchAnswers.Answers, of number: Int64
  ) throws(StorageFailure) {
    guard var flight = flights[number] else {
      assertionFailure("answers arrived for a batch that is not in flight")
      return
    }
    assert(answers.count == flight.sent.count, "each push has its answer")
    var problem: String?
    for (addressee, answer) in zip(flight.sent, answers) {
      switch answer.map(PushConsequence.init) ?? .uncertain {
      case .accepted: flight.count(.accepted, in: addressee.language)
      case .dead(let reason, let since):
        flight.countDead(
          DeadToken(
            sealed: addressee.recipient.sealed, topic: campaign.topic,
            sinceMilliseconds: since ?? flight.batch.claimedMilliseconds), reason: reason,
          in: addressee.language)
      case .failed(let reason):
        flight.count(.failed, reason, in: addressee.language)
        if reason == "BadDeviceToken" {
          badTokens += 1
          drop(addressee, from: &flight)
        }
      case .notSent(let why):
        flight.unsent.append(addressee)
        problem = why
      case .refused(let why):
        flight.unsent.append(addressee)
        problem = why
        if endState != .cancelled { endState = .paused }
      case .uncertain: flight.uncertain.append(addressee)
      }
      answered += 1
    }
    flight.answered()
    flights[number] = flight
    if endState != .cancelled { try report(problem ?? badTokenProblem) }
    try settle(number)
  }

  /// The problem to report if most tokens are bad.
  ///
  /// The campaign continues, because the other tokens might be valid. A client with an app's key can register invented
  /// tokens, which must not block the campaign for the other devices.
  private var badTokenProblem: String? {
    guard badTokens >= Limits.badTokensBeforeSlowing, badTokens * 2 > answered else { return nil }
    return
      "more than half of the device tokens so far are BadDeviceToken: they belong to the other environment or do "
      + "not exist; the campaign continues slowly"
  }

  /// Removes a bad token from the registry if its app specified the environment of the service, because the token
  /// cannot be valid in another environment.
  private func drop(_ addressee: CampaignAddressee, from flight: inout BatchInFlight) {
    guard let environment = resources.service.environment else { return }
    flight.drop(
      DeadToken(
        sealed: addressee.recipient.sealed, topic: campaign.topic,
        sinceMilliseconds: flight.batch.claimedMilliseconds, environment: environment.name))
  }

  /// Reports the reason that the campaign does not continue, or clears it once the campaign continues.
  private mutating func report(_ problem: String?) throws(StorageFailure) {
    guard campaign.problem != problem else { return }
    campaign.problem = problem
    try store.update(campaign)
    guard let problem else { return }
    resources.log.warning("a campaign is delayed", ["campaign": campaign.id, "why": problem])
  }

  /// Completes a batch if all of its recipients have an outcome; otherwise schedules the remaining steps.
  private mutating func settle(_ number: Int64) throws(StorageFailure) {
    guard var flight = flights[number] else { return }
    guard !flight.isSettled else {
      try store.finish(
        flight.batch, of: campaign.id, tallies: flight.tallies, dead: flight.dead)
      hasWritten = true
      flights[number] = nil
      pacing?.batchEnded()
      return
    }
    let now = SystemClock.monotonicNanoseconds
    flight.narrow(isSent: !flight.uncertain.isEmpty)
    try store.narrow(flight.batch, of: campaign.id, tallies: flight.tallies, dead: flight.dead)
    flight.forgetCounts()
    if flight.uncertain.isEmpty {
      let backoff = Backoff(
        firstNanoseconds: Limits.retryPauseNanoseconds,
        longestNanoseconds: Limits.retryPauseNanosecondsMax)
      var random = SystemRandom.Generator()
      flight.phase = .retry(
        at: now + backoff.nanoseconds(afterFailures: max(1, flight.failures), random: random.next())
      )
    } else {
      flight.phase = .settling(at: now + resources.settleNanoseconds)
    }
    flights[number] = flight
  }

  // MARK: Remaining recipients

  private mutating func workFlights() throws(StorageFailure) {
    guard endState == nil else { return }
    let now = SystemClock.monotonicNanoseconds
    try askLog(now: now)
    for (number, flight) in flights {
      guard case .retry(let moment) = flight.phase, moment <= now else { continue }
      try send(number)
    }
  }

  /// Queries the delivery log about all uncertain recipients that are due.
  private mutating func askLog(now: Int64) throws(StorageFailure) {
    let due = flights.filter { _, flight in
      guard case .settling(let moment) = flight.phase else { return false }
      return moment <= now
    }
    guard !due.isEmpty else { return }
    let ids = Set(due.values.flatMap { $0.uncertain.map(\.id) })
    let since = due.values.map(\.batch.claimedMilliseconds).min() ?? 0
    switch resources.service.log?.verdicts(on: ids, since: since) ?? .forgotten {
    case .outOfReach:
      for number in due.keys {
        flights[number]?.phase = .settling(at: now + resources.settleNanoseconds)
      }
      try report("cannot read the gateway's delivery log: check that the gateway is running")
    case .forgotten:
      for number in due.keys { try resolve(number) { _ in .unclear } }
    case .verdicts(let verdicts):
      for number in due.keys { try resolve(number) { verdicts[$0] ?? .unclear } }
    }
  }

  private mutating func resolve(
    _ number: Int64, _ verdict: (NotificationID) -> GatewayLog.Verdict
  ) throws(StorageFailure) {
    guard var flight = flights[number] else { return }
    for addressee in flight.uncertain {
      switch verdict(addressee.id) {
      case .accepted: flight.count(.accepted, in: addressee.language)
      case .absent: flight.unsent.append(addressee)
      case .unclear: flight.count(.unknown, "AnswerLost", in: addressee.language)
      }
    }
    flight.uncertain = []
    flights[number] = flight
    try settle(number)
    // Immediately send to the recipients that were not reached.
    if flights[number] != nil {
      flights[number]?.phase = .retry(at: SystemClock.monotonicNanoseconds)
    }
  }
}
