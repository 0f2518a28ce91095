import BelfryWire
import PushWire
import Storage
import System
import Transport
import WebPush

/// The device side of a loop: the entire state of the devices that belong to the loop, such as their registrations,
/// waiting notifications, channels, and links.
///
/// The home is confined to its loop. The fronts of all loops submit pushes for the home's devices and receive the
/// outcomes. Fronts and homes exchange values through the ``LoopContext``.
final class DeviceHome: TimerTarget {
  let context: LoopContext
  private(set) var linkSettings: DeviceLinkServer.Settings
  var registrations: RegistrationTable
  var devices: DeviceTable
  var core: DeliveryCore
  var connections = SessionTable<DeviceConnection>()
  /// The connections of browsers.
  var autopush = SessionTable<AutopushConnection>()
  /// The number of the latest session; no two connections of a home have the same session.
  private var latestSession: UInt64 = 0
  /// The registrations that are being written, by ticket.
  var registering: [UInt64: NotificationKey] = [:]
  var channelWork = ChannelWork()
  var departedDevices = DepartedDevices()
  /// The claims on devices; nil if the gateway is not a node of a cluster.
  var cluster: HomeCluster?
  var listeners: LoopListeners
  let deliveryLog: DeliveryLog
  /// The questions about Web Push messages that wait for the store.
  var messageQuestions = MessageQuestions()
  private var followers = DeliveryLogFollowers()
  private var tokenRates: TokenRates?
  /// The health of a store on a database server; nil for a store in the data folder.
  private let remoteHealth: StoreHealth?
  private var scratch = ScratchBuffer()
  private var effects: [DeliveryEffect] = []
  private var isPerforming = false
  private let controlReplies: Mailbox<ControlReply>
  let storeReplies: Mailbox<StoreReply>
  /// The number of the last request to the writers.
  private var commitTicket: UInt64 = 0
  private var loads: [UInt64: (device: UInt64, session: SessionID)] = [:]
  private var commitTimer: TimerID?
  private var commitTimerDue: Int64 = .max

  var loop: EventLoop { context.loop }
  var metrics: GatewayMetrics { context.metrics }
  var log: Log { context.log }
  var directory: CredentialDirectory { context.directory }
  var environment: BelfryWire.Environment { context.environment }
  var tokens: DeviceTokenCodec { context.tokens }
  var rotation: LoopRotation { context.rotation }
  var now: Moment { context.now }

  init(
    _ context: LoopContext, devices: DeviceTable, registrations: RegistrationTable,
    deliveryLog: DeliveryLog, highestSequence: UInt64
  ) {
    self.context = context
    self.devices = devices
    self.registrations = registrations
    self.deliveryLog = deliveryLog
    remoteHealth = context.shared.writer.health.flatMap { $0.isRemote ? $0 : nil }
    let configuration = context.shared.configuration
    tokenRates = configuration.deviceRate.map { TokenRates(RateLimit(perSecond: $0)) }
    var linkSettings = DeviceLinkServer.Settings()
    linkSettings.environment = configuration.environment
    self.linkSettings = linkSettings
    listeners = LoopListeners(showing: context.shared.security)
    if let cluster = context.shared.cluster {
      core = DeliveryCore(
        highestSequence: highestSequence,
        shard: Int(cluster.node) * Limits.clusterLoopsMax + context.route.loop,
        shards: Limits.clusterShards)
    } else {
      core = DeliveryCore(
        highestSequence: highestSequence, shard: context.route.loop, shards: context.homes.count)
    }
    let receiver = ReplyReceiver()
    storeReplies = context.loop.mailbox(of: StoreReply.self) { receiver.home?.handle($0) }
    controlReplies = context.loop.mailbox(of: ControlReply.self) { receiver.home?.handle($0) }
    if let cluster = context.shared.cluster {
      self.cluster = HomeCluster(
        cluster, on: context.loop,
        replies: context.loop.mailbox(of: ClaimReply.self) { receiver.home?.handle($0) })
    }
    receiver.home = self
    cluster?.outbox.onFailed = { [weak self] in self?.forwardsFailed($0) }
  }

  // MARK: Pushes

  /// Handles a push, or leaves it to the node that owns the device.
  func receive(_ submission: Submission) {
    assert(context.isHome(of: submission.key.device), "the device of a push belongs to this home")
    if cluster == nil || isOwner(of: submission) { check(submission) }
  }

