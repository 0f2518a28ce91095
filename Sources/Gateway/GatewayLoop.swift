import BelfryWire
import Storage
import System
import Transport

/// One thread's part of the gateway: its connections, and everything about the devices that live on it.
///
/// A device lives on the loop with the number `device % loops`; what another loop accepts for it comes
/// by mail, in batches. Nothing here is shared, so nothing is locked.
final class GatewayLoop: TurnEndTarget, TimerTarget {
  let index: Int
  let loop: EventLoop
  let shared: GatewayShared
  let verifier: TokenVerifier
  let tokens: DeviceTokenCodec
  let responses = ResponseWriter()
  var directory: CredentialDirectory
  var registrations: RegistrationTable
  var core: DeliveryCore
  let deliveryLog: DeliveryLog
  var peers: LoopPeers = []
  var listeners: [StreamListener] = []
  var isDraining = false

  private var followers: [((DeliveryLog.Entry) -> Bool, DeliveryLogFollower)] = []
  private var outboxes: [[LoopMessage]] = []
  private var effects: [DeliveryEffect] = []
  private var isPerforming = false
  private var isTurnEndScheduled = false
  private var commitTimer: TimerID?
  private var commitTimerDue: Int64 = .max
  var commitTicket: UInt64 = 0
  private var loads: [UInt64: (device: UInt64, session: SessionID)] = [:]
  private var storeReplies: Mailbox<StoreReply>?
  var controlReplies: Mailbox<ControlReply>?
  /// Registrations on their way to disk, by ticket.
  var registering: [UInt64: NotificationKey] = [:]
  var channelWork = ChannelWork()
  /// Bytes that unfinished requests of all providers hold.
  var heldRequestBytes = 0
  /// Bytes that wait for all providers to read them, as of their last turns.
  var unsentProviderBytes = 0
  var providers: [UInt64: any ProviderPeer] = [:]
  var devices: [SessionID: DeviceConnection] = [:]
  var feedback: [UInt64: FeedbackConnection] = [:]
  var nextConnection: UInt64 = 1
  private var spareStreams: [ProviderStream] = []
  private var scratch: [UInt8] = []
  var random = SystemRandom.Generator()
  var hasReportedDrained = false
  private var tokenRates: TokenRates?
  let connectionRate: RateLimit?
  private var script: (version: Int, rules: FaultScript)?

  /// The scripted answers; `nil` while there are none, which costs one relaxed load to know.
  var faults: FaultScript? {
    let version = shared.faults.version
    guard version != 0 else { return nil }
    if let script, script.version == version { return script.rules }
    let rules = FaultScript(shared.faults.all)
    script = (version, rules)
    return rules
  }

  var environment: BelfryWire.Environment { shared.configuration.environment }
  var metrics: GatewayMetrics { shared.metrics }
  var log: Log { shared.log }
  var now: Moment {
    Moment(nanoseconds: loop.nowNanoseconds, unixMilliseconds: loop.unixMilliseconds)
  }
  let linkSettings = DeviceLinkServer.Settings()

  init(
    index: Int, loop: EventLoop, shared: GatewayShared, directory: CredentialDirectory,
    registrations: RegistrationTable, deliveryLog: DeliveryLog, highestSequence: UInt64
  ) throws(CryptoFailure) {
    self.index = index
    self.loop = loop
    self.shared = shared
    self.directory = directory
    self.registrations = registrations
    self.deliveryLog = deliveryLog
    tokenRates = shared.configuration.deviceRate.map { TokenRates(RateLimit(perSecond: $0)) }
    connectionRate = shared.configuration.connectionRate.map(RateLimit.init(perSecond:))
    verifier = TokenVerifier(
      directory: directory, acceptsES512: shared.configuration.acceptsES512)
    tokens = try DeviceTokenCodec(
      keys: shared.tokenKeys, environment: shared.configuration.environment)
    core = DeliveryCore(
      highestSequence: highestSequence, shard: index, shards: shared.configuration.loops)
    storeReplies = loop.mailbox(of: StoreReply.self) { [unowned self] replies in
      for reply in replies { take(reply) }
      finishEvent()
    }
    controlReplies = loop.mailbox(of: ControlReply.self) { [unowned self] replies in
      for reply in replies { take(reply) }
      finishEvent()
    }
    scratch.reserveCapacity(16_384)
    tick()
  }

  private func tick() {
    _ = loop.schedule(afterNanoseconds: Limits.tickNanoseconds) { [unowned self] in
      core.tick(now: now)
      tokenRates?.tick(at: loop.nowNanoseconds)
      finishEvent()
      keepMarks()
      tick()
    }
  }

  // MARK: Mail

  /// Does what other threads asked for.
  func take(_ messages: [LoopMessage]) {
    for message in messages { take(message) }
    finishEvent()
  }

