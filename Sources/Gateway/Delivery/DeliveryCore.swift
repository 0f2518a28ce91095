internal import BelfryWire
public import Storage

/// Store and forward for the devices of one loop: decides, and does nothing itself.
///
/// Events come in as calls with the time; what is to be done comes with ``takeEffects(into:)``. The promise
/// that it keeps: a notification that was answered is delivered, replaced by a newer one, expired,
/// discarded for a recorded reason, or on disk.
///
/// ```
/// accept ─┬─ device live ── send ──┬─ acknowledged before the commit starts ── answer, no row
///         │                        └─ commit ── answer ── acknowledged ── remove the row
///         └─ device offline or power holds it back ── commit ── answer
/// connect ── load ── send what is stored, oldest first, then what came meanwhile
/// ```
public struct DeliveryCore: ~Copyable {
  var devices: [UInt64: DeviceDelivery] = [:]
  var staged: [AcceptedNotification] = []
  var committing: [AcceptedNotification] = []
  var removals: [StoreOperation] = []
  var committingRemovals: [StoreOperation] = []
  var stagedDueNanoseconds: Int64?
  var removalsDueNanoseconds: Int64?
  var isCommitting = false
  var holding: Set<UInt64> = []
  /// The rows of notifications whose end is recorded: the store may have yet to drop them.
  var endedRows: Set<UInt64> = []
  var nextSequence: UInt64
  let shardCount: UInt64
  var nextSweepNanoseconds: Int64 = 0
  var backgroundNext: [NotificationKey: Int64] = [:]
  var effects: [DeliveryEffect] = []
  var channels: [ChannelID: ChannelState] = [:]
  var nextChannelHandle: UInt32 = 0
  var fanOuts: [FanOut] = []

  /// A core whose sequence numbers go on after `highestSequence`.
  ///
  /// Loops share one store, so each counts in a shard of its own: the numbers `n` with
  /// `n % shards == shard`.
  public init(highestSequence: UInt64, shard: Int = 0, shards: Int = 1) {
    shardCount = UInt64(max(1, shards))
    let start = highestSequence + 1
    let behind = (UInt64(max(0, shard)) + shardCount - start % shardCount) % shardCount
    nextSequence = start + behind
  }

  /// Moves every effect since the last call into `taken`, which has to be empty, in order.
  public mutating func takeEffects(into taken: inout [DeliveryEffect]) {
    swap(&effects, &taken)
  }

  // MARK: Providers

  /// A notification passed every check and its token is active.
  public mutating func accept(_ notification: AcceptedNotification, now: Moment) {
    notification.sequence = nextSequence
    nextSequence += shardCount
    effects.append(.record(.received, notification))
    let once = notification.isOnce(at: now)
    guard let device = devices[notification.key.device],
      device.session != nil, device.topics.contains(notification.key)
    else {
      acceptOffline(notification, once: once, now: now)
      return
    }
    notification.isForConnected = !once && !device.holdsBack(notification)
    if !once { replaceUnsent(by: notification, on: device) }
    switch device.presence {
    case .offline:
      acceptOffline(notification, once: once, now: now)
    case .loading:
      device.waiting.append(notification)
      if !once { stage(notification, deadlineNanoseconds: now.nanoseconds) }
    case .live(let session):
      acceptLive(notification, once: once, on: device, session: session, now: now)
    }
  }

  /// A notification that is accepted and goes nowhere, such as one for an app that a person silenced.
  public mutating func discard(_ notification: AcceptedNotification, as state: DeliveryState) {
    effects.append(.record(.received, notification))
    effects.append(.record(state, notification))
    answer(notification)
  }

  private mutating func acceptOffline(
    _ notification: AcceptedNotification, once: Bool, now: Moment
  ) {
    guard !once else {
      effects.append(.record(.discardedExpired, notification))
      answer(notification)
      return
    }
    stage(notification, deadlineNanoseconds: now.nanoseconds)
    let device = delivery(for: notification.key.device)
    device.uncommitted.append(notification)
  }

