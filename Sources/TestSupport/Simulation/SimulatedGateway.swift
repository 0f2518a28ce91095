import BelfryWire
import Gateway
import Storage

/// A gateway with its store: the real delivery core and the real gateway's end of the link, over a store that
/// keeps what was committed when the gateway crashes, and nothing else.
final class SimulatedGateway {
  struct Registration {
    var generation: UInt16 = 0
    var isActive = false
    var isDisabled = false
  }

  private enum Job {
    case commit([StoreOperation])
    case load(device: UInt64, SessionID)
  }

  private unowned let world: DeliverySimulation
  let store = MemoryNotificationStore()
  /// On disk.
  private(set) var registrations: [NotificationKey: Registration] = [:]
  /// Where topics are found.
  private let topics: [LinkTopic]
  private var core = DeliveryCore(highestSequence: 0)
  /// On disk: who subscribed, what each is known to have, and each channel's newest message.
  private var disk = ChannelDisk()
  private(set) var isUp = true
  private var life = 0
  private var sessions: [SessionID: SimulatedSession] = [:]
  private var nextSession: UInt64 = 1
  private var jobs: [Job] = []
  private var isWriting = false
  private var effects: [DeliveryEffect] = []
  private var isPerforming = false
  private var connections = 0

  init(in world: DeliverySimulation, topics: [LinkTopic]) {
    self.world = world
    self.topics = topics
  }

  var moment: Moment {
    Moment(nanoseconds: world.time.now, unixMilliseconds: world.time.unixMilliseconds)
  }

  func key(_ topic: LinkTopic, of device: UInt64) -> NotificationKey? {
    guard let app = topics.firstIndex(of: topic) else { return nil }
    return NotificationKey(device: device, app: UInt32(app + 1), kind: topic.kind.rawValue)
  }

  func start() {
    let current = life
    world.time.after(1_000_000_000) { [self] in
      guard life == current, isUp else { return }
      core.tick(now: moment)
      finishEvent()
      start()
    }
  }

  // MARK: Life and death

  /// The process is killed: its memory is gone, and of the commit that runs either all or nothing.
  func crash(backAfter pause: Int64) {
    guard isUp else { return }
    world.note("gateway crashes")
    if isWriting, case .commit(let operations) = jobs.first, world.chance(0.5) {
      world.note("the running commit was durable")
      _ = commit(operations)
    }
    isUp = false
    life += 1
    jobs = []
    isWriting = false
    effects = []
    for session in sessions.values.sorted(by: { $0.id.number < $1.id.number }) {
      session.connection?.abandon(from: .gateway)
    }
    sessions = [:]
    world.ledger.gatewayCrashed()
    world.time.after(pause) { [self] in
      world.note("gateway is back")
      isUp = true
      core = DeliveryCore(highestSequence: (try? store.highestSequence()) ?? 0)
      restoreChannels()
      start()
    }
  }

  /// Tells every device to leave for a moment.
  func drain() {
    guard isUp else { return }
    world.note("gateway drains")
    let hint = LinkFrame.ReconnectHint(afterMilliseconds: 500, jitterMilliseconds: 1_000)
    for session in sessions.values.sorted(by: { $0.id.number < $1.id.number }) {
      session.drain(hint)
    }
  }

  func accept(_ device: SimulatedDevice) -> SimulatedConnection? {
    guard isUp else { return nil }
    let session = SimulatedSession(
      SessionID(nextSession), device: device.number, of: self, in: world)
    nextSession += 1
    connections += 1
    let connection = SimulatedConnection(
      number: connections, in: world, device: device, gateway: session)
    session.connection = connection
    sessions[session.id] = session
    session.settle()
    return connection
  }

  func forget(_ session: SimulatedSession) {
    guard sessions.removeValue(forKey: session.id) != nil else { return }
    core.disconnect(session.device, session: session.id, now: moment)
    finishEvent()
  }

  // MARK: Pushes

  /// What a provider hears at once.
  enum Reception: Equatable {
    case down
    case unregistered
    case accepted
  }

  func push(_ notification: AcceptedNotification) -> Reception {
    guard isUp else { return .down }
    guard let registration = registrations[notification.key], registration.isActive,
      registration.generation == notification.generation
    else { return .unregistered }
    if registration.isDisabled {
      core.discard(notification, as: .discardedDisabled)
    } else {
      core.accept(notification, now: moment)
    }
    finishEvent()
    return .accepted
  }

  // MARK: Devices