  private func take(_ message: LoopMessage) {
    switch message {
    case .push(let notification):
      deliver(notification)
    case .answered(let route, let answer):
      providers[route.connection]?.answer(route.stream, answer)
    case .attach(let parcel, let device):
      let connection = makeDeviceConnection(device: device)
      connection.streamOpened(parcel.attach(to: loop, handler: connection))
    case .desk(let answer):
      take(answer)
    case .directory(let directory):
      self.directory = directory
      verifier.use(directory)
    case .channels(let news):
      take(news)
    case .continueFanOut:
      channelWork.isContinuing = false
      core.continueFanOut(now: now)
    case .confirm(let barrier):
      barrier.pass()
    case .revoked(let device, let atMilliseconds):
      registrations.revoke(device, atMilliseconds: atMilliseconds)
      core.revoke(device, now: now)
    case .readLog(let query, let collector):
      answer(query, to: collector)
    case .followLog(let query, let follower):
      followers.append((query.matcher(tokens), follower))
    case .open(let peers, let ports):
      self.peers = peers
      outboxes = Array(repeating: [], count: peers.count)
      open(ports)
    case .drain:
      drain()
    case .stop:
      stop()
    }
  }

  private func take(_ reply: StoreReply) {
    switch reply.outcome {
    case .committed(let dropped):
      for one in core.commitFinished(isDurable: true, dropping: dropped, now: now) {
        metrics.count(one.reason.state)
        note(
          DeliveryLog.Entry(
            atMilliseconds: loop.unixMilliseconds, state: one.reason.state, key: one.key,
            id: one.id, uniqueID: one.uniqueID))
      }
    case .loaded(let rows):
      guard let load = loads.removeValue(forKey: reply.ticket) else { return }
      core.loaded(load.device, session: load.session, rows: rows, now: now)
    case .failed(let failure):
      if let load = loads.removeValue(forKey: reply.ticket) {
        log.error(
          "cannot read what is stored", ["device": "\(load.device)", "why": "\(failure)"])
        core.loaded(load.device, session: load.session, rows: nil, now: now)
      } else {
        log.error("a commit failed, its pushes were refused", ["why": "\(failure)"])
        core.commitFinished(isDurable: false, now: now)
      }
    }
  }

  private func take(_ answer: ControlPlaneReply) {
    switch answer {
    case .enrolment(let session, let answer):
      devices[session]?.answerEnrolment(answer)
    case .adopted(let session, let request, let topic, let device):
      guard let connection = devices[session] else { return }
      take(.register, topic, of: device, request: request, on: connection)
    case .refused(let session, let request, let refusal):
      devices[session]?.answer(request, with: .refused(refusal))
    case .channels(let number, let stream, let outcome):
      if case .accepted(let broadcast) = outcome { note(received: broadcast) }
      (providers[number] as? ProviderConnection)?.answer(stream, outcome)
    case .foundChannel(let session, let request, let id, let app):
      guard let connection = devices[session] else { return }
      subscribe(connection, to: id, app: app, request: request)
    case .feedback(let number, let records):
      feedback.removeValue(forKey: number)?.answer(records.map(tuple))
    }
  }

  func ask(_ request: ControlPlaneRequest) {
    shared.desk.post(.request(loop: index, request))
  }

  private func post(_ message: LoopMessage, to loop: Int) {
    guard outboxes.indices.contains(loop) else { return }
    outboxes[loop].append(message)
    scheduleTurnEnd()
  }

  private func scheduleTurnEnd() {
    guard !isTurnEndScheduled else { return }
    isTurnEndScheduled = true
    loop.atTurnEnd(self)
  }

  func turnEnded() {
    isTurnEndScheduled = false
    for index in outboxes.indices where !outboxes[index].isEmpty {
      peers[index].post(contentsOf: outboxes[index])
      outboxes[index].removeAll(keepingCapacity: true)
    }
    commitIfDue()
  }

  // MARK: Pushes

  /// What a provider wants to send, every check but the home loop's passed.
  struct Submission {
    let contents: TokenContents
    let id: NotificationID
    let uniqueID: NotificationID
    let expiration: Int64
    let priority: UInt8
    let pushType: PushType
    let collapseID: [UInt8]
    let payload: [UInt8]
    let keep: UInt32
  }

  /// Whether the device lives on this loop.
  func isHome(of device: UInt64) -> Bool { home(of: device) == index }

  private func home(of device: UInt64) -> Int { Int(device % UInt64(max(1, peers.count))) }

  /// Sends a submission to its device's home loop; the answer comes to `provider` under `reply`.
  func submit(_ submission: Submission, reply: Int32, of provider: some ProviderPeer) {
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
    let home = home(of: contents.device)
    if home == index {
      deliver(notification)
      finishEvent()
    } else {
      post(.push(notification), to: home)
    }
  }

