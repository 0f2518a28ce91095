import BelfryWire
public import Storage

/// Store and forward for the devices of one loop, as a state machine without I/O.
///
/// Events are method calls with the time; ``takeEffects(into:)`` returns what the loop has to do. It
/// guarantees that a notification that was answered is delivered, replaced by a newer one, expired, discarded
/// for a recorded reason, or on disk.
///
/// ```
/// accept ─┬─ device live ── send ──┬─ acknowledged before the commit starts ── answer, no row
///         │                        └─ commit ── answer ── acknowledged ── remove the row
///         └─ device offline or power holds it back ── commit ── answer
/// connect ── load ── send what is stored, oldest first, then what came meanwhile
/// ```
/// `DeviceQueue` holds the undelivered entries of one device, `CommitStage` decides the next commit.
public struct DeliveryCore: ~Copyable {
  var devices: [UInt64: DeviceDelivery] = [:]
  var stage = CommitStage()
  private var unanswered = UnansweredPushes()
  /// Devices for which something is held.
  var holding: Set<UInt64> = []
  /// Devices that had no room, to which nothing is sent for a while.
  var paused: Set<UInt64> = []
  /// Devices for which something that is tried once waits, or did a moment ago.
  var awaited: Set<UInt64> = []
  /// Devices with rows to be removed, whose removal waits for a commit, and those of the running commit.
  var removing = (waiting: [UInt64](), committing: [UInt64]())
  private var nextSequence: UInt64
  private let shard: UInt64
  private let shardCount: UInt64
  var nextSweepNanoseconds: Int64 = 0
  var backgroundNext: [NotificationKey: Int64] = [:]
  var effects: [DeliveryEffect] = []
  var channels: [ChannelID: ChannelState] = [:]
  var nextChannelHandle: UInt32 = 0
  var fanOuts: [FanOut] = []
  #if DEBUG
    private var examinedOfForgotten = 0
  #endif

  /// Creates a core whose sequence numbers continue after `highestSequence`.
  ///
  /// Loops share one store, so each counts in a shard of its own: the numbers `n` with
  /// `n % shards == shard`.
  public init(highestSequence: UInt64, shard: Int = 0, shards: Int = 1) {
    precondition(shards > 0 && (0..<shards).contains(shard), "shard \(shard) of \(shards)")
    shardCount = UInt64(shards)
    self.shard = UInt64(shard)
    let start = highestSequence + 1
    nextSequence = start + (self.shard + shardCount - start % shardCount) % shardCount
  }

  /// Moves the effects since the last call into `taken`, which must be empty, in order.
  public mutating func takeEffects(into taken: inout [DeliveryEffect]) {
    assert(taken.isEmpty, "\(taken.count) effects were not carried out")
    swap(&effects, &taken)
  }

  mutating func makeSequence() -> UInt64 {
    defer { nextSequence += shardCount }
    return nextSequence
  }

  // MARK: Providers

  /// Whether one more push to the token may wait for its answer.
  public func hasRoom(for key: NotificationKey) -> Bool { unanswered.hasRoom(for: key) }

  /// Answers the provider of an entry that it was accepted.
  mutating func answer(_ entry: DeliveryEntry) {
    unanswered.end(entry)
    effects.append(.answer(entry))
  }

  /// Answers the provider of an entry that it was not accepted: the store failed.
  mutating func fail(_ entry: DeliveryEntry) {
    unanswered.end(entry)
    effects.append(.fail(entry))
  }