  func isReady(_ session: SimulatedSession, state: DeviceState) {
    core.connect(
      session.device, session: session.id, topics: session.topics, window: session.freeWindow,
      power: state.simulatedPower, now: moment)
    finishEvent()
  }

  func setState(_ state: DeviceState, of session: SimulatedSession) {
    core.setPower(state.simulatedPower, of: session.device, session: session.id, now: moment)
    finishEvent()
  }

  func stirred(_ session: SimulatedSession) {
    core.onDeviceActivity(session.device, session: session.id, now: moment)
    finishEvent()
  }

  func acknowledge(_ sequence: UInt64, on session: SimulatedSession) {
    core.acknowledge(session.device, session: session.id, sequence: sequence, now: moment)
    finishEvent()
  }

  /// Decides on a topic's registration; what it decides is on disk when this returns.
  func decide(
    _ verb: LinkFrame.TopicVerb, _ topic: LinkTopic, for session: SimulatedSession
  ) -> DeviceLinkServer.Answer {
    guard let key = key(topic, of: session.device) else { return .refused(.unknownApp) }
    var registration = registrations[key] ?? Registration()
    switch verb {
    case .register:
      if !registration.isActive {
        registration.isActive = true
        registration.isDisabled = false
        registration.generation &+= 1
      }
      registrations[key] = registration
      return .token(handle: key.app, token: [UInt8](repeating: UInt8(key.app), count: 32))
    case .unregister:
      guard registration.isActive else { return .refused(.notRegistered) }
      registration.isActive = false
      registrations[key] = registration
      world.note("device \(key.device) app \(key.app) is unregistered")
      world.ledger.unregistered(key)
      core.unregister(key, now: moment)
      finishEvent()
      return .done
    case .disable, .enable:
      guard registration.isActive else { return .refused(.notRegistered) }
      registration.isDisabled = verb == .disable
      registrations[key] = registration
      return .done
    }
  }

  func add(_ key: NotificationKey, on session: SimulatedSession) {
    core.addTopic(key, session: session.id, now: moment)
    finishEvent()
  }

  // MARK: Channels

  private func id(_ channel: LinkChannel) -> ChannelID? { ChannelID(channel.identifier) }

  /// A fresh core is told what is on disk.
  func restoreChannels() {
    for channel in world.channels {
      guard let id = id(channel) else { continue }
      core.addChannel(id, app: 1)
      if let newest = disk.newest[id] { core.restoreNewest(newest) }
      for device in disk.subscribers[id, default: []].sorted() {
        core.restoreSubscription(of: device, to: id, received: disk.received[id]?[device])
      }
    }
  }

  func subscribe(_ channel: LinkChannel, for session: SimulatedSession) -> UInt32? {
    guard let id = id(channel) else { return nil }
    world.note("device \(session.device) is subscribed to channel \(id.low)")
    disk.subscribers[id, default: []].insert(session.device)
    return core.subscribe(session.device, to: id)
  }

  func unsubscribe(_ channel: LinkChannel, for session: SimulatedSession) -> Bool {
    guard let id = id(channel) else { return false }
    world.note("device \(session.device) has left channel \(id.low)")
    disk.subscribers[id]?.remove(session.device)
    disk.received[id]?[session.device] = nil
    defer { finishEvent() }
    return core.unsubscribe(session.device, from: id)
  }

  func listen(to channel: LinkChannel, on session: SimulatedSession) {
    guard let id = id(channel) else { return }
    core.listen(to: id, session.device, session: session.id, now: moment)
    finishEvent()
  }

  /// A provider's broadcast; a kept one is on disk before its devices hear of it.
  func broadcast(_ message: Broadcast) {
    guard isUp else { return }
    let number = message.uniqueID.low
    guard message.isKept else { return send(message) }
    let current = life
    commitAt = max(commitAt, world.time.now + world.random(0...world.profile.commitMost))
    world.time.at(commitAt) { [self] in
      guard life == current else { return }
      disk.newest[message.channel] = message
      disk.received[message.channel] = nil
      world.broadcasts.kept(number)
      send(message)
    }
  }

  private func send(_ message: Broadcast) {
    world.note("gateway sends broadcast \(message.uniqueID.low)")
    core.broadcast(message, now: moment)
    world.broadcasts.answered(message.uniqueID.low)
    finishEvent()
  }

  private var commitAt: Int64 = 0

  // MARK: Effects