  private mutating func acceptLive(
    _ notification: AcceptedNotification, once: Bool, on device: DeviceDelivery, session: SessionID,
    now: Moment
  ) {
    let isFull = device.waiting.count >= Limits.deviceWaitingMax
    if device.holdsBack(notification) || once && isFull || isThrottled(notification, now: now) {
      guard !once else {
        effects.append(.record(.discardedExpired, notification))
        answer(notification)
        return
      }
      hold(notification, on: device, now: now)
      return
    }
    wake(device, now: now)
    if !once, device.isOverflowing || isFull {
      device.isOverflowing = true
      stage(notification, deadlineNanoseconds: now.nanoseconds)
      device.uncommitted.append(notification)
      return
    }
    if !once {
      stage(notification, deadlineNanoseconds: now.nanoseconds + Limits.gatherNanoseconds)
    }
    device.waiting.append(notification)
    pump(device, now: now)
  }

  /// What goes to a sleeping device at once wakes it: what waited for that goes along.
  mutating func wake(_ device: DeviceDelivery, now: Moment) {
    if device.power.isAsleep { releaseHeld(on: device, now: now) }
  }

  private mutating func replaceUnsent(by newer: AcceptedNotification, on device: DeviceDelivery) {
    for older in device.takeReplaced(by: newer) {
      older.isDropped = true
      effects.append(.record(.replaced, older))
      noteEnded(older)
      if older.durability == .stored { newer.replacedRows.append(older.sequence) }
      // Its row, if any, goes with the newer one's; its answer waits for that commit.
      if older.durability == .none { answer(older) }
    }
  }

  // MARK: Devices

  /// A device opened a session and is ready for the topics that it registered; an older session ends.
  ///
  /// What is stored for another topic waits until the device registers it.
  public mutating func connect(
    _ device: UInt64, session: SessionID, topics: Set<NotificationKey>, window: Int,
    power: DevicePower, now: Moment
  ) {
    let delivery = delivery(for: device)
    if let old = delivery.session {
      effects.append(.close(old, .replaced))
      disconnect(device, session: old, now: now)
    }
    let current = self.delivery(for: device)
    current.presence = .loading(session)
    current.power = power
    current.topics = topics
    current.window = min(max(window, 1), Limits.deviceWindow)
    effects.append(.load(device: device, session))
  }

  /// The device registered one more topic on its session.
  public mutating func addTopic(
    _ key: NotificationKey, session: SessionID, now: Moment
  ) {
    guard let device = devices[key.device], device.session == session,
      device.topics.insert(key).inserted
    else { return }
    // What the store has for it comes with the next load.
    device.isOverflowing = true
    pump(device, now: now)
  }

  /// The store's answer to `.load`; `rows` is `nil` when it failed.
  public mutating func loaded(
    _ device: UInt64, session: SessionID, rows: [StoredNotification]?, now: Moment
  ) {
    guard let delivery = devices[device], delivery.presence == .loading(session) else { return }
    guard let rows else {
      effects.append(.close(session, .storeFailed))
      disconnect(device, session: session, now: now)
      return
    }
    delivery.presence = .live(session)
    delivery.isOverflowing = false
    var bySequence: [UInt64: AcceptedNotification] = [:]
    for row in rows
    where delivery.topics.contains(row.key) && !isBeingRemoved(row.key, sequence: row.sequence) {
      bySequence[row.sequence] = AcceptedNotification(row)
    }
    for held in delivery.held { bySequence[held.sequence] = nil }
    for known in delivery.uncommitted + delivery.waiting
    where !known.isDropped && (known.broadcast != nil || delivery.topics.contains(known.key)) {
      bySequence[known.sequence] = known
    }
    delivery.uncommitted.removeAll {
      delivery.topics.contains($0.key) || $0.durability == .stored
    }
    delivery.waiting.removeAll()
    for notification in bySequence.values.sorted(by: { $0.sequence < $1.sequence }) {
      enqueueLoaded(notification, on: delivery, now: now)
    }
    putRepetitionsFirst(on: delivery, of: rows)
    pump(delivery, now: now)
  }

  private mutating func enqueueLoaded(
    _ notification: AcceptedNotification, on device: DeviceDelivery, now: Moment
  ) {
    if notification.isFromStore, notification.isOnce(at: now) {
      expire(notification, now: now)
      return
    }
    // Rows have replaced one another in the store.
    if !notification.isFromStore, notification.broadcast == nil, !notification.isOnce(at: now) {
      replaceUnsent(by: notification, on: device)
    }
    notification.waited()
    if device.holdsBack(notification) || isThrottled(notification, now: now) {
      hold(orGiveUp: notification, on: device, now: now)
    } else {
      device.waiting.append(notification)
    }
  }

