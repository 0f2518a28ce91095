import PushWire
public import Storage

/// The store-and-forward delivery of notifications to the devices of one loop, as a state machine without I/O.
///
/// Each event is a method call that passes the current time; ``takeEffects(into:)`` returns the actions that the loop
/// must perform. The core guarantees that each answered notification is delivered, replaced by a newer one, expired,
/// discarded for a recorded reason, or on disk. An *attempt-once* notification is never stored: the core sends it only
/// if the device can receive it within a few seconds.
///
/// ```
/// accept ─┬─ device live ── send ──┬─ acknowledged before the commit starts ── answer, no row
///         │                        └─ commit ── answer ── acknowledged ── remove the row
///         └─ device offline or power holds it back ── commit ── answer
/// connect ── load ── send stored notifications, oldest first, then those that arrived since
/// ```
/// `DeviceQueue` holds the undelivered entries of one device; `CommitStage` decides the next commit.
public struct DeliveryCore: ~Copyable {
  var devices: [UInt64: DeviceDelivery] = [:]
  var stage = CommitStage()
  private var unanswered = UnansweredPushes()
  /// The devices that have held entries.
  var holding: Set<UInt64> = []
  /// The devices that had no room for a notification and are sent nothing for a while.
  var paused: Set<UInt64> = []
  /// The devices that have, or recently had, a queued attempt-once entry.
  var awaited: Set<UInt64> = []
  /// The devices whose acknowledged rows wait to be removed, and the devices whose rows the running commit removes.
  var removing = (waiting: [UInt64](), committing: [UInt64]())
  /// The requests to withdraw notifications that wait for the next commit, and those that wait for the running commit.
  var withdrawals = (waiting: [DeliveryEntry](), committing: [DeliveryEntry]())
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
  /// The loops share one store, so each loop uses only the sequence numbers of its own shard: every `n` with
  /// `n % shards == shard`.
  public init(highestSequence: UInt64, shard: Int = 0, shards: Int = 1) {
    precondition(
      shards > 0 && (0..<shards).contains(shard), "the shard is within range: \(shard) of \(shards)"
    )
    shardCount = UInt64(shards)
    self.shard = UInt64(shard)
    let start = highestSequence + 1
    nextSequence = start + (self.shard + shardCount - start % shardCount) % shardCount
  }

  /// Moves the effects that were added since the last call into `taken`, in order; `taken` must be empty on entry.
  public mutating func takeEffects(into taken: inout [DeliveryEffect]) {
    assert(taken.isEmpty, "all previous effects were performed, but \(taken.count) remain")
    swap(&effects, &taken)
  }

  mutating func makeSequence() -> UInt64 {
    defer { nextSequence += shardCount }
    return nextSequence
  }

  // MARK: Providers

  /// Returns true if one more push to the token can wait for its answer.
  public func hasRoom(for key: NotificationKey) -> Bool { unanswered.hasRoom(for: key) }

  /// Informs the provider that its notification was accepted.
  mutating func answer(_ entry: DeliveryEntry) {
    unanswered.end(entry)
    effects.append(.answer(entry))
  }

  /// Informs the provider that its notification wasn't accepted because the store failed.
  mutating func fail(_ entry: DeliveryEntry) {
    unanswered.end(entry)
    effects.append(.fail(entry))
  }

  /// Ends an entry whose notification is submitted again, because another node has claimed the device.
  mutating func submitAgain(_ entry: DeliveryEntry) {
    unanswered.end(entry)
    effects.append(.submitAgain(entry))
  }

  /// Makes the next sequence numbers higher than `highest`, which another node might have assigned.
  public mutating func raiseSequence(above highest: UInt64) {
    guard highest >= nextSequence else { return }
    nextSequence += (highest - nextSequence) / shardCount * shardCount + shardCount
    assert(
      nextSequence > highest && nextSequence % shardCount == shard,
      "the next sequence number \(nextSequence) is higher, and belongs to this shard")
  }