  /// Accepts a notification that passed every check and whose token is active.
  public mutating func accept(_ notification: AcceptedNotification, now: Moment) {
    let entry = DeliveryEntry(notification, sequence: makeSequence())
    effects.append(.record(.received, entry))
    unanswered.begin(entry)
    let once = notification.isOnce(at: now)
    guard let device = devices[notification.key.device],
      device.session != nil, device.topics.contains(notification.key)
    else {
      acceptOffline(entry, once: once, now: now)
      return
    }
    entry.isExemptFromKeep = !once && !device.holdsBack(entry) && !device.isPaused
    if !once { replaceUnsent(by: entry, on: device) }
    switch device.presence {
    case .offline:
      assertionFailure("a device that is away has a session")
      acceptOffline(entry, once: once, now: now)
    case .loading:
      if !once { stage.stage(entry, deadlineNanoseconds: now.nanoseconds, now: now) }
      wait(entry, on: device, now: now)
    case .live(let session):
      acceptLive(entry, once: once, on: device, session: session, now: now)
    }
  }

  /// Accepts a notification and discards it, for example when the person turned the app's notifications off.
  public mutating func discard(_ notification: AcceptedNotification, as state: DeliveryState) {
    let entry = DeliveryEntry(notification, sequence: 0)
    effects.append(.record(.received, entry))
    effects.append(.record(state, entry))
    effects.append(.answer(entry))
    entry.advance(to: .ended)
  }

  private mutating func acceptOffline(_ entry: DeliveryEntry, once: Bool, now: Moment) {
    guard !once else { return giveUp(entry) }
    stage.stage(entry, deadlineNanoseconds: now.nanoseconds, now: now)
    delivery(for: entry.key.device).queue.leaveToStore(entry)
  }

  private mutating func acceptLive(
    _ entry: DeliveryEntry, once: Bool, on device: DeviceDelivery, session: SessionID, now: Moment
  ) {
    let isFull = device.queue.waitingCount >= Limits.deviceWaitingMax
    if device.holdsBack(entry) || once && (isFull || device.isPaused)
      || isThrottled(entry, now: now)
    {
      if once { giveUp(entry) } else { hold(entry, on: device, now: now) }
      return
    }
    wake(device, now: now)
    // What the store has waits for the power's end then, and this does not.
    let isBehindBacklog = device.isOverflowing && !device.isHeldFull
    if !once, isBehindBacklog || isFull {
      device.isOverflowing = true
      stage.stage(entry, deadlineNanoseconds: now.nanoseconds, now: now)
      device.queue.leaveToStore(entry)
      sendWaiting(on: device, now: now)
      return
    }
    if !once {
      let wait = device.isPaused ? 0 : Limits.acknowledgementWaitNanoseconds
      stage.stage(entry, deadlineNanoseconds: now.nanoseconds + wait, now: now)
    }
    if device.queue.waitingCount == 0, device.maySend {
      send(entry, to: device, session: session)
    } else {
      wait(entry, on: device, now: now)
      sendWaiting(on: device, now: now)
    }
  }

  /// Queues a new entry until the window or the load allows sending it; one that is tried once does not
  /// wait for long.
  private mutating func wait(_ entry: DeliveryEntry, on device: DeviceDelivery, now: Moment) {
    if entry.isTransient {
      entry.heldSinceNanoseconds = now.nanoseconds
      awaited.insert(device.device)
    }
    device.queue.wait(entry)
  }

  /// Releases what was held for a sleeping device: the notification about to be sent wakes it anyway.
  mutating func wake(_ device: DeviceDelivery, now: Moment) {
    if device.power.isAsleep { releaseHeld(on: device, now: now) }
  }

  mutating func replaceUnsent(by newer: DeliveryEntry, on device: DeviceDelivery) {
    for older in device.queue.removeReplaced(by: newer) {
      effects.append(.record(.replaced, older))
      switch older.state {
      case .staged:
        stage.supersede(older)
        newer.replaceRow(of: older)
      case .committing:
        stage.end(older, .dropped)
        newer.replaceRow(of: older)
      case .stored:
        older.advance(to: .ended)
        stage.noteEnded(older.sequence)
        newer.replacedRows.append(older.sequence)
      case .rowLost: older.advance(to: .ended)
      case .transient, .keptByChannel, .superseded, .withdrawn, .endedCommitting, .ended:
        assertionFailure("#\(older.sequence) is \(older.state), and was replaced")
      }
    }
  }