  /// A device's session ended, however it did.
  public mutating func disconnect(_ device: UInt64, session: SessionID, now: Moment) {
    guard let delivery = devices[device], delivery.session == session else { return }
    delivery.presence = .offline
    delivery.power = DevicePower()
    delivery.isOverflowing = false
    holding.remove(device)
    var unsafeOnes: [AcceptedNotification] = delivery.uncommitted
    for notification in delivery.inFlight + delivery.waiting + delivery.held
    where !notification.isDropped {
      switch notification.durability {
      case .none:
        if !notification.isAnswered {
          effects.append(.record(.discardedExpired, notification))
          answer(notification)
        }
      case .staged:
        notification.durability = .staged(deadlineNanoseconds: now.nanoseconds)
        stagedDueNanoseconds = now.nanoseconds
        unsafeOnes.append(notification)
      case .committing:
        unsafeOnes.append(notification)
      case .stored:
        if let reason = notification.lostRow {
          effects.append(.record(reason.state, notification))
        }
      case .channel:
        break
      }
    }
    stopListening(delivery)
    noteUnsettled(on: delivery)
    delivery.inFlight.removeAll()
    delivery.waiting.removeAll()
    delivery.held.removeAll()
    var known: Set<UInt64> = []
    delivery.uncommitted =
      unsafeOnes
      .filter { $0.durability != .stored && known.insert($0.sequence).inserted }
      .sorted { $0.sequence < $1.sequence }
    forgetIfIdle(delivery)
  }

  /// The device acknowledged what was sent with these sequence numbers.
  public mutating func acknowledge(
    _ device: UInt64, session: SessionID, sequence: UInt64, now: Moment
  ) {
    guard let delivery = devices[device], delivery.session == session,
      let index = delivery.inFlight.firstIndex(where: { $0.sequence == sequence })
    else { return }
    let notification = delivery.inFlight.remove(at: index)
    delivery.unsettled.remove(sequence)
    guard !notification.isDropped else {
      pump(delivery, now: now)
      return
    }
    notification.isAcknowledged = true
    effects.append(
      .record(notification.isFromStore ? .deliveredFromStorage : .delivered, notification))
    switch notification.durability {
    case .none, .staged:
      answer(notification)
      // Without a row of its own nothing else takes theirs away.
      for row in notification.replacedRows {
        stageRemoval(.remove(notification.key, sequence: row), now: now)
      }
    case .committing: noteEnded(notification)
    case .stored:
      noteEnded(notification)
      stageRemoval(of: notification, now: now)
    case .channel: serve(notification)
    }
    pump(delivery, now: now)
  }

  /// The device said something about its power.
  public mutating func setPower(
    _ power: DevicePower, of device: UInt64, session: SessionID, now: Moment
  ) {
    guard let delivery = devices[device], delivery.session == session else { return }
    delivery.power = power
    if power.isRestricted { holdWaiting(on: delivery, now: now) }
    if !power.isAsleep || !power.isRestricted { releaseHeld(on: delivery, now: now) }
    pump(delivery, now: now)
  }

  /// A sleeping device showed that it is awake for a moment: by its keep-alive or its own traffic.
  public mutating func stirred(_ device: UInt64, session: SessionID, now: Moment) {
    guard let delivery = devices[device], delivery.session == session, !delivery.held.isEmpty else {
      return
    }
    releaseHeld(on: delivery, now: now)
    pump(delivery, now: now)
  }

  /// A token died: what waits for it is discarded.
  public mutating func unregister(_ key: NotificationKey, now: Moment) {
    if let delivery = devices[key.device] {
      for notification in takeAll(of: delivery, where: { $0.key == key }) {
        drop(
          notification,
          as: notification.isFromStore || notification.durability == .stored
            ? .discardedUnregisteredFromStorage : .discardedUnregistered)
      }
      forgetIfIdle(delivery)
    }
    stageRemoval(.removeKey(key), now: now)
  }

  /// A person turned the app's notifications off: what waits for it is discarded.
  public mutating func disable(_ key: NotificationKey, now: Moment) {
    if let delivery = devices[key.device] {
      // What was sent before is the device's.
      let sent = Set(delivery.inFlight.map(\.sequence))
      let matches = { (one: AcceptedNotification) in one.key == key && !sent.contains(one.sequence)
      }
      for notification in takeAll(of: delivery, where: matches) {
        drop(
          notification,
          as: notification.durability == .stored
            ? .discardedDisabledFromStorage : .discardedDisabled)
      }
      forgetIfIdle(delivery)
    }
    stageRemoval(.removeKey(key), now: now)
  }