  /// Accepts a notification that passed every check and whose token is active.
  public mutating func accept(_ notification: Submission, now: Moment) {
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
      assertionFailure("an offline device has a session")
      acceptOffline(entry, once: once, now: now)
    case .loading:
      if !once { stage.stage(entry, deadlineNanoseconds: now.nanoseconds, now: now) }
      wait(entry, on: device, now: now)
    case .live(let session):
      acceptLive(entry, once: once, on: device, session: session, now: now)
    }
  }

  /// Accepts a notification and discards it, for example, if the user turned off the app's notifications.
  public mutating func discard(_ notification: Submission, as state: DeliveryState) {
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
    // An overflowing device first loads its stored backlog. If held entries fill the memory, the backlog can't be
    // loaded until the power state changes, and this entry needn't wait for it.
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

  /// Queues a new entry that can't be sent yet because the window is full or a load is in progress; an attempt-once
  /// entry waits only briefly.
  private mutating func wait(_ entry: DeliveryEntry, on device: DeviceDelivery, now: Moment) {
    if entry.isTransient {
      entry.heldSinceNanoseconds = now.nanoseconds
      awaited.insert(device.device)
    }
    device.queue.wait(entry)
  }

  /// Releases the entries held for a sleeping device, because the notification about to be sent wakes it anyway.
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
        assertionFailure("#\(older.sequence) was replaced in the state \(older.state)")
      }
    }
  }

  // MARK: Sending

  /// Sends as many waiting entries as the window allows, and then loads the entries that didn't fit in memory.
  mutating func sendWaiting(on device: DeviceDelivery, now: Moment) {
    // While a device is loading, its waiting entries are sent when the load completes.
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
    // The provider of an attempt-once entry is answered as soon as the entry is sent.
    if entry.state == .transient(isAnswered: false) {
      entry.advance(to: .transient(isAnswered: true))
      answer(entry)
    }
  }

  // MARK: Ends

  /// Ends an attempt-once entry that can't be sent now.
  mutating func giveUp(_ entry: DeliveryEntry) {
    assert(entry.isTransient, "#\(entry.sequence) is an attempt-once entry, not \(entry.state)")
    effects.append(.record(.discardedExpired, entry))
    if !entry.isAnswered { answer(entry) }
    entry.advance(to: .ended)
  }

  /// Ends an expired or withdrawn entry that has been removed from its list.
  mutating func expire(
    _ entry: DeliveryEntry, as state: DeliveryState = .discardedExpired, now: Moment
  ) {
    effects.append(.record(state, entry))
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
      assertionFailure("#\(entry.sequence) became \(state) in the state \(entry.state)")
    }
  }

  /// Ends an entry that the device or the user no longer wants.
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
      assertionFailure("#\(entry.sequence) was dropped in the state \(entry.state)")
    }
  }

  // MARK: Time

  /// Makes every staged entry due immediately, for a shutdown.
  public mutating func flush(now: Moment) { stage.flush(now: now) }

  /// True if everything that was accepted is on disk or delivered.
  public var isSettled: Bool { stage.isSettled }

  /// Returns true if the core has any notifications or a session of a device.
  public func holdsState(of device: UInt64) -> Bool { devices[device] != nil }

  /// Returns the session of a device; nil if it isn't connected.
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
    assert(devices[device.device] === device, "device \(device.device) is forgotten only once")
    #if DEBUG
      examinedOfForgotten += device.queue.examined
    #endif
    devices[device.device] = nil
  }

  /// Returns the number of a device's notifications in memory, for measurements.
  package func heldInMemory(of device: UInt64) -> Int {
    guard let queue = devices[device]?.queue else { return 0 }
    return queue.inFlightCount + queue.waitingCount + queue.heldCount
  }

  // MARK: Invariants

  #if DEBUG
    /// The number of entries that the lists have examined or moved so far, which tests use to measure work.
    package var examined: Int {
      devices.values.reduce(examinedOfForgotten + stage.examined) { $0 + $1.queue.examined }
    }
  #endif

  /// Asserts the invariants that hold between events; tests and the simulation call this method after each event.
  ///
  /// The method skips lists with more than `entriesMax` entries.
  public func checkInvariants(entriesMax: Int = .max) {
    stage.checkInvariants()
    unanswered.checkInvariants()
    let waiting = devices.values.reduce(0) { $0 + $1.queue.unansweredCount }
    assert(
      unanswered.count == stage.unansweredCount + waiting,
      "the count of unanswered pushes is correct: \(unanswered.count)")
    assert(nextSequence % shardCount == shard, "sequence \(nextSequence) belongs to this shard")
    for (number, device) in devices {
      assert(
        device.device == number,
        "device \(device.device) is stored under its own number, not \(number)")
      device.checkInvariants(entriesMax: entriesMax)
      assert(!device.isPaused || paused.contains(number), "paused device \(number) is listed")
      assert(
        device.queue.heldCount == 0 || holding.contains(number),
        "device \(number) with held entries is listed")
      assert(
        device.queue.firstUnanswered == nil || awaited.contains(number),
        "device \(number) with unanswered entries is listed")
      for channel in device.channels {
        assert(
          channel.listeners.contains(number),
          "device \(number) is a listener of each of its channels")
      }
    }
    checkUnremoved()
    checkWithdrawals()
    for number in paused {
      assert(devices[number]?.isPaused == true, "device \(number) is paused")
    }
    for number in holding {
      assert(
        devices[number]?.session != nil, "device \(number) with held entries is connected")
    }
    for (id, channel) in channels { check(channel, id: id) }
    for fanOut in fanOuts {
      assert(fanOut.next < fanOut.devices.count, "a listed broadcast has devices left")
    }
  }

  /// Asserts that every row recorded as ended is one that the store might still report as dropped.
  ///
  /// Call this method only if the core's store reports dropped rows.
  package func checkEndedRows() {
    #if DEBUG
      guard stage.isSettled, !stage.endedRows.isEmpty else { return }
      let replaced = devices.values.reduce(into: Set<UInt64>()) {
        $0.formUnion($1.queue.allReplacedRows)
      }
      let forgotten = stage.endedRows.subtracting(replaced)
      assert(
        forgotten.isEmpty,
        "only replaced rows are recorded as ended, but \(forgotten.count) others are")
    #endif
  }

  private func check(_ channel: ChannelState, id: ChannelID) {
    assert(channel.id == id, "a channel is stored under its own ID")
    assert(channel.served.isSubset(of: channel.subscribers), "only subscribers have been served")
    assert(
      channel.newest.map { $0.isKept } ?? true, "a channel's newest message is kept")
    assert(
      channel.newest != nil || channel.served.isEmpty,
      "devices count as served only while a message is kept")
    for number in channel.listeners.devices {
      assert(channel.subscribers.contains(number), "listening device \(number) is subscribed")
      assert(
        devices[number]?.channels.contains { $0 === channel } == true,
        "listening device \(number) has the channel in its session")
    }
  }
}
