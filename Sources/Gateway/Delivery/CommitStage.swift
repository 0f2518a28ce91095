import Storage

/// What the store is asked next: which rows come and go, in which commit.
///
/// An entry that may still be acknowledged in time gathers for a while; one that cannot is due at once.
/// One commit runs at a time.
struct CommitStage {
  /// Entries in the order in which they came; those that left the stage meanwhile are passed over.
  private struct Line {
    private var entries: [DeliveryEntry] = []
    private var head = 0
    #if DEBUG
      /// Entries that were taken out: what tests measure work by.
      private(set) var visits = 0
    #endif

    var first: DeliveryEntry? { head < entries.count ? entries[head] : nil }
    var all: ArraySlice<DeliveryEntry> { entries[head...] }

    mutating func append(_ entry: DeliveryEntry) { entries.append(entry) }

    mutating func removeFirst() {
      assert(head < entries.count, "nothing is in line")
      #if DEBUG
        visits += 1
      #endif
      head += 1
      if head == entries.count {
        entries.removeAll(keepingCapacity: true)
        head = 0
      } else if head >= 256, head * 2 >= entries.count {
        entries.removeFirst(head)
        head = 0
      }
    }

    /// Passes over those that left the stage.
    mutating func trim() {
      while let entry = first, entry.commitDeadline == nil { removeFirst() }
    }

    /// Moves those that are due into a commit, as far as it has room; how many it moved.
    mutating func moveDue(at now: Moment, into committing: inout [DeliveryEntry]) -> Int {
      let before = committing.count
      while let entry = first, committing.count < Limits.commitRowsMax {
        if let deadline = entry.commitDeadline {
          guard deadline <= now.nanoseconds else { break }
          if case .superseded = entry.state {
            entry.advance(to: .endedCommitting(.dropped))
          } else {
            entry.advance(to: .committing)
          }
          committing.append(entry)
        }
        removeFirst()
      }
      trim()
      return committing.count - before
    }
  }

  private var due = Line()
  /// By ascending deadline.
  private var gathering = Line()
  private var committing: [DeliveryEntry] = []
  private var removals = RowRemovals()
  private var committingRemovals = RowRemovals()
  private var removalsDueNanoseconds: Int64?
  private(set) var isCommitting = false
  /// Entries that wait for a commit.
  private var stagedCount = 0
  /// The rows of notifications whose end is recorded: the store may have yet to drop them.
  private var endedRows: Set<UInt64> = []
  #if DEBUG
    var visits: Int { due.visits + gathering.visits }
  #endif

  // MARK: Rows that come

  /// An entry is to be committed at the latest at `deadlineNanoseconds`.
  mutating func stage(_ entry: DeliveryEntry, deadlineNanoseconds: Int64, now: Moment) {
    entry.advance(to: .staged(deadlineNanoseconds: deadlineNanoseconds))
    stagedCount += 1
    if deadlineNanoseconds <= now.nanoseconds {
      due.append(entry)
    } else {
      gathering.append(entry)
    }
  }

  /// An entry need not be waited for any more.
  mutating func hasten(_ entry: DeliveryEntry, now: Moment) {
    guard case .staged(let deadline) = entry.state else {
      return assertionFailure("#\(entry.sequence) is \(entry.state), not staged")
    }
    // One that is due already is in line.
    guard deadline > now.nanoseconds else { return }
    entry.advance(to: .staged(deadlineNanoseconds: now.nanoseconds))
    due.append(entry)
  }

  /// An entry ended before its commit: it needs no row.
  mutating func withdraw(_ entry: DeliveryEntry) {
    entry.advance(to: .withdrawn)
    stagedCount -= 1
    due.trim()
    gathering.trim()
  }

  /// A newer one replaced a staged entry: the store drops its row, which is no news then.
  mutating func supersede(_ entry: DeliveryEntry) {
    guard let deadline = entry.commitDeadline else {
      return assertionFailure("#\(entry.sequence) is \(entry.state), not staged")
    }
    entry.advance(to: .superseded(deadlineNanoseconds: deadline))
    noteEnded(entry.sequence)
  }

  /// An entry ended while its commit runs.
  mutating func end(_ entry: DeliveryEntry, _ ending: DeliveryEntry.Ending) {
    entry.advance(to: .endedCommitting(ending))
    noteEnded(entry.sequence)
  }

  // MARK: Rows that go

  /// An entry with a row has ended: that the store drops the row is no news.
  mutating func noteEnded(_ sequence: UInt64) { endedRows.insert(sequence) }

  /// Whether the end of the row's notification was recorded; it is asked once.
  mutating func forgetEnded(_ sequence: UInt64) -> Bool { endedRows.remove(sequence) != nil }

  mutating func stageRemoval(_ operation: StoreOperation, now: Moment) {
    removals.add(operation)
    setRemovalsDue(now: now)
  }

  mutating func stageSweep(now: Moment) { stageSweep(beforeUnixSeconds: now.unixSeconds, now: now) }

  private mutating func stageSweep(beforeUnixSeconds second: Int64, now: Moment) {
    removals.sweep(beforeUnixSeconds: second)
    setRemovalsDue(now: now)
  }