  /// A device was revoked: its session ends and what waits for it is discarded.
  public mutating func revoke(_ device: UInt64, now: Moment) {
    if let delivery = devices[device] {
      for notification in takeAll(of: delivery, where: { _ in true }) {
        drop(notification, as: .discardedUnregistered)
      }
      if let session = delivery.session {
        effects.append(.close(session, .revoked))
        delivery.presence = .offline
      }
      holding.remove(device)
      delivery.unsettled.removeAll()
      stopListening(delivery)
      forgetIfIdle(delivery)
    }
    stageRemoval(.removeDevice(device), now: now)
  }

  private mutating func takeAll(
    of device: DeviceDelivery, where matches: (AcceptedNotification) -> Bool
  ) -> [AcceptedNotification] {
    var taken: [UInt64: AcceptedNotification] = [:]
    for notification in device.inFlight + device.waiting + device.held + device.uncommitted
    where matches(notification) && !notification.isDropped {
      taken[notification.sequence] = notification
    }
    // What was sent takes up the window until the device has acknowledged it.
    device.waiting.removeAll(where: matches)
    device.held.removeAll(where: matches)
    device.uncommitted.removeAll(where: matches)
    return taken.values.sorted { $0.sequence < $1.sequence }
  }

  private mutating func drop(_ notification: AcceptedNotification, as state: DeliveryState) {
    notification.isDropped = true
    effects.append(.record(state, notification))
    noteEnded(notification)
    if case .committing = notification.durability { return }
    answer(notification)
  }

  private mutating func noteEnded(_ notification: AcceptedNotification) {
    switch notification.durability {
    case .staged, .committing, .stored:
      if notification.lostRow == nil { endedRows.insert(notification.sequence) }
    case .none, .channel: break
    }
  }

  // MARK: Sending

  mutating func pump(_ device: DeviceDelivery, now: Moment) {
    guard case .live(let session) = device.presence else { return }
    var sent = 0
    while sent < device.waiting.count, device.inFlight.count < device.window {
      let notification = device.waiting[sent]
      sent += 1
      if notification.durability != .none, notification.isOnce(at: now) {
        expire(notification, now: now)
        continue
      }
      device.inFlight.append(notification)
      effects.append(.send(session, notification))
      effects.append(.record(.sent, notification))
      // Tried once is all that was promised.
      if notification.durability == .none { answer(notification) }
    }
    device.waiting.removeFirst(sent)
    if device.isOverflowing, device.waiting.isEmpty, device.inFlight.isEmpty {
      device.presence = .loading(session)
      effects.append(.load(device: device.device, session))
    }
  }

  mutating func expire(_ notification: AcceptedNotification, now: Moment) {
    notification.isDropped = true
    effects.append(.record(.discardedExpired, notification))
    noteEnded(notification)
    if notification.durability == .stored {
      stageRemoval(of: notification, now: now)
    } else {
      answer(notification)
    }
  }

  mutating func answer(_ notification: AcceptedNotification) {
    guard !notification.isAnswered else { return }
    notification.isAnswered = true
    effects.append(.answer(notification))
  }

  // MARK: Time

  /// Makes everything that is accepted due at once, for a shutdown.
  public mutating func flush(now: Moment) {
    for notification in staged where !notification.isAcknowledged {
      guard case .staged = notification.durability else { continue }
      notification.durability = .staged(deadlineNanoseconds: now.nanoseconds)
      stagedDueNanoseconds = now.nanoseconds
    }
    if removalsDueNanoseconds != nil { removalsDueNanoseconds = now.nanoseconds }
  }

  /// Whether everything accepted is on disk or delivered.
  public var isSettled: Bool {
    !isCommitting && removals.isEmpty
      && staged.allSatisfy { $0.isAcknowledged || $0.isAnswered }
  }

  /// The session of a device, if it has one.
  public func session(of device: UInt64) -> SessionID? { devices[device]?.session }

  private mutating func delivery(for device: UInt64) -> DeviceDelivery {
    if let known = devices[device] { return known }
    let new = DeviceDelivery(device: device)
    devices[device] = new
    return new
  }

  mutating func forgetIfIdle(_ device: DeviceDelivery) {
    guard device.presence == .offline, device.uncommitted.isEmpty, device.unsettled.isEmpty else {
      return
    }
    devices[device.device] = nil
  }
}