  // MARK: Sending

  /// Sends waiting entries as far as the window allows, then loads what memory could not hold.
  mutating func sendWaiting(on device: DeviceDelivery, now: Moment) {
    // While a device is loading, waiting entries are sent when the load completes.
    guard case .live(let session) = device.presence else { return }
    while device.maySend, let entry = device.queue.popWaiting() {
      if !entry.isTransient, entry.notification.isOnce(at: now) {
        expire(entry, now: now)
      } else {
        send(entry, to: device, session: session)
      }
    }
    if device.isOverflowing, device.maySend, device.queue.waitingCount == 0,
      device.queue.inFlightCount == 0, !device.isHeldFull
    {
      device.presence = .loading(session)
      effects.append(.load(device: device.device, session))
    }
    if device.needsRemovals { stage.makeRemovalsDue(now: now) }
  }

  private mutating func send(
    _ entry: DeliveryEntry, to device: DeviceDelivery, session: SessionID
  ) {
    device.queue.send(entry)
    device.noteDelivery(of: entry)
    effects.append(.send(session, entry))
    effects.append(.record(.sent, entry))
    // An entry that is tried once has been answered when it was sent.
    if entry.state == .transient(isAnswered: false) {
      entry.advance(to: .transient(isAnswered: true))
      answer(entry)
    }
  }

  // MARK: Ends

  /// Ends an entry that is tried only once and cannot be sent now.
  mutating func giveUp(_ entry: DeliveryEntry) {
    assert(entry.isTransient, "#\(entry.sequence) is \(entry.state), and not tried once")
    effects.append(.record(.discardedExpired, entry))
    if !entry.isAnswered { answer(entry) }
    entry.advance(to: .ended)
  }

  /// Ends an expired entry, which has been removed from its list.
  mutating func expire(_ entry: DeliveryEntry, now: Moment) {
    effects.append(.record(.discardedExpired, entry))
    switch entry.state {
    case .staged:
      answer(entry)
      stage.withdraw(entry)
      stageRemovalOfReplaced(by: entry, now: now)
    case .committing:
      answer(entry)
      stage.end(entry, .droppedAnswered)
    case .stored:
      entry.advance(to: .ended)
      stage.noteEnded(entry.sequence)
      stage.stageRemoval(.remove(entry.key, sequence: entry.sequence), now: now)
    case .rowLost, .keptByChannel:
      entry.advance(to: .ended)
    case .transient, .superseded, .withdrawn, .endedCommitting, .ended:
      assertionFailure("#\(entry.sequence) is \(entry.state), and expired")
    }
  }

  /// Ends an entry that the device or the person no longer wants.
  mutating func drop(_ entry: DeliveryEntry, as state: DeliveryState) {
    effects.append(.record(state, entry))
    switch entry.state {
    case .transient(let isAnswered):
      if !isAnswered { answer(entry) }
      entry.advance(to: .ended)
    case .staged:
      answer(entry)
      stage.withdraw(entry)
    case .committing:
      stage.end(entry, .dropped)
    case .stored:
      entry.advance(to: .ended)
      stage.noteEnded(entry.sequence)
    case .rowLost, .keptByChannel:
      entry.advance(to: .ended)
    case .superseded, .withdrawn, .endedCommitting, .ended:
      assertionFailure("#\(entry.sequence) is \(entry.state), and was dropped")
    }
  }

  // MARK: Time

  /// Makes every staged entry due at once, for a shutdown.
  public mutating func flush(now: Moment) { stage.flush(now: now) }

  /// Whether everything accepted is on disk or delivered.
  public var isSettled: Bool { stage.isSettled }

  /// The session of a device, if it has one.
  public func session(of device: UInt64) -> SessionID? { devices[device]?.session }

