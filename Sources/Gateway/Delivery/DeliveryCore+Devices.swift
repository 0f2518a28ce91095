public import Storage

/// The handling of device events: sessions that begin or end, acknowledgments of notifications, and changes of the
/// power state.
///
/// The core ignores events of a session that has already ended; such events were in progress when it ended.
extension DeliveryCore {
  /// Begins a device's session with its registered topics, and ends an older session.
  ///
  /// Notifications stored for another topic stay in the store until the device registers the topic.
  public mutating func connect(
    _ device: UInt64, session: SessionID, topics: Set<NotificationKey>, window: Int,
    power: DevicePower, now: Moment
  ) {
    assert(topics.allSatisfy { $0.device == device }, "all topics belong to the device")
    if let old = devices[device]?.session {
      assert(old != session, "session \(session.number) connects only once")
      effects.append(.close(old, .replaced))
      disconnect(device, session: old, now: now)
    }
    let delivery = delivery(for: device)
    delivery.presence = .loading(session)
    delivery.power = power
    delivery.topics = topics
    delivery.window = min(max(window, 1), Limits.deviceWindow)
    effects.append(.load(device: device, session))
  }

  /// Adds a topic that the device registered to its session.
  public mutating func addTopic(_ key: NotificationKey, session: SessionID, now: Moment) {
    guard let device = devices[key.device], device.session == session,
      device.topics.insert(key).inserted
    else { return }
    loadAnew(device)
    sendWaiting(on: device, now: now)
  }

  /// Loads the rows of a connected device again, because another node might have stored some of them.
  public mutating func reload(_ device: UInt64, now: Moment) {
    guard let delivery = devices[device], delivery.session != nil else { return }
    loadAnew(delivery)
    sendWaiting(on: delivery, now: now)
  }

  /// Makes the next load start at the first row, because earlier pages omitted rows that are now needed.
  private func loadAnew(_ device: DeviceDelivery) {
    device.isOverflowing = true
    if device.presence.isLive { device.loadedThrough = 0 } else { device.hasNewRows = true }
  }

  /// Returns the rows that a `.load` request reads: the rows after `after`, and also the rows in `besides`.
  ///
  /// The device might already have the rows in `besides`, which are therefore sent first.
  public func loadRange(of device: UInt64) -> (after: UInt64, besides: [UInt64]) {
    guard let delivery = devices[device] else { return (0, []) }
    return (delivery.loadedThrough, delivery.queue.possiblyReceived.sorted())
  }

  /// Handles the store's answer to `.load`; `rows` is `nil` if the store couldn't be read.
  ///
  /// If the store might have more rows, `through` is the sequence number up to which it was read; otherwise, nil.
  public mutating func loaded(
    _ device: UInt64, session: SessionID, rows: [StoredNotification]?, through: UInt64? = nil,
    now: Moment
  ) {
    guard let delivery = devices[device], delivery.presence == .loading(session) else { return }
    guard let rows else {
      effects.append(.close(session, .storeFailed))
      disconnect(device, session: session, now: now)
      return
    }
    assert(rows.allSatisfy { $0.key.device == device }, "all rows belong to the device")
    assert(
      zip(rows, rows.dropFirst()).allSatisfy { $0.sequence < $1.sequence },
      "rows are in ascending order")
    assert(
      through.map { $0 > delivery.loadedThrough } ?? true, "a page follows the one loaded before")
    delivery.presence = .live(session)
    // If a topic was added while the pages were being read, the earlier pages lack its rows.
    let beginsAnew = delivery.hasNewRows && delivery.loadedThrough > 0
    delivery.hasNewRows = false
    delivery.isOverflowing = beginsAnew || through != nil
    delivery.loadedThrough = beginsAnew ? 0 : through ?? 0
    for entry in mergeLoaded(rows, through: through ?? .max, on: delivery, now: now) {
      enqueueLoaded(entry, on: delivery, now: now)
    }
    delivery.queue.keepPossiblyReceived(in: rows)
    sendWaiting(on: delivery, now: now)
  }

  /// Merges a device's notifications from the store and from memory, in order of acceptance and without duplicates.
  ///
  /// Notifications after `through` that have a row, or are about to get one, are left for the next page.
  private mutating func mergeLoaded(
    _ rows: [StoredNotification], through: UInt64, on device: DeviceDelivery, now: Moment
  ) -> [DeliveryEntry] {
    var pending = device.queue.removeForLoad { device.topics.contains($0) }
    let replaced = device.queue.replacedRows(by: pending)
    if through < .max { leaveToNextPage(&pending, after: through, of: device, now: now) }
    var merged: [DeliveryEntry] = []
    merged.reserveCapacity(rows.count + pending.count)
    var next = 0
    for row in rows {
      while next < pending.count, pending[next].sequence < row.sequence {
        merged.append(pending[next])
        next += 1
      }
      let isInMemory = next < pending.count && pending[next].sequence == row.sequence
      guard !isInMemory, device.topics.contains(row.key), !device.queue.isHeld(row.sequence),
        !stage.isBeingRemoved(row), !replaced.contains(row.sequence)
      else { continue }
      merged.append(DeliveryEntry(row))
    }
    merged.append(contentsOf: pending[next...])
    return merged
  }

