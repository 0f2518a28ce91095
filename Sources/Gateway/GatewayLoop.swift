import BelfryWire
import Storage
import System
import Transport

/// An event loop of the gateway, with its connections and the entire state of the devices that belong to it.
///
/// A device belongs to the loop with the number `device % loops`. Other loops post the notifications that they accept
/// for the device to that loop's mailbox, in batches. Nothing is shared between loops, so nothing is locked.
package final class GatewayLoop: TurnEndTarget, TimerTarget {
  let index: Int
  let loop: EventLoop
  let shared: GatewayShared
  let verifier: TokenVerifier
  var rotation: LoopRotation
  let responses = ResponseWriter()
  let deliveryLog: DeliveryLog
  private(set) var connectionRate: RateLimit?
  /// The error limits for newly accepted connections.
  private(set) var providerErrors: ProviderErrorPolicy.Bounds
  let linkSettings: DeviceLinkServer.Settings
  /// The credentials and apps, replaced as a whole when something changes.
  private(set) var directory: CredentialDirectory
  var registrations: RegistrationTable
  var devices: DeviceTable
  var core: DeliveryCore
  /// The registrations that are being written, by ticket.
  var registering: [UInt64: NotificationKey] = [:]
  var channelWork = ChannelWork()
  var connections = LoopConnections()
  var unproven = UnprovenConnections()
  var nextRefusalLine: Int64 = 0
  var providerMemory = ProviderMemory()
  var random: SystemRandom.Generator
  var expiryClock: ExpiryClock
  /// The number of the last request to the writers.
  var commitTicket: UInt64 = 0
  private(set) var outbox = LoopOutbox()
  private(set) var isDraining = false

  let controlReplies: Mailbox<ControlReply>
  private let storeReplies: Mailbox<StoreReply>
  var listeners: LoopListeners
  private var hasReportedDrained = false
  private var buffers = LoopBuffers()
  private var followers = DeliveryLogFollowers()
  var refusedPushes = RefusedPushes()
  var departedDevices = DepartedDevices()
  private var effects: [DeliveryEffect] = []
  private var isPerforming = false
  private var isTurnEndScheduled = false
  private var commitTimer: TimerID?
  private var commitTimerDue: Int64 = .max
  private var loads: [UInt64: (device: UInt64, session: SessionID)] = [:]
  private var tokenRates: TokenRates?
  private var script: (version: Int, rules: FaultScript)?

  /// The scripted answers, if any; checking for them costs one relaxed load.
  var faults: FaultScript? {
    let version = shared.faults.version
    guard version != 0 else { return nil }
    if let script, script.version == version { return script.rules }
    let rules = shared.faults.script
    script = (version, rules)
    return rules
  }

  var environment: BelfryWire.Environment { shared.configuration.environment }
  var metrics: GatewayMetrics { shared.metrics }
  var log: Log { shared.log }

  init(
    index: Int, loop: EventLoop, shared: GatewayShared, directory: CredentialDirectory,
    devices: DeviceTable, registrations: RegistrationTable, deliveryLog: DeliveryLog,
    highestSequence: UInt64
  ) throws(CryptoFailure) {
    precondition(
      index >= 0 && index < shared.configuration.loops, "the loop index is valid: \(index)")
    self.index = index
    self.loop = loop
    self.shared = shared
    listeners = LoopListeners(showing: shared.security)
    providerErrors = shared.configuration.providerErrors
    self.directory = directory
    self.devices = devices
    self.registrations = registrations
    self.deliveryLog = deliveryLog
    tokenRates = shared.configuration.deviceRate.map { TokenRates(RateLimit(perSecond: $0)) }
    connectionRate = shared.configuration.connectionRate.map(RateLimit.init(perSecond:))
    var linkSettings = DeviceLinkServer.Settings()
    linkSettings.environment = shared.configuration.environment
    self.linkSettings = linkSettings
    expiryClock = ExpiryClock(
      nanoseconds: loop.nowNanoseconds, unixMilliseconds: loop.unixMilliseconds)
    random = GatewayShared.generator(of: index, seed: shared.randomSeed)
    verifier = TokenVerifier(
      directory: directory, acceptsES512: shared.configuration.acceptsES512)
    rotation = try LoopRotation(
      tokenKeys: shared.tokenKeys, trustMark: shared.trustMark,
      environment: shared.configuration.environment)
    core = DeliveryCore(
      highestSequence: highestSequence, shard: index, shards: shared.configuration.loops)
    let receiver = ReplyReceiver()
    storeReplies = loop.mailbox(of: StoreReply.self) { receiver.home?.handle($0) }
    controlReplies = loop.mailbox(of: ControlReply.self) { receiver.home?.handle($0) }
    receiver.home = self
    scheduleTick()
  }

  private func scheduleTick() {
    _ = loop.schedule(afterNanoseconds: Limits.tickNanoseconds) { [unowned self] in
      compareClocks()
      core.tick(now: now)
      tokenRates?.tick(at: loop.nowNanoseconds)
      performEffects()
      persistMarks()
      scheduleTick()
    }
  }

  // MARK: Messages

  /// Handles messages from other threads.
  func handle(_ messages: [LoopMessage]) {
    for message in messages { handle(message) }
    performEffects()
  }

  private func handle(_ message: LoopMessage) {
    switch message {
    case .push(let notification):
      deliver(notification)
    case .answered(let route, let answer):
      assert(
        route.loop == index, "an answer for loop \(route.loop) arrives there, not at loop \(index)")
      connections.answered(route.connection)?.answer(route.stream, answer)
    case .attach(let detached, let device):
      assert(isHome(of: device.number), "device \(device.number) belongs to loop \(index)")
      let connection = makeDeviceConnection(device: device)
      connection.streamOpened(detached.attach(to: loop, handler: connection))
    case .enrolled(let device, let reply, let asking):
      assert(isHome(of: device.number), "device \(device.number) belongs to loop \(index)")
      devices.add(device)
      if asking == index {
        handle(reply)
      } else if !post(.controlPlane(reply), to: asking) {
        assertionFailure("an enrollment arrived from loop \(asking), which does not exist")
      }
    case .controlPlane(let reply):
      handle(reply)
    case .directory(let directory):
      assert(directory.version > self.directory.version, "a new directory has a higher version")
      self.directory = directory
      verifier.use(directory)
    case .channels(let update):
      handle(update)
    case .continueFanOut:
      assert(channelWork.isContinuing, "a broadcast is being sent")
      channelWork.isContinuing = false
      core.continueFanOut(now: now)
    case .confirm(let barrier):
      barrier.pass()
    case .readPresence(let collector):
      answer(to: collector)
    case .security(let security):
      listeners.use(security)
    case .rotation(let change): handle(change)
    case .configuration(let configuration):
      use(configuration)
    case .revoked(let device, let atMilliseconds):
      assert(isHome(of: device), "revoked device \(device) belongs to loop \(index)")
      registrations.revoke(device, atMilliseconds: atMilliseconds)
      core.revoke(device, now: now)
      // A connection that is still in its handshake doesn't have a session yet, so the core can't end it.
      for connection in connections.devices(of: device) { connection.end(.revoked) }
    case .readLog(let query, let collector):
      answer(query, to: collector)
    case .followLog(let query, let follower):
      followers.add(follower, of: query, tokens)
    case .open(let peers, let ports):
      outbox.open(peers)
      open(ports)
    case .drain:
      drain()
    case .stop:
      stop()
    }
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
      core.commitFinished(isDurable: true, dropping: dropped, now: now)
    case .loaded(let rows, let through):
      guard let load = loads.removeValue(forKey: reply.ticket) else {
        return assertionFailure("rows arrived for an unknown load")
      }
      core.loaded(load.device, session: load.session, rows: rows, through: through, now: now)
    case .failed(let failure):
      if let load = loads.removeValue(forKey: reply.ticket) {
        log.storeFailure("cannot read stored notifications", failure)
        core.loaded(load.device, session: load.session, rows: nil, now: now)
      } else {
        log.storeFailure("a commit failed: its pushes were refused", failure)
        core.commitFinished(isDurable: false, now: now)
      }
    }
  }

  // MARK: Other loops

  func post(_ message: ControlPlaneMessage) { shared.controlPlane.post(message) }

  /// Returns true if the device belongs to this loop.
  func isHome(of device: UInt64) -> Bool { home(of: device) == index }

  /// Returns the number of the loop that the device belongs to.
  func home(of device: UInt64) -> Int { Int(device % UInt64(shared.configuration.loops)) }

  private func post(_ message: LoopMessage, to loop: Int) -> Bool {
    guard outbox.add(message, to: loop) else { return false }
    scheduleTurnEnd()
    return true
  }

  private func scheduleTurnEnd() {
    guard !isTurnEndScheduled else { return }
    isTurnEndScheduled = true
    loop.atTurnEnd(self)
  }

  /// Ends a turn; called by the event loop.
  package func turnEnded() {
    assert(
      isTurnEndScheduled && !isPerforming, "a turn ends only when scheduled, and not during effects"
    )
    isTurnEndScheduled = false
    outbox.flush()
    deliveryLog.flush()
    commitIfDue()
  }

  // MARK: Pushes

  /// Sends a submission to its device's home loop; `provider` receives the answer under `reply`.
  func submit(_ submission: Submission, reply: Int32, of provider: some ProviderPeer) {
    provider.load.begin()
    let contents = submission.contents
    let notification = AcceptedNotification(
      key: NotificationKey(
        device: contents.device, app: contents.app, kind: contents.kind.rawValue),
      generation: contents.generation, id: submission.id, uniqueID: submission.uniqueID,
      expiration: submission.expiration, priority: submission.priority,
      pushType: submission.pushType, collapseID: submission.collapseID,
      payload: submission.payload, acceptedMilliseconds: loop.unixMilliseconds,
      keep: submission.keep,
      reply: ReplyRoute(loop: index, connection: provider.number, stream: reply))
    shared.payloads?.retain(submission.payload, id: submission.id, uniqueID: submission.uniqueID)
    let home = home(of: contents.device)
    if home == index {
      deliver(notification)
      performEffects()
    } else if !post(.push(notification), to: home) {
      // The other loops aren't known before the gateway opens.
      provider.load.end()
      provider.answer(reply, .refused(.serviceUnavailable, timestampMilliseconds: nil))
    }
  }

  /// Performs the last check, which only the home loop can do, and passes the notification to the core.
  private func deliver(_ notification: AcceptedNotification) {
    assert(isHome(of: notification.key.device), "the device of a push belongs to loop \(index)")
    if isDamaged(notification.key.device) {
      return answer(notification, .refused(.serviceUnavailable, timestampMilliseconds: nil))
    }
    switch registrations.verdict(notification.key, generation: notification.generation) {
    case .active where isInRate(notification):
      guard core.hasRoom(for: notification.key) else {
        metrics.count(.token)
        return answer(notification, .refused(.tooManyRequests, timestampMilliseconds: nil))
      }
      core.accept(notification, now: now)
    case .disabled where isInRate(notification):
      core.discard(notification, as: .discardedDisabled)
    case .active, .disabled:
      answer(notification, .refused(.tooManyRequests, timestampMilliseconds: nil))
    case .unknown:
      let mayBeDamaged = directory.damage.mayHave(.registration(notification.key))
      answer(
        notification,
        .refused(
          mayBeDamaged ? .serviceUnavailable : .badDeviceToken, timestampMilliseconds: nil))
    case .unregistered(let since):
      appendToLog(
        DeliveryLog.Entry(
          .discardedUnregistered, of: notification, atMilliseconds: loop.unixMilliseconds))
      answer(notification, .refused(.unregistered, timestampMilliseconds: since))
    }
  }

  /// Returns true if a device isn't known but may exist in a damaged row.
  func isDamaged(_ device: UInt64) -> Bool {
    directory.damage.mayHave(.device(device)) && !devices.knows(device)
  }

  private func isInRate(_ notification: AcceptedNotification) -> Bool {
    tokenRates?.admits(notification.key, at: loop.nowNanoseconds) ?? true
  }

  private func answer(_ notification: AcceptedNotification, _ answer: ProviderAnswer) {
    guard let route = notification.reply else { return }
    if route.loop == index {
      connections.answered(route.connection)?.answer(route.stream, answer)
    } else if !post(.answered(route, answer), to: route.loop) {
      assertionFailure("a push arrived from loop \(route.loop), which does not exist")
    }
  }

  // MARK: Effects

  /// Performs the core's effects; called after each batch of events.
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
    scheduleTurnEnd()
  }

  private func perform(_ effect: DeliveryEffect) {
    switch effect {
    case .send(let session, let entry):
      connections.device(session)?.deliver(entry)
    case .answer(let entry):
      answer(entry.notification, .accepted)
    case .fail(let entry):
      answer(entry.notification, .refused(.internalServerError, timestampMilliseconds: nil))
    case .load(let device, let session):
      commitTicket += 1
      loads[commitTicket] = (device, session)
      let range = core.loadRange(of: device)
      shared.writer.load(
        device: device, after: range.after, limit: Limits.backlogPageRows, besides: range.besides,
        ticket: commitTicket, reply: storeReplies)
    case .close(let session, let end):
      connections.device(session)?.end(end.linkReason)
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

  func tellFollowers(_ entry: RefusedPushes.Entry) {
    followers.tell(entry) { line($0) }
  }

  func appendToLog(_ entry: DeliveryLog.Entry) {
    deliveryLog.append(entry)
    followers.tell(entry) { line($0) }
  }

  // MARK: Commits

  private func commitIfDue() {
    guard let due = core.nextCommitNanoseconds() else {
      reportIfDrained()
      return
    }
    guard due <= loop.nowNanoseconds else {
      armCommitTimer(due)
      return
    }
    let operations = core.takeCommit(now: now)
    guard !operations.isEmpty else {
      if let next = core.nextCommitNanoseconds() { armCommitTimer(next) }
      return
    }
    commitTicket += 1
    shared.writer.submit(batch: operations, ticket: commitTicket, reply: storeReplies)
  }

  private func armCommitTimer(_ due: Int64) {
    guard due < commitTimerDue else { return }
    if let commitTimer { loop.cancel(commitTimer) }
    commitTimerDue = due
    commitTimer = loop.schedule(
      afterNanoseconds: max(0, due - loop.nowNanoseconds), self, tag: 0)
  }

  /// Starts the commit that is due; called by the event loop.
  package func timerFired(tag: UInt64) {
    assert(commitTimer != nil, "the commit timer is set")
    commitTimer = nil
    commitTimerDue = .max
    scheduleTurnEnd()
  }

  // MARK: Buffers

  func makeID() -> NotificationID { NotificationID(high: random.next(), low: random.next()) }

  func makeStream() -> ProviderStream { buffers.makeStream() }

  func recycle(_ stream: ProviderStream) { buffers.recycle(stream) }

  func takeScratch() -> [UInt8] { buffers.takeScratch() }

  func returnScratch(_ buffer: inout [UInt8]) { buffers.returnScratch(&buffer) }

  // MARK: Start and shutdown

  /// Applies a changed configuration; the counts of changed limits start over.
  private func use(_ configuration: GatewayConfiguration) {
    tokenRates = configuration.deviceRate.map { TokenRates(RateLimit(perSecond: $0)) }
    connectionRate = configuration.connectionRate.map(RateLimit.init(perSecond:))
    providerErrors = configuration.providerErrors
  }

  /// Stops accepting connections and requests; everything accepted is stored or delivered.
  private func drain() {
    guard !isDraining else { return }
    isDraining = true
    listeners.close()
    drainConnections()
    core.flush(now: now)
    performEffects()
    reportIfDrained()
  }

  func reportIfDrained() {
    guard isDraining, !hasReportedDrained, !connections.hasProviders, core.isSettled else { return }
    hasReportedDrained = true
    post(.drained(loop: index))
  }

  private func stop() {
    listeners.close()
    persistMarks()
    closeConnections()
    deliveryLog.flush()
    loop.stop()
  }

  /// Releases the connections that are still open when the loop stops, because they retain this object.
  package func releaseConnections() { connections = LoopConnections() }

  /// Asserts the invariants that hold between turns; skips notification lists with more than `entriesMax` entries.
  package func checkInvariants(entriesMax: Int = .max) {
    connections.checkInvariants()
    core.checkInvariants(entriesMax: entriesMax)
    registrations.checkInvariants()
    assert(!isPerforming, "no effects are being performed")
    assert(effects.isEmpty, "no effects remain")
    assert(!hasReportedDrained || isDraining, "only a draining loop reports that it is drained")
    assert(!isDraining || listeners.isEmpty, "a draining loop has no listeners")
    assert(commitTimer == nil || commitTimerDue < .max, "a set commit timer has a due time")
    assert(
      outbox.isEmpty || isTurnEndScheduled, "the end of the turn is scheduled while messages wait")
    assert(loads.keys.allSatisfy { $0 <= commitTicket }, "every load has an assigned ticket")
    assert(outbox.loopCount == 0 || outbox.loopCount == shared.configuration.loops)
  }

  /// The number of connections of each kind.
  package var connectionCounts: (providers: Int, devices: Int, feedbackClients: Int) {
    connections.counts
  }
}

/// A receiver that forwards the writers' answers to their loop.
///
/// It is a separate object because the loop's initializer needs the mailboxes before the loop is initialized.
private final class ReplyReceiver {
  weak var home: GatewayLoop?
}
