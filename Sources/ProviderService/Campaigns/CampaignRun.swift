internal import BelfryProvider
internal import PushWire
internal import BelfryWire
internal import Storage
internal import System

/// One run of a campaign: performs the actions of its ``CampaignMachine`` with the store, the push service, and the
/// delivery log.
///
/// A run is confined to the runner's thread.
struct CampaignRun {
  private let document: CampaignDocument
  private let resources: CampaignRunner.Resources
  private let onAnswers: @Sendable (_ batch: Int64, BatchAnswers.Answers) -> Void
  private let identity: CampaignIdentity
  private var machine: CampaignMachine
  private var payloads: [String: [UInt8]] = [:]  // text: the campaign's own languages
  /// The messages to Web Push subscriptions, by the language of their text.
  private var messages: [String: WebPushNotification] = [:]  // text: the campaign's own languages
  /// A cache of the text language that was chosen for each device language.
  private var languages: [String?: String] = [:]
  /// The batches whose pushes were sent but have not all been answered.
  private var awaited: Set<Int64> = []
  /// True if the store has accepted a write of this run.
  private(set) var hasWritten = false

  /// Creates a run.
  ///
  /// `onAnswers` is called once all responses of a batch are available, on any thread.
  init(
    _ campaign: CampaignRecord, _ document: CampaignDocument, _ resources: CampaignRunner.Resources,
    onAnswers: @escaping @Sendable (_ batch: Int64, BatchAnswers.Answers) -> Void
  ) {
    self.document = document
    self.resources = resources
    self.onAnswers = onAnswers
    identity = CampaignIdentity(campaign: campaign.id)
    machine = CampaignMachine(
      campaign,
      .init(
        sendTime: document.sendTime, hasLog: resources.service.log != nil,
        environment: resources.service.environment?.name,
        settleNanoseconds: resources.settleNanoseconds), random: resources.random())
  }

  /// Reads the state in which an earlier run left the campaign.
  mutating func recover() throws(StorageFailure) {
    let zones = resources.registry.zones
    let groups = try store.groups(of: campaign.id)
    machine.start(groups) { zones.zone(named: $0) }
    let now = now
    for batch in try store.batches(of: campaign.id) {
      guard let group = groups.first(where: { $0.number == batch.group }) else {
        throw .corrupt(path: "the registry", detail: "a batch refers to an unknown time-zone group")
      }
      let recipients = try store.recipients(of: batch, group: group, in: campaign)
      machine.recover(batch, read(recipients), at: now)
    }
  }

  private var campaign: CampaignRecord { machine.campaign }
  private var store: any RegistryStore { resources.registry.store }
  private var now: CampaignMoment { resources.now }

  /// The state in which to leave the campaign once nothing is in flight; nil while the campaign continues.
  var endState: CampaignRecord.State? { machine.endState }

  /// The reason that the run waits for a time; nil if it does not wait, or pushes are in flight.
  var timeWait: CampaignTimeWait? { machine.timeWait }

  /// True if a push has been sent but not answered yet.
  var isAwaitingAnswers: Bool { !awaited.isEmpty }

  /// Stops claiming recipients, and leaves the campaign in `state` once nothing is in flight.
  ///
  /// `isRequest` is false if an earlier run has determined the state.
  mutating func stop(leaving state: CampaignRecord.State, isRequest: Bool = true) {
    machine.stop(leaving: state, isRequest: isRequest)
  }

  /// Stops waiting for a batch whose answers have arrived but cannot be stored.
  mutating func drop(_ number: Int64) { awaited.remove(number) }

  /// Handles a batch's responses.
  mutating func handle(_ answers: BatchAnswers.Answers, of number: Int64) {
    awaited.remove(number)
    machine.handle(answers, of: number, at: now)
  }

  /// Performs all due steps.
  ///
  /// Returns the time of the next step in monotonic nanoseconds, or nil if the run has finished.
  mutating func advance() throws(StorageFailure) -> Int64? {
    while true {
      switch machine.next(at: now) {
      case .act(let action): try perform(action)
      case .wait(let moment): return moment
      case .end: return nil
      }
    }
  }

