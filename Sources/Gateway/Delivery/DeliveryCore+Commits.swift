public import Storage

/// What the core asks of the store, and what it makes of the answer.
extension DeliveryCore {
  /// When the next commit should start, in monotonic nanoseconds; `nil` when nothing waits for one or
  /// one runs.
  public func nextCommitNanoseconds() -> Int64? { stage.nextCommitNanoseconds }

  /// The operations of the next commit; empty when none is due or one runs.
  ///
  /// What a connected device may still acknowledge in time stays behind. After a call that gave
  /// operations, ``commitFinished(isDurable:dropping:now:)`` must follow.
  public mutating func takeCommit(now: Moment) -> [StoreOperation] { stage.startCommit(now: now) }

  /// The commit of the last ``takeCommit(now:)`` ended, in which the store `dropped` rows.
  ///
  /// - Returns: Those of them whose notifications ended with them.
  @discardableResult
  public mutating func commitFinished(
    isDurable: Bool, dropping dropped: [DroppedNotification] = [], now: Moment
  ) -> [DroppedNotification] {
    precondition(stage.isCommitting, "a commit ended that was not begun")
    assert(isDurable || dropped.isEmpty, "a commit that failed dropped rows")
    let expired = dropped.count { $0.reason == .expired }
    var finished = stage.finishCommit(isDurable: isDurable, expired: expired, now: now)
    for entry in finished {
      if isDurable { settle(entry, now: now) } else { abandon(entry, now: now) }
    }
    stage.reuse(&finished)
    let ended = dropped.filter { isEnd($0) }
    stage.forgetRemovals(isDurable: isDurable)
    return ended
  }

  /// Whether a row that the store dropped was the last of its notification, and that is news: one that
  /// is on its way to a connected device gets there without its row.
  private mutating func isEnd(_ dropped: DroppedNotification) -> Bool {
    guard !stage.forgetEnded(dropped.sequence) else { return false }
    guard let device = devices[dropped.key.device], device.session != nil,
      let entry = device.queue.entry(dropped.sequence)
    else { return true }
    assert(entry.key == dropped.key, "#\(dropped.sequence) has two keys")
    entry.advance(to: .rowLost(dropped.reason))
    return false
  }

  /// An entry's row is on disk.
  private mutating func settle(_ entry: DeliveryEntry, now: Moment) {
    if case .endedCommitting(let ending) = entry.state {
      entry.advance(to: .ended)
      if ending != .droppedAnswered { effects.append(.answer(entry)) }
      stage.stageRemoval(.remove(entry.key, sequence: entry.sequence), now: now)
      return
    }
    entry.advance(to: .stored)
    effects.append(.answer(entry))
    // A broadcast's copy has no row; what is committed has a device.
    guard let device = devices[entry.key.device] else {
      return assertionFailure("#\(entry.sequence) is for a device that was forgotten")
    }
    switch device.presence {
    case .offline:
      effects.append(.record(.storedOffline, entry))
      device.queue.removeUncommitted(entry)
      forgetIfIdle(device)
    case .live:
      if entry.place == .uncommitted { device.queue.removeUncommitted(entry) }
      if !device.topics.contains(entry.key) {
        effects.append(.record(.storedOffline, entry))
      } else if entry.place == .held {
        effects.append(.record(.storedPower, entry))
      }
    case .loading:
      // The load may have been read before: memory keeps it until the rows are here.
      break
    }
  }

  /// An entry's commit failed: nothing is promised.
  private mutating func abandon(_ entry: DeliveryEntry, now: Moment) {
    switch entry.state {
    case .committing:
      effects.append(.fail(entry))
      let device = devices[entry.key.device]
      device?.queue.forgetRow(of: entry)
      entry.advance(to: .transient(isAnswered: true))
      if let device { forgetIfIdle(device) }
    case .endedCommitting(.acknowledged):
      effects.append(.answer(entry))
      entry.advance(to: .ended)
      stageRemovalOfReplaced(by: entry, now: now)
    case .endedCommitting(.dropped):
      effects.append(.fail(entry))
      entry.advance(to: .ended)
    case .endedCommitting(.droppedAnswered):
      entry.advance(to: .ended)
    default:
      assertionFailure("#\(entry.sequence) is \(entry.state), and its commit failed")
    }
  }
}
