public import Storage

/// What the core asks of the store: which rows, in which commit.
extension DeliveryCore {
  mutating func stage(_ notification: AcceptedNotification, deadlineNanoseconds: Int64) {
    notification.durability = .staged(deadlineNanoseconds: deadlineNanoseconds)
    stagedDueNanoseconds = min(stagedDueNanoseconds ?? deadlineNanoseconds, deadlineNanoseconds)
    staged.append(notification)
  }

  mutating func stageRemoval(of notification: AcceptedNotification, now: Moment) {
    stageRemoval(.remove(notification.key, sequence: notification.sequence), now: now)
  }

  mutating func stageRemoval(_ operation: StoreOperation, now: Moment) {
    removals.append(operation)
    if removalsDueNanoseconds == nil {
      removalsDueNanoseconds = now.nanoseconds + Limits.removalNanoseconds
    }
  }

  func isBeingRemoved(_ key: NotificationKey, sequence: UInt64) -> Bool {
    func removes(_ operation: StoreOperation) -> Bool {
      switch operation {
      case .remove(let other, let number): other == key && number == sequence
      case .removeKey(let other): other == key
      case .removeDevice(let device): device == key.device
      case .put, .removeExpired: false
      }
    }
    return removals.contains(where: removes) || committingRemovals.contains(where: removes)
  }

  /// When the next commit should start, in monotonic nanoseconds; `nil` when nothing waits for one or
  /// one runs.
  public func nextCommitNanoseconds() -> Int64? {
    guard !isCommitting else { return nil }
    guard let staged = stagedDueNanoseconds else { return removalsDueNanoseconds }
    return min(staged, removalsDueNanoseconds ?? staged)
  }

  /// The operations of the next commit; empty when none is due or one runs.
  ///
  /// What a connected device may still acknowledge in time stays behind. After a call that gave
  /// operations, ``commitFinished(isDurable:now:)`` must follow.
  public mutating func takeCommit(now: Moment) -> [StoreOperation] {
    guard !isCommitting else { return [] }
    var operations: [StoreOperation] = []
    var left: [AcceptedNotification] = []
    stagedDueNanoseconds = nil
    for notification in staged {
      guard case .staged(let deadline) = notification.durability else { continue }
      if notification.isAcknowledged || notification.isDropped && notification.isAnswered {
        notification.durability = .none
        endedRows.remove(notification.sequence)
        continue
      }
      guard deadline <= now.nanoseconds else {
        left.append(notification)
        stagedDueNanoseconds = min(stagedDueNanoseconds ?? deadline, deadline)
        continue
      }
      notification.durability = .committing
      committing.append(notification)
      operations.append(.put(notification.stored, keep: notification.keep))
    }
    staged = left
    guard !operations.isEmpty || (removalsDueNanoseconds ?? .max) <= now.nanoseconds else {
      return []
    }
    // Removals first: a key that was emptied may have been filled again.
    swap(&removals, &committingRemovals)
    removals.removeAll(keepingCapacity: true)
    removalsDueNanoseconds = nil
    isCommitting = true
    return committingRemovals + operations
  }

  /// The commit of the last ``takeCommit(now:)`` ended, in which the store `dropped` rows.
  ///
  /// - Returns: Those of them whose notifications ended with them.
  @discardableResult
  public mutating func commitFinished(
    isDurable: Bool, dropping dropped: [DroppedNotification] = [], now: Moment
  ) -> [DroppedNotification] {
    guard isCommitting else { return dropped }
    isCommitting = false
    let ended = dropped.filter { isEnd($0) }
    let finished = committing
    committing.removeAll(keepingCapacity: true)
    if !isDurable {
      removals.append(contentsOf: committingRemovals)
      if !removals.isEmpty {
        removalsDueNanoseconds = now.nanoseconds + Limits.removalNanoseconds
      }
    }
    if isDurable {
      for case .remove(_, let sequence) in committingRemovals { endedRows.remove(sequence) }
    }
    committingRemovals.removeAll(keepingCapacity: true)
    for notification in finished {
      if isDurable {
        settle(notification, now: now)
      } else {
        abandon(notification)
      }
    }
    return ended
  }

  /// Whether a row that the store dropped was the last of its notification, and that is news: one that
  /// is on its way to a connected device gets there without its row.
  private mutating func isEnd(_ dropped: DroppedNotification) -> Bool {
    guard endedRows.remove(dropped.sequence) == nil else { return false }
    guard let device = devices[dropped.key.device], device.session != nil,
      let known = device.known(dropped.sequence)
    else { return true }
    known.lostRow = dropped.reason
    return false
  }

  private mutating func settle(_ notification: AcceptedNotification, now: Moment) {
    notification.durability = .stored
    answer(notification)
    if notification.isAcknowledged || notification.isDropped {
      stageRemoval(of: notification, now: now)
    }
    guard let device = devices[notification.key.device] else { return }
    switch device.presence {
    case .offline:
      effects.append(.record(.storedOffline, notification))
      device.uncommitted.removeAll { $0 === notification }
      forgetIfIdle(device)
    case .live:
      device.uncommitted.removeAll { $0 === notification }
      if !device.topics.contains(notification.key) {
        effects.append(.record(.storedOffline, notification))
      } else if device.held.contains(where: { $0 === notification }) {
        effects.append(.record(.storedPower, notification))
      }
    case .loading:
      break
    }
  }

  private mutating func abandon(_ notification: AcceptedNotification) {
    notification.durability = .none
    endedRows.remove(notification.sequence)
    guard !notification.isAnswered else { return }
    notification.isAnswered = true
    effects.append(notification.isAcknowledged ? .answer(notification) : .fail(notification))
    guard let device = devices[notification.key.device], device.presence == .offline else { return }
    device.uncommitted.removeAll { $0 === notification }
    forgetIfIdle(device)
  }
}