  /// Removes the entries whose rows belong to a later page; entries without a row stay.
  private mutating func leaveToNextPage(
    _ pending: inout [DeliveryEntry], after through: UInt64, of device: DeviceDelivery, now: Moment
  ) {
    var uncommitted: [DeliveryEntry] = []
    pending.removeAll { entry in
      guard entry.sequence > through, !device.queue.mayHaveReceived(entry) else { return false }
      switch entry.state {
      case .staged, .committing, .stored:
        if leaveBehind(entry, now: now) { uncommitted.append(entry) }
        return true
      default: return false
      }
    }
    device.queue.leaveToStore(contentsOf: uncommitted)
  }

  private mutating func enqueueLoaded(
    _ entry: DeliveryEntry, on device: DeviceDelivery, now: Moment
  ) {
    let isOnce = entry.notification.isOnce(at: now)
    if entry.isFromStore, isOnce { return expire(entry, now: now) }
    // Skip entries from the store, where newer rows have already replaced older ones.
    if !entry.isFromStore, !entry.isTransient, entry.broadcast == nil, !isOnce {
      replaceUnsent(by: entry, on: device)
    }
    entry.markAsWaited()
    entry.isRepetition = device.queue.mayHaveReceived(entry)
    if device.holdsBack(entry) || isThrottled(entry, now: now) {
      hold(orGiveUp: entry, on: device, now: now)
    } else {
      device.queue.wait(entry)
    }
  }

  /// Handles the end of a device's session, regardless of the cause.
  public mutating func disconnect(_ device: UInt64, session: SessionID, now: Moment) {
    guard let delivery = devices[device], delivery.session == session else { return }
    delivery.presence = .offline
    delivery.power = DevicePower()
    delivery.isOverflowing = false
    delivery.loadedThrough = 0
    delivery.hasNewRows = false
    delivery.room = .available
    holding.remove(device)
    paused.remove(device)
    var uncommitted: [DeliveryEntry] = []
    for entry in delivery.queue.endSession() where !entry.isEnded {
      if leaveBehind(entry, now: now) { uncommitted.append(entry) }
    }
    delivery.queue.leaveToStore(contentsOf: uncommitted)
    stopListening(delivery)
    forgetIfIdle(delivery)
  }

  /// Ends an entry that can't stay in the session, or leaves it to the store, for example, because its device
  /// disconnected.
  ///
  /// Returns true if the entry waits for a commit.
  private mutating func leaveBehind(_ entry: DeliveryEntry, now: Moment) -> Bool {
    entry.isRepetition = false
    switch entry.state {
    case .transient(let isAnswered):
      // The entry was sent but not acknowledged. The device might have it, so the core doesn't send it again.
      if isAnswered, !entry.notification.isOnce(at: now) {
        entry.advance(to: .ended)
      } else {
        giveUp(entry)
      }
      forgetReplacement(by: entry)
    case .staged:
      stage.makeDue(entry, now: now)
      return true
    case .committing:
      return true
    case .rowLost(let reason):
      effects.append(.record(reason.state, entry))
      entry.advance(to: .ended)
    case .stored, .keptByChannel:
      entry.advance(to: .ended)
    case .superseded, .withdrawn, .endedCommitting, .ended:
      assertionFailure("#\(entry.sequence) was in flight in the state \(entry.state)")
    }
    return false
  }

  /// Handles the device's acknowledgment of this sequence number.
  public mutating func acknowledge(
    _ device: UInt64, session: SessionID, sequence: UInt64, now: Moment
  ) {
    guard let delivery = devices[device], delivery.session == session,
      let entry = delivery.queue.acknowledge(sequence)
    else { return }
    if delivery.room == .unknown { delivery.room = .available }
    if !entry.isEnded {
      finish(entry, as: entry.isFromStore ? .deliveredFromStorage : .delivered, now: now)
    }
    sendWaiting(on: delivery, now: now)
  }

