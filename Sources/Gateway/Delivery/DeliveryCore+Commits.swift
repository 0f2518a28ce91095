public import Storage

/// Commits: the requests to the store, and the handling of their outcomes.
extension DeliveryCore {
  /// Returns the time at which the next commit should start, in monotonic nanoseconds; `nil` if a commit is running or
  /// nothing is staged.
  public func nextCommitNanoseconds() -> Int64? { stage.nextCommitNanoseconds }

  /// Starts the next commit and returns its operations; returns no operations if no commit is due or one is already
  /// running.
  ///
  /// The commit omits entries that a connected device can still acknowledge before their deadline. If the result isn't
  /// empty, the caller must call `commitFinished(isDurable:dropping:now:)` afterward.
  public mutating func takeCommit(now: Moment) -> [StoreOperation] {
    let operations = stage.startCommit(now: now)
    if !operations.isEmpty {
      beginRemovals()
      beginWithdrawals()
    }
    return operations
  }

  /// Finishes the commit that ``takeCommit(now:)`` started; `dropped` lists the rows that the store dropped during the
  /// commit, and `refused` the rows that it neither wrote nor removed, because another node has claimed the device.
  public mutating func commitFinished(
    isDurable: Bool, dropping dropped: [DroppedNotification] = [],
    refusing refused: [DroppedNotification] = [], now: Moment
  ) {
    precondition(stage.isCommitting, "a commit is running")
    assert(isDurable || dropped.isEmpty, "a failed commit dropped no rows")
    let expired = dropped.count { $0.reason == .expired }
    let refusedRows = Set(refused.map(\.sequence))
    let inserted = Set(refused.isEmpty ? [] : stage.committingSequences)
    var finished = stage.finishCommit(isDurable: isDurable, expired: expired, now: now)
    for entry in finished {
      if refusedRows.contains(entry.sequence) {
        _ = stage.forgetEnded(entry.sequence)
        abandon(entry, isRefused: true, now: now)
      } else if isDurable {
        settle(entry, now: now)
      } else {
        abandon(entry, now: now)
      }
    }
    stage.reuse(&finished)
    let ended = dropped.filter { isEnd($0) }
    stage.forgetRemovals(isDurable: isDurable)
    for row in refused
    where row.sequence != 0 && !inserted.contains(row.sequence)
      && devices[row.key.device]?.session != nil
    {
      // The device has the notification, and must not get it again when this node has claimed the device back.
      stage.noteEnded(row.sequence)
      stage.stageRemoval(.remove(row.key, sequence: row.sequence), now: now)
    }
    if !ended.isEmpty { effects.append(.recordDropped(ended)) }
    endWithdrawals(isDurable: isDurable, refusing: refused)
    endRemovals(now: now)
  }

  /// Returns true if a notification ended when the store dropped its row.
  ///
  /// Returns false if the end was already recorded, or if the notification is on its way to a connected device and no
  /// longer needs the row. A notification that is still queued or held ends if newer ones replaced its row, or if it
  /// was withdrawn.
  private mutating func isEnd(_ dropped: DroppedNotification) -> Bool {
    guard !stage.forgetEnded(dropped.sequence) else { return false }
    guard let device = devices[dropped.key.device], device.session != nil,
      let entry = device.queue.entry(dropped.sequence)
    else { return true }
    assert(entry.key == dropped.key, "#\(dropped.sequence) was dropped under its own key")
    // The end was recorded, and the entry only awaits the device's acknowledgment. The entry's commit was refused, but an
    // earlier attempt had written its row.
    guard !entry.isEnded else { return false }
    // The result of the entry's commit was unknown, so the push was refused, although its row was on disk. The entry is
    // still on its way to the device.
    guard !entry.isTransient else { return false }
    if entry.position == .uncommitted {
      // The entry was left to the store, which has now dropped it.
      device.queue.removeUncommitted(entry)
      entry.advance(to: .ended)
      return true
    }
    if dropped.reason == .withdrawn, entry.position != .inFlight {
      // The row was read before the commit that removed it.
      device.queue.removeUnsent(entry)
      entry.advance(to: .ended)
      return true
    }
    if dropped.reason == .replaced, device.presence.isLive, device.queue.removeDropped(entry) {
      entry.advance(to: .ended)
      return true
    }
    entry.advance(to: .rowLost(dropped.reason))
    return false
  }