  private mutating func perform(_ action: CampaignAction) throws(StorageFailure) {
    switch action {
    case .claim(let group, let limit):
      let claimed = try store.claim(
        of: campaign, group: group, limit: limit, at: now.unixMilliseconds)
      if claimed != nil { hasWritten = true }
      machine.claimed(claimed?.batch, read(claimed?.recipients ?? []), at: now)
    case .write(let write): try perform(write)
    case .push(let number, let addressees): push(addressees, of: number)
    case .readLog(let ids, let since):
      let resources = resources
      let answer = resources.service.log?.verdicts(on: ids, since: since) {
        resources.now.unixMilliseconds
      }
      machine.handle(answer ?? .forgotten, at: now)
    case .warn(let problem):
      guard resources.logsDelays else { return }
      resources.log.warning("a campaign is delayed", ["campaign": campaign.id, "why": problem])
    }
  }

  private mutating func perform(_ write: CampaignWrite) throws(StorageFailure) {
    switch write {
    case .update(let record): try store.update(record)
    case .narrow(let batch, let tallies, let dead):
      try store.narrow(batch, of: campaign.id, tallies: tallies, dead: dead)
    case .finish(let batch, let tallies, let dead):
      try store.finish(batch, of: campaign.id, tallies: tallies, dead: dead)
      hasWritten = true
    case .removeRecipients: try store.removeRecipients(of: campaign.id)
    }
  }

  // MARK: Recipients

  /// Unseals the tokens of recipients, and determines the ID and the text language of each recipient's notification.
  private mutating func read(_ recipients: [CampaignRecipient]) -> ClaimedRecipients {
    var claimed = ClaimedRecipients()
    for recipient in recipients {
      let language = language(of: recipient)
      let subscription = recipient.keys.flatMap { keys in
        resources.registry.subscription(sealed: recipient.sealed, keys: keys)
      }
      guard let token = resources.registry.sealer.open(recipient.sealed),
        (recipient.keys == nil) == (subscription == nil)
      else {
        claimed.unreadable.append((language, recipient.keys != nil))
        continue
      }
      claimed.readable.append(
        CampaignAddressee(
          recipient: recipient, token: token, subscription: subscription,
          id: identity.notification(to: token), language: language))
    }
    return claimed
  }

  /// Returns the language of a recipient's text; empty if the campaign has the same text for everyone.
  private mutating func language(of recipient: CampaignRecipient) -> String {
    if let known = languages[recipient.language] { return known }
    let language = document.textLanguage(for: recipient.language) ?? ""
    // Devices choose the languages, so only a limited number is cached.
    if languages.count < Limits.languagesMax { languages[recipient.language] = language }
    return language
  }

  // MARK: Sending

  private mutating func push(_ addressees: [CampaignAddressee], of number: Int64) {
    let isNew = awaited.insert(number).inserted
    assert(isNew, "all answers to the previous attempt have arrived")
    let answers = BatchAnswers(count: addressees.count) { [onAnswers] in onAnswers(number, $0) }
    let expiration = document.expiration(now: now.campaignSeconds)
    for (index, addressee) in addressees.enumerated() {
      if let subscription = addressee.subscription {
        send(message(in: addressee.language), to: subscription) { answers.add($0, at: index) }
        continue
      }
      let push = Push(
        to: Hexadecimal.encode(addressee.token), topic: campaign.topic,
        payload: payload(in: addressee.language), type: document.type,
        priority: document.priority, expiration: expiration, collapseID: document.collapseID,
        id: addressee.id.text)
      resources.service.submit(push) {
        answers.add(PushConsequence($0), at: index)
      }
    }
  }

  /// Sends a message to a Web Push subscription.
  private func send(
    _ message: WebPushNotification, to subscription: WebPushSubscription,
    _ completion: @escaping @Sendable (PushConsequence) -> Void
  ) {
    guard let sender = resources.service.webPush else {
      return completion(.failed(reason: "WebPushNotSupported"))
    }
    let service = subscription.service
    sender.submit(message, to: subscription) { completion(PushConsequence($0, from: service)) }
  }

  private mutating func message(in language: String) -> WebPushNotification {
    if let made = messages[language] { return made }
    let message = document.webPushNotification(in: language.isEmpty ? nil : language)
    messages[language] = message
    assert(
      messages.count <= Limits.languagesMax + 1,
      "the number of messages is within the limit of languages")
    return message
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
}