  /// Ends an entry that the device has acknowledged or discarded.
  mutating func finish(_ entry: DeliveryEntry, as state: DeliveryState, now: Moment) {
    effects.append(.record(state, entry))
    switch entry.state {
    case .transient:
      entry.advance(to: .ended)
      stageRemovalOfReplaced(by: entry, now: now)
    case .staged:
      answer(entry)
      stage.withdraw(entry)
      stageRemovalOfReplaced(by: entry, now: now)
    case .committing:
      stage.end(entry, .acknowledged)
      noteUnremoved(entry)
    case .stored:
      noteUnremoved(entry)
      entry.advance(to: .ended)
      stage.noteEnded(entry.sequence)
      stage.stageRemoval(.remove(entry.key, sequence: entry.sequence), now: now)
    case .rowLost:
      entry.advance(to: .ended)
    case .keptByChannel:
      entry.advance(to: .ended)
      serve(entry)
    case .superseded, .withdrawn, .endedCommitting, .ended:
      assertionFailure("#\(entry.sequence) was acknowledged in the state \(entry.state)")
    }
  }

  /// Removes the rows that an entry replaced; the entry has no row of its own whose insertion would remove them.
  mutating func stageRemovalOfReplaced(by entry: DeliveryEntry, now: Moment) {
    for row in entry.replacedRows {
      stage.stageRemoval(.remove(entry.key, sequence: row), now: now)
    }
  }

  /// Forgets that a refused entry had replaced other entries, because the rows of those entries are still in the store.
  mutating func forgetReplacement(by entry: DeliveryEntry) {
    for row in entry.replacedRows { _ = stage.forgetEnded(row) }
  }

  /// Reloads the notifications that a refused entry had replaced in memory, because the device won't receive that
  /// entry.
  mutating func takeBackReplacement(by entry: DeliveryEntry, on device: DeviceDelivery) {
    guard !entry.replacedRows.isEmpty else { return }
    forgetReplacement(by: entry)
    loadAnew(device)
  }

  /// Handles a change of the device's power state.
  public mutating func setPower(
    _ power: DevicePower, of device: UInt64, session: SessionID, now: Moment
  ) {
    guard let delivery = devices[device], delivery.session == session else { return }
    delivery.power = power
    if power.isRestricted { holdWaiting(on: delivery, now: now) }
    if !power.isAsleep || !power.isRestricted { releaseHeld(on: delivery, now: now) }
    sendWaiting(on: delivery, now: now)
  }

  /// Handles traffic from a sleeping device, such as a keep-alive, which shows that the device is briefly awake.
  public mutating func onDeviceActivity(_ device: UInt64, session: SessionID, now: Moment) {
    guard let delivery = devices[device], delivery.session == session else { return }
    releaseHeld(on: delivery, now: now)
    sendWaiting(on: delivery, now: now)
  }

  /// Discards queued notifications for a token that is no longer active.
  public mutating func unregister(_ key: NotificationKey, now: Moment) {
    discard(of: key.device, where: { $0.key == key }) { entry in
      entry.isFromStore || entry.state.isOnDisk
        ? .discardedUnregisteredFromStorage : .discardedUnregistered
    }
    stage.stageRemoval(.removeKey(key), now: now)
    if let device = devices[key.device] { sendWaiting(on: device, now: now) }
  }

  /// Discards queued notifications for an app whose notifications the user turned off.
  public mutating func disable(_ key: NotificationKey, now: Moment) {
    // The device decides about notifications that were already sent.
    discard(of: key.device, where: { $0.key == key && $0.position != .inFlight }) { entry in
      entry.state.isOnDisk ? .discardedDisabledFromStorage : .discardedDisabled
    }
    stage.stageRemoval(.removeKey(key), now: now)
    if let device = devices[key.device] { sendWaiting(on: device, now: now) }
  }

  /// Ends a revoked device's session and discards its queued notifications.
  public mutating func revoke(_ device: UInt64, now: Moment) {
    discard(of: device, where: { _ in true }) { _ in .discardedUnregistered }
    if let delivery = devices[device] {
      delivery.queue.forgetPossiblyReceived()
      if let session = delivery.session {
        effects.append(.close(session, .revoked))
        disconnect(device, session: session, now: now)
      } else {
        forgetIfIdle(delivery)
      }
    }
    stage.stageRemoval(.removeDevice(device), now: now)
  }

  private mutating func discard(
    of number: UInt64, where matches: (DeliveryEntry) -> Bool,
    as state: (DeliveryEntry) -> DeliveryState
  ) {
    guard let device = devices[number] else { return }
    for entry in device.queue.discard(where: matches) { drop(entry, as: state(entry)) }
    if device.queue.heldCount == 0 { holding.remove(number) }
    forgetIfIdle(device)
  }
}