  /// Performs the final checks of a push, which only the home can perform, and passes the push to the core.
  ///
  /// `isConfirmed` is true if the store has just been read, so that a refusal is final.
  func check(_ submission: Submission, isConfirmed: Bool = false) {
    if isDamaged(submission.key.device) {
      return answer(submission, .refused(.serviceUnavailable, timestampMilliseconds: nil))
    }
    if submission.isWithdrawal { return withdraw(submission) }
    let verdict = registrations.verdict(submission.key, generation: submission.generation)
    if !isConfirmed, verdict != .active || needsConfirmation(submission), mustConfirm(submission) {
      return
    }
    switch verdict {
    case .active where isInRate(submission):
      if isWithoutDatabase, !submission.isOnce(at: now) {
        // The device would otherwise get a notification that the provider sends again.
        return answer(submission, .refused(.serviceUnavailable, timestampMilliseconds: nil))
      }
      if cluster != nil, mustBeRefused(submission) {
        return answer(submission, .refused(.serviceUnavailable, timestampMilliseconds: nil))
      }
      guard core.hasRoom(for: submission.key) else {
        metrics.count(.token)
        return answer(submission, .refused(.tooManyRequests, timestampMilliseconds: nil))
      }
      core.accept(submission, now: now)
    case .disabled where isInRate(submission):
      core.discard(submission, as: .discardedDisabled)
    case .active, .disabled:
      answer(submission, .refused(.tooManyRequests, timestampMilliseconds: nil))
    case .unknown:
      let mayBeDamaged = directory.damage.mayHave(.registration(submission.key))
      answer(
        submission,
        .refused(
          mayBeDamaged ? .serviceUnavailable : .badDeviceToken, timestampMilliseconds: nil))
    case .unregistered(let since):
      appendToLog(
        DeliveryLog.Entry(
          .discardedUnregistered, of: submission, atMilliseconds: loop.unixMilliseconds))
      answer(submission, .refused(.unregistered, timestampMilliseconds: since))
    }
  }

  /// True if the store is on a database server that cannot be reached.
  var isWithoutDatabase: Bool {
    guard let remoteHealth else { return false }
    return remoteHealth.failure?.isOfServer == true
  }

  /// Returns true if a device isn't known but might exist in a damaged row.
  func isDamaged(_ device: UInt64) -> Bool {
    directory.damage.mayHave(.device(device)) && !devices.knows(device)
  }

  private func isInRate(_ submission: Submission) -> Bool {
    tokenRates?.admits(submission.key, at: loop.nowNanoseconds) ?? true
  }

  func answer(_ submission: Submission, _ answer: ProviderAnswer) {
    guard let reply = submission.reply else { return }
    if reply.node != 0 {
      // A lost answer makes the other node claim the device and store the push, which the device recognizes.
      cluster?.outbox.add(.outcome(reply, ForwardedOutcome(answer)), to: reply.node)
      return
    }
    guard context.send(.outcome(reply, answer), to: reply.front) else {
      return assertionFailure("a push arrived from \(reply.front), which does not exist")
    }
  }

  // MARK: Effects

  /// Performs the core's effects; the home calls this method after each batch of events.
  func performEffects() {
    guard !isPerforming else { return }
    isPerforming = true
    core.takeEffects(into: &effects)
    while !effects.isEmpty {
      var batch: [DeliveryEffect] = []
      swap(&batch, &effects)
      for effect in batch { perform(effect) }
      batch.removeAll(keepingCapacity: true)
      core.takeEffects(into: &batch)
      swap(&batch, &effects)
    }
    isPerforming = false
    if core.isFanningOut { scheduleFanOut() }
    context.scheduleTurnEnd()
  }