  private func finishEvent() {
    guard !isPerforming, isUp else { return }
    isPerforming = true
    core.takeEffects(into: &effects)
    while !effects.isEmpty {
      let batch = effects
      effects = []
      for effect in batch { perform(effect) }
      core.takeEffects(into: &effects)
    }
    isPerforming = false
    core.checkInvariants()
    commitIfDue()
  }

  private func perform(_ effect: DeliveryEffect) {
    switch effect {
    case .send(let session, let notification):
      world.note("gateway sends #\(notification.uniqueID.low) on session \(session.number)")
      sessions[session]?.deliver(notification)
    case .answer(let notification): world.ledger.answered(notification.uniqueID)
    case .fail(let notification): world.ledger.failed(notification.uniqueID)
    case .load(let device, let session): enqueue(.load(device: device, session))
    case .close(let session, let end):
      sessions[session]?.end(end == .storeFailed ? .internalFailure : .replaced)
    case .mark(let device, let channel, let received):
      let current = life
      // Noted with others after a while; a crash takes it away.
      world.time.after(world.random(0...2_000_000_000)) { [self] in
        if life == current { disk.mark(device, channel, received) }
      }
    case .record(_, let notification) where notification.broadcast != nil: break
    case .record(let state, let notification):
      world.note("#\(notification.uniqueID.low): \(state)")
      world.ledger.recorded(state, notification.uniqueID)
    }
  }

  private func commitIfDue() {
    guard let due = core.nextCommitNanoseconds() else { return }
    guard due <= world.time.now else {
      let current = life
      world.time.at(due) { [self] in if life == current, isUp { commitIfDue() } }
      return
    }
    let operations = core.takeCommit(now: moment)
    guard !operations.isEmpty else {
      if core.nextCommitNanoseconds() ?? 0 > world.time.now { commitIfDue() }
      return
    }
    world.note("gateway commits \(operations.count) operations")
    for case .put(let row, _) in operations {
      world.expect(
        row.expiration > world.time.unixMilliseconds / 1_000 - 5,
        "#\(row.uniqueID.low) is stored though it was to be tried once")
    }
    enqueue(.commit(operations))
  }

  // MARK: The store's one thread

  private func enqueue(_ job: Job) {
    jobs.append(job)
    if !isWriting { write() }
  }

  private func write() {
    guard !jobs.isEmpty else { return }
    isWriting = true
    let current = life
    world.time.after(world.random(50_000...world.profile.commitMost)) { [self] in
      guard life == current else { return }
      isWriting = false
      let job = jobs.removeFirst()
      switch job {
      case .commit(let operations):
        let isDurable = !world.chance(world.profile.commitFailure)
        let dropped = isDurable ? commit(operations) : []
        world.note("a commit is \(isDurable ? "durable" : "lost")")
        reply { [self] in
          for one in core.commitFinished(isDurable: isDurable, dropping: dropped, now: moment) {
            world.ledger.recorded(one.reason.state, one.uniqueID)
          }
        }
      case .load(let device, let session):
        let rows = try? store.load(device: device)
        reply { [self] in core.loaded(device, session: session, rows: rows, now: moment) }
      }
      write()
    }
  }

  private func commit(_ operations: [StoreOperation]) -> [DroppedNotification] {
    let dropped = (try? store.commit(operations)) ?? []
    try? store.checkInvariants()
    for one in dropped {
      world.note("the store drops #\(one.uniqueID.low): \(one.reason)")
    }
    return dropped
  }

  /// Replies come to the loop in order, a little later.
  private func reply(_ body: @escaping () -> Void) {
    let current = life
    replyAt = max(replyAt, world.time.now + world.random(1_000...300_000))
    world.time.at(replyAt) { [self] in
      guard life == current else { return }
      body()
      finishEvent()
    }
  }

  private var replyAt: Int64 = 0
}

/// What the gateway's disk has of channels.
private struct ChannelDisk {
  var newest: [ChannelID: Broadcast] = [:]
  var subscribers: [ChannelID: Set<UInt64>] = [:]
  var received: [ChannelID: [UInt64: NotificationID]] = [:]

  mutating func mark(_ device: UInt64, _ channel: ChannelID, _ id: NotificationID) {
    guard subscribers[channel]?.contains(device) == true else { return }
    received[channel, default: [:]][device] = id
  }
}

extension DeviceState {
  fileprivate var simulatedPower: DevicePower {
    DevicePower(isAsleep: contains(.asleep), isRestricted: contains(.powerRestricted))
  }
}