  mutating func delivery(for device: UInt64) -> DeviceDelivery {
    if let known = devices[device] { return known }
    let new = DeviceDelivery(device: device)
    devices[device] = new
    return new
  }

  mutating func forgetIfIdle(_ device: DeviceDelivery) {
    guard device.presence == .offline, device.queue.isForgettable, device.unremoved.isEmpty else {
      return
    }
    assert(devices[device.device] === device, "device \(device.device) is forgotten twice")
    #if DEBUG
      examinedOfForgotten += device.queue.examined
    #endif
    devices[device.device] = nil
  }

  /// Notifications of a device that are in memory, to measure it by.
  package func heldInMemory(of device: UInt64) -> Int {
    guard let queue = devices[device]?.queue else { return 0 }
    return queue.inFlightCount + queue.waitingCount + queue.heldCount
  }

  // MARK: Invariants

  #if DEBUG
    /// Entries that lists examined or moved so far, by which tests measure work.
    package var examined: Int {
      devices.values.reduce(examinedOfForgotten + stage.examined) { $0 + $1.queue.examined }
    }
  #endif

  /// Asserts what holds between events; tests and the simulation call it after each.
  ///
  /// Looks into no list with more than `entriesMax` entries.
  public func checkInvariants(entriesMax: Int = .max) {
    stage.checkInvariants()
    unanswered.checkInvariants()
    let waiting = devices.values.reduce(0) { $0 + $1.queue.unansweredCount }
    assert(
      unanswered.count == stage.unansweredCount + waiting,
      "\(unanswered.count) are counted as unanswered")
    assert(nextSequence % shardCount == shard, "sequence \(nextSequence) is another shard's")
    for (number, device) in devices {
      assert(device.device == number, "device \(device.device) is known as \(number)")
      device.checkInvariants(entriesMax: entriesMax)
      assert(!device.isPaused || paused.contains(number), "device \(number) is paused for ever")
      assert(
        device.queue.heldCount == 0 || holding.contains(number),
        "what device \(number) is kept from is forgotten")
      assert(
        device.queue.firstUnanswered == nil || awaited.contains(number),
        "what waits for device \(number) to be tried is forgotten")
      for channel in device.channels {
        assert(channel.listeners.contains(number), "device \(number) listens, and is not known to")
      }
    }
    checkUnremoved()
    for number in paused {
      assert(devices[number]?.isPaused == true, "device \(number) is not paused")
    }
    for number in holding {
      assert(
        devices[number]?.session != nil, "something is held for device \(number), which is away")
    }
    for (id, channel) in channels { check(channel, id: id) }
    for fanOut in fanOuts {
      assert(fanOut.next < fanOut.devices.count, "a broadcast has gone to all, and is kept")
    }
  }

  /// Asserts that of the rows that are gone only those are remembered of which the store may still tell; for a
  /// core whose store tells what it drops.
  package func checkEndedRows() {
    #if DEBUG
      guard stage.isSettled, !stage.endedRows.isEmpty else { return }
      let replaced = devices.values.reduce(into: Set<UInt64>()) {
        $0.formUnion($1.queue.allReplacedRows)
      }
      let forgotten = stage.endedRows.subtracting(replaced)
      assert(forgotten.isEmpty, "\(forgotten.count) rows ended and are remembered for ever")
    #endif
  }

  private func check(_ channel: ChannelState, id: ChannelID) {
    assert(channel.id == id, "a channel is known by another's id")
    assert(channel.served.isSubset(of: channel.subscribers), "served without a subscription")
    assert(channel.newest.map { $0.isKept } ?? true, "a message that is not kept waits")
    assert(channel.newest != nil || channel.served.isEmpty, "some have a message that is gone")
    for number in channel.listeners.devices {
      assert(channel.subscribers.contains(number), "device \(number) listens unsubscribed")
      assert(
        devices[number]?.channels.contains { $0 === channel } == true,
        "device \(number) listens without a session")
    }
  }
}