  private mutating func setRemovalsDue(now: Moment) {
    if removalsDueNanoseconds == nil {
      removalsDueNanoseconds = now.nanoseconds + Limits.removalNanoseconds
    }
  }

  func isBeingRemoved(_ key: NotificationKey, sequence: UInt64) -> Bool {
    removals.contains(key, sequence: sequence)
      || committingRemovals.contains(key, sequence: sequence)
  }

  // MARK: Commits

  /// When the next commit should start; `nil` when nothing waits for one or one runs.
  var nextCommitNanoseconds: Int64? {
    guard !isCommitting else { return nil }
    let dues = (due.first?.commitDeadline, gathering.first?.commitDeadline, removalsDueNanoseconds)
    let next = min(dues.0 ?? .max, dues.1 ?? .max, dues.2 ?? .max)
    return next == .max ? nil : next
  }

  /// Whether everything that was staged is on disk, or withdrawn.
  var isSettled: Bool { !isCommitting && stagedCount == 0 && removals.isEmpty }

  /// The operations of the next commit; empty when none is due or one runs.
  mutating func startCommit(now: Moment) -> [StoreOperation] {
    // The shell asks at the end of each turn, whatever runs.
    guard !isCommitting else { return [] }
    assert(committing.isEmpty && committingRemovals.isEmpty, "a commit has left something behind")
    stagedCount -= due.moveDue(at: now, into: &committing)
    stagedCount -= gathering.moveDue(at: now, into: &committing)
    guard !committing.isEmpty || (removalsDueNanoseconds ?? .max) <= now.nanoseconds else {
      return []
    }
    swap(&removals, &committingRemovals)
    removalsDueNanoseconds = nil
    isCommitting = true
    // Removals first: a key that was emptied may have been filled again.
    var operations = committingRemovals.operations
    if let second = committingRemovals.sweepSecond {
      operations.append(.removeExpired(beforeUnixSeconds: second, limit: Limits.sweepRowsMax))
    }
    operations.reserveCapacity(operations.count + committing.count)
    for entry in committing {
      operations.append(.put(entry.row, keep: entry.notification.keep))
    }
    return operations
  }

  /// The commit ended, in which the store dropped `expired` rows for their time; what was part of it.
  mutating func finishCommit(isDurable: Bool, expired: Int, now: Moment) -> [DeliveryEntry] {
    assert(isCommitting, "no commit runs")
    isCommitting = false
    var finished: [DeliveryEntry] = []
    swap(&finished, &committing)
    if !isDurable {
      removals.add(contentsOf: committingRemovals)
      if !removals.isEmpty { setRemovalsDue(now: now) }
      for entry in finished { endedRows.remove(entry.sequence) }
    } else if let second = committingRemovals.sweepSecond, expired >= Limits.sweepRowsMax {
      // The slice was full, so there may be more; pushes get their commits in between.
      stageSweep(beforeUnixSeconds: second, now: now)
    }
    return finished
  }

  /// What the store dropped is dealt with: its removals are history.
  mutating func forgetRemovals(isDurable: Bool) {
    if isDurable {
      for case .remove(_, let sequence) in committingRemovals.operations {
        endedRows.remove(sequence)
      }
    }
    committingRemovals.removeAll()
  }

  /// Gives the list that ``finishCommit(isDurable:expired:now:)`` returned back, for its capacity.
  mutating func reuse(_ finished: inout [DeliveryEntry]) {
    assert(committing.isEmpty, "a commit has begun meanwhile")
    finished.removeAll(keepingCapacity: true)
    swap(&finished, &committing)
  }

  /// Makes everything that is staged due at once, for a shutdown.
  mutating func flush(now: Moment) {
    for entry in gathering.all {
      switch entry.state {
      case .staged(let deadline) where deadline > now.nanoseconds:
        entry.advance(to: .staged(deadlineNanoseconds: now.nanoseconds))
      case .superseded(let deadline) where deadline > now.nanoseconds:
        entry.advance(to: .superseded(deadlineNanoseconds: now.nanoseconds))
      default: break
      }
    }
    if removalsDueNanoseconds != nil { removalsDueNanoseconds = now.nanoseconds }
  }

  // MARK: Invariants

  /// Asserts what holds between events.
  func checkInvariants() {
    removals.checkInvariants()
    committingRemovals.checkInvariants()
    assert(removals.isEmpty == (removalsDueNanoseconds == nil), "removals wait for no commit")
    assert(isCommitting || committing.isEmpty && committingRemovals.isEmpty, "no commit runs")
    assert(committing.count <= Limits.commitRowsMax, "a commit of \(committing.count) rows")
    for entry in committing {
      switch entry.state {
      case .committing, .endedCommitting: break
      default: assertionFailure("#\(entry.sequence) is \(entry.state), and its commit runs")
      }
    }
    var staged: Set<UInt64> = []
    for entry in due.all where entry.commitDeadline != nil { staged.insert(entry.sequence) }
    for entry in gathering.all where entry.commitDeadline != nil { staged.insert(entry.sequence) }
    assert(staged.count == stagedCount, "\(staged.count) are staged, not \(stagedCount)")
    assert(due.first == nil || due.first?.commitDeadline != nil, "what is first waits for nothing")
    assert(
      gathering.first == nil || gathering.first?.commitDeadline != nil,
      "what gathers first waits for nothing")
  }
}