  /// The last check, which only the home loop can make, and the way into the core.
  private func deliver(_ notification: AcceptedNotification) {
    switch registrations.verdict(notification.key, generation: notification.generation) {
    case .active where isInRate(notification): core.accept(notification, now: now)
    case .disabled where isInRate(notification):
      core.discard(notification, as: .discardedDisabled)
    case .active, .disabled:
      answer(notification, .refused(.tooManyRequests, timestampMilliseconds: nil))
    case .unknown: answer(notification, .refused(.badDeviceToken, timestampMilliseconds: nil))
    case .unregistered(let since):
      note(
        DeliveryLog.Entry(
          .discardedUnregistered, of: notification, atMilliseconds: loop.unixMilliseconds))
      answer(notification, .refused(.unregistered, timestampMilliseconds: since))
    }
  }

  private func isInRate(_ notification: AcceptedNotification) -> Bool {
    tokenRates?.admits(notification.key, at: loop.nowNanoseconds) ?? true
  }

  private func answer(_ notification: AcceptedNotification, _ answer: ProviderAnswer) {
    guard let route = notification.reply else { return }
    if route.loop == index {
      providers[route.connection]?.answer(route.stream, answer)
    } else {
      post(.answered(route, answer), to: route.loop)
    }
  }

  // MARK: Effects

  /// Carries out what the core decided; to be called after each batch of events.
  func finishEvent() {
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
    if core.isFanningOut { continueFanOutSoon() }
    scheduleTurnEnd()
  }

  private func perform(_ effect: DeliveryEffect) {
    switch effect {
    case .send(let session, let entry):
      devices[session]?.deliver(entry)
    case .answer(let entry):
      answer(entry.notification, .accepted)
    case .fail(let entry):
      answer(entry.notification, .refused(.internalServerError, timestampMilliseconds: nil))
    case .load(let device, let session):
      guard let storeReplies else { return }
      commitTicket += 1
      loads[commitTicket] = (device, session)
      shared.writer.load(device: device, ticket: commitTicket, reply: storeReplies)
    case .close(let session, let end):
      devices[session]?.end(end.linkReason)
    case .mark(let device, let channel, let received):
      channelWork.mark(device, channel, received)
    case .record(let state, let entry):
      guard entry.broadcast == nil else {
        record(state, ofCopy: entry)
        return
      }
      metrics.count(state)
      note(DeliveryLog.Entry(state, of: entry.notification, atMilliseconds: loop.unixMilliseconds))
    }
  }

  func note(_ entry: DeliveryLog.Entry) {
    deliveryLog.append(entry)
    guard !followers.isEmpty else { return }
    followers.removeAll { matches, follower in
      matches(entry) && !follower.receive([line(entry)])
    }
  }

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
    guard !operations.isEmpty, let storeReplies else {
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

  func timerFired(tag: UInt64) {
    commitTimer = nil
    commitTimerDue = .max
    scheduleTurnEnd()
  }

  // MARK: Connections

  func makeID() -> NotificationID { NotificationID(high: random.next(), low: random.next()) }

  func makeStream() -> ProviderStream { spareStreams.popLast() ?? ProviderStream() }

  func recycle(_ stream: ProviderStream) {
    guard spareStreams.count < Limits.spareStreamsMax else { return }
    spareStreams.append(stream)
  }

  /// An empty buffer with capacity, to be given back with ``returnScratch(_:)``.
  func takeScratch() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &scratch)
    return taken
  }

  func returnScratch(_ buffer: inout [UInt8]) {
    guard buffer.capacity <= Limits.scratchBytesMax, buffer.capacity > scratch.capacity else {
      return
    }
    buffer.removeAll(keepingCapacity: true)
    swap(&buffer, &scratch)
  }

  /// A provider's connection by its interface, known from now on.
  func makeProvider<Peer: ProviderPeer>(_ make: (UInt64, GatewayLoop) -> Peer) -> Peer {
    let connection = make(nextConnection, self)
    nextConnection += 1
    providers[connection.number] = connection
    metrics.providerConnections.add()
    return connection
  }

  func makeDeviceConnection(device: UInt64?) -> DeviceConnection {
    let connection = DeviceConnection(
      session: SessionID(nextConnection), device: device, home: self)
    nextConnection += 1
    devices[connection.session] = connection
    metrics.deviceConnections.add()
    return connection
  }

  func forget(_ connection: some ProviderPeer) {
    guard providers.removeValue(forKey: connection.number) != nil else { return }
    metrics.providerConnections.add(-1)
    reportIfDrained()
  }

  func forget(_ connection: DeviceConnection) {
    guard devices.removeValue(forKey: connection.session) != nil else { return }
    metrics.deviceConnections.add(-1)
    if let device = connection.device {
      core.disconnect(device, session: connection.session, now: now)
      finishEvent()
    }
    reportIfDrained()
  }
}