  private func perform(_ effect: DeliveryEffect) {
    switch effect {
    case .send(let session, let entry):
      if let connection = connections[session] {
        connection.deliver(entry)
      } else {
        autopush[session]?.deliver(entry)
      }
    case .answer(let entry):
      answer(entry.notification, .accepted)
    case .fail(let entry):
      let rejection = context.shared.writer.health?.failure?.rejection ?? .internalServerError
      answer(entry.notification, .refused(rejection, timestampMilliseconds: nil))
    case .submitAgain(let entry):
      submitAgain(entry.notification)
    case .load(let device, let session):
      let ticket = makeTicket()
      loads[ticket] = (device, session)
      let range = core.loadRange(of: device)
      context.shared.writer.load(
        device: device, after: range.after, limit: Limits.backlogPageRows, besides: range.besides,
        ticket: ticket, reply: storeReplies)
    case .close(let session, let end):
      connections[session]?.end(end.linkReason)
      autopush[session]?.end(end)
    case .mark(let device, let channel, let received):
      channelWork.mark(device, channel, received)
    case .record(let state, let entry):
      guard entry.broadcast == nil else {
        record(state, ofCopy: entry)
        return
      }
      metrics.count(state)
      let now = loop.unixMilliseconds
      if state == .delivered {
        metrics.countDelivery(milliseconds: now - entry.acceptedMilliseconds)
      }
      appendToLog(DeliveryLog.Entry(state, of: entry.notification, atMilliseconds: now))
    case .recordDropped(let dropped):
      for one in dropped { record(one) }
    }
  }

  private func record(_ dropped: DroppedNotification) {
    metrics.count(dropped.reason.state)
    appendToLog(
      DeliveryLog.Entry(
        atMilliseconds: loop.unixMilliseconds, state: dropped.reason.state, key: dropped.key,
        id: dropped.id, uniqueID: dropped.uniqueID))
  }

  // MARK: Delivery log

  func appendToLog(_ entry: DeliveryLog.Entry) {
    deliveryLog.append(entry)
    followers.tell(entry) { line($0) }
  }

  /// Returns the entries that match a query.
  func lines(of query: DeliveryLogQuery) -> [DeliveryLogLine] {
    deliveryLog.lines(where: query.matcher(tokens)).map(line)
  }

  /// Sends each new entry that matches a query to the follower.
  func follow(_ query: DeliveryLogQuery, _ follower: DeliveryLogFollower) {
    followers.add(follower, of: query, tokens)
  }

  /// Converts an entry to a line of `belfry log`.
  private func line(_ entry: DeliveryLog.Entry) -> DeliveryLogLine {
    let app = directory.app(number: entry.key.app)
    return DeliveryLogLine(
      entry, bundleID: app.map { String(decoding: $0.bundleID, as: UTF8.self) })
  }

  // MARK: Stores

  func makeTicket() -> UInt64 {
    commitTicket += 1
    return commitTicket
  }

  /// Writes changes to the control store; returns the ticket that the reply will contain.
  func persist(_ changes: [ControlChange]) -> UInt64 {
    assert(!changes.isEmpty, "there is at least one change to store")
    let ticket = makeTicket()
    context.shared.controlWriter.submit(changes: changes, ticket: ticket, reply: controlReplies)
    return ticket
  }

  fileprivate func handle(_ replies: [StoreReply]) {
    for reply in replies { handle(reply) }
    performEffects()
  }

  fileprivate func handle(_ replies: [ControlReply]) {
    for reply in replies { handle(reply) }
    performEffects()
  }

  private func handle(_ reply: StoreReply) {
    assert(reply.ticket <= commitTicket, "the ticket of an answer was assigned: \(reply.ticket)")
    switch reply.outcome {
    case .committed(let dropped):
      assert(loads[reply.ticket] == nil, "a load is not answered as a commit")
      finishCommit(dropped)
    case .loaded(let rows, let through):
      guard let load = loads.removeValue(forKey: reply.ticket) else {
        return assertionFailure("rows arrived for an unknown load")
      }
      core.loaded(load.device, session: load.session, rows: rows, through: through, now: now)
    case .found(let stored): answerQuestion(reply.ticket, stored: stored)
    case .failed(let failure):
      if let question = messageQuestions.remove(reply.ticket) {
        answer(question, .storeFailed)
      } else if let load = loads.removeValue(forKey: reply.ticket) {
        log.storeFailure("cannot read stored notifications", failure)
        core.loaded(load.device, session: load.session, rows: nil, now: now)
      } else {
        log.storeFailure("a commit failed: its pushes were refused", failure)
        core.commitFinished(isDurable: false, now: now)
      }
    }
  }

  /// Finishes a commit that is on disk, except for the rows of devices that other nodes have claimed.
  private func finishCommit(_ dropped: [DroppedNotification]) {
    let refused = cluster == nil ? [] : dropped.filter { $0.reason == .claimLost }
    guard !refused.isEmpty else {
      return core.commitFinished(isDurable: true, dropping: dropped, now: now)
    }
    core.commitFinished(
      isDurable: true, dropping: dropped.filter { $0.reason != .claimLost },
      refusing: refused, now: now)
    for device in Set(refused.map(\.key.device)).sorted() { loseClaim(on: device) }
  }