  /// Handles an entry whose row is on disk.
  private mutating func settle(_ entry: DeliveryEntry, now: Moment) {
    if case .endedCommitting(let ending) = entry.state {
      entry.advance(to: .ended)
      if ending != .droppedAnswered { answer(entry) }
      if !entry.leaveRowToReplacement() {
        stage.stageRemoval(.remove(entry.key, sequence: entry.sequence), now: now)
      }
      return
    }
    entry.advance(to: .stored)
    answer(entry)
    // Copies of broadcasts have no rows, so a committed entry has a device.
    guard let device = devices[entry.key.device] else {
      return assertionFailure("#\(entry.sequence) is for a forgotten device")
    }
    switch device.presence {
    case .offline:
      effects.append(.record(.storedOffline, entry))
      device.queue.removeUncommitted(entry)
      forgetIfIdle(device)
    case .live:
      let isInStoreOnly = entry.position == .uncommitted
      if isInStoreOnly { device.queue.removeUncommitted(entry) }
      if !device.topics.contains(entry.key) {
        effects.append(.record(.storedOffline, entry))
      } else if entry.position == .held {
        effects.append(.record(.storedPower, entry))
      } else if device.isPaused, isInStoreOnly || entry.position == .waiting {
        effects.append(.record(.storedNoRoom, entry))
      }
    case .loading:
      // The load might have read the store before this commit, so keep the entry in memory until the load has finished.
      break
    }
  }

  /// Removes an entry whose provider is told that the store failed, unless the entry has already been sent to the
  /// device.
  ///
  /// Returns true if the entry was removed.
  private mutating func remove(_ entry: DeliveryEntry, from device: DeviceDelivery?) -> Bool {
    switch entry.position {
    case .inFlight: return false
    case .none: forgetReplacement(by: entry)
    case .uncommitted:
      device?.queue.removeUncommitted(entry)
      forgetReplacement(by: entry)
    case .waiting, .held:
      guard let device else {
        assertionFailure("#\(entry.sequence) waits for a forgotten device")
        return true
      }
      device.queue.removeUnsent(entry)
      takeBackReplacement(by: entry, on: device)
    }
    return true
  }

  /// Handles an entry whose commit failed.
  ///
  /// If the provider is still waiting for its answer, it is told that the store failed, unless the device has
  /// acknowledged the notification.
  private mutating func abandon(
    _ entry: DeliveryEntry, isRefused: Bool = false, now: Moment
  ) {
    switch entry.state {
    case .committing:
      if isRefused { submitAgain(entry) } else { fail(entry) }
      let device = devices[entry.key.device]
      let isRemoved = remove(entry, from: device)
      entry.advance(to: .transient(isAnswered: true))
      if isRemoved { entry.advance(to: .ended) }
      if let device {
        // The notifications that the entry replaced are still in the store and might have to be loaded.
        sendWaiting(on: device, now: now)
        forgetIfIdle(device)
      }
    case .endedCommitting(.acknowledged):
      answer(entry)
      entry.advance(to: .ended)
      stageRemovalOfReplaced(by: entry, now: now)
    case .endedCommitting(.dropped):
      fail(entry)
      entry.advance(to: .ended)
      _ = entry.leaveRowToReplacement()
    case .endedCommitting(.droppedAnswered):
      entry.advance(to: .ended)
      stageRemovalOfReplaced(by: entry, now: now)
    default:
      assertionFailure("the commit of #\(entry.sequence) failed in the state \(entry.state)")
    }
  }
}