  /// Ends a turn: writes the log, and starts the commit that is due.
  func turnEnded() {
    assert(!isPerforming, "a turn does not end during effects")
    deliveryLog.flush()
    commitIfDue()
  }

  private func commitIfDue() {
    guard let due = core.nextCommitNanoseconds() else { return }
    guard due <= loop.nowNanoseconds else {
      armCommitTimer(due)
      return
    }
    let operations = core.takeCommit(now: now)
    guard !operations.isEmpty else {
      if let next = core.nextCommitNanoseconds() { armCommitTimer(next) }
      return
    }
    context.shared.writer.submit(batch: operations, ticket: makeTicket(), reply: storeReplies)
  }

  private func armCommitTimer(_ due: Int64) {
    guard due < commitTimerDue else { return }
    if let commitTimer { loop.cancel(commitTimer) }
    commitTimerDue = due
    commitTimer = loop.schedule(
      afterNanoseconds: max(0, due - loop.nowNanoseconds), self, tag: 0)
  }

  /// Starts the commit that is due; the event loop calls this method.
  func timerFired(tag: UInt64) {
    assert(commitTimer != nil, "the commit timer is set")
    commitTimer = nil
    commitTimerDue = .max
    context.scheduleTurnEnd()
  }

  // MARK: Buffers

  func takeScratch() -> [UInt8] { scratch.take() }

  func returnScratch(_ buffer: inout [UInt8]) { scratch.giveBack(&buffer) }

  // MARK: Changes and shutdown

  /// Performs the work that is due about once per second.
  func tick() {
    core.tick(now: now)
    tokenRates?.tick(at: loop.nowNanoseconds)
    if cluster != nil { forgetIdleDevices() }
    performEffects()
    persistMarks()
  }

  /// Applies a changed configuration; a rate limit that has changed starts over.
  func use(_ configuration: GatewayConfiguration) {
    tokenRates = configuration.deviceRate.map { TokenRates(RateLimit(perSecond: $0)) }
  }

  func use(_ security: ListenerSecurity) { listeners.use(security) }

  /// Sets the origin of Web Push endpoints, which is known once the listeners are open.
  func setWebPushOrigin(_ origin: String) { linkSettings.webPushOrigin = origin }

  /// Stops accepting connections, and asks devices to reconnect later; everything that was accepted is stored or
  /// delivered.
  func drain() {
    listeners.close()
    let hint = LinkFrame.ReconnectHint(
      afterMilliseconds: Limits.reconnectMilliseconds,
      jitterMilliseconds: Limits.reconnectJitterMilliseconds)
    for connection in connections.all {
      connection.drain(hint: hint, milliseconds: Limits.drainMilliseconds)
    }
    for connection in autopush.all { connection.end(.goingAway, "the gateway is shutting down") }
    core.flush(now: now)
    performEffects()
  }

  /// Closes everything.
  func stop() {
    listeners.close()
    persistMarks()
    for connection in connections.all { connection.end(.draining) }
    for connection in autopush.all { connection.end(.goingAway, "the gateway is shutting down") }
    deliveryLog.flush()
  }

  /// Returns a session that no connection of this home has had.
  func makeSession() -> SessionID {
    latestSession += 1
    return SessionID(latestSession)
  }

  /// True if everything that was accepted is stored or delivered.
  var isDrained: Bool { core.isSettled }

  /// Asserts the invariants that hold between turns; skips notification lists with more than `entriesMax` entries.
  func checkInvariants(isDraining: Bool, entriesMax: Int) {
    connections.checkInvariants(latest: latestSession)
    autopush.checkInvariants(latest: latestSession)
    core.checkInvariants(entriesMax: entriesMax)
    registrations.checkInvariants()
    cluster?.checkInvariants()
    assert(!isPerforming, "no effects are being performed")
    assert(effects.isEmpty, "no effects remain")
    assert(!isDraining || listeners.isEmpty, "a draining home has no listeners")
    assert(commitTimer == nil || commitTimerDue < .max, "a set commit timer has a due time")
    assert(loads.keys.allSatisfy { $0 <= commitTicket }, "every load has an assigned ticket")
  }
}

/// A receiver that forwards the writers' answers to their home.
///
/// It is a separate object because the home's initializer needs the mailboxes before the home is initialized.
private final class ReplyReceiver {
  weak var home: DeviceHome?
}
