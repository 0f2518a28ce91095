import Storage

/// The entries and rows that wait for a commit, and the rules that decide what each commit inserts and removes.
///
/// An entry is due immediately unless its device is connected and can still acknowledge it; in that case, it is due at
/// its deadline. Only one commit runs at a time.
struct CommitStage {
  /// A queue of entries, sorted by commit deadline; it skips entries that are no longer staged.
  private struct DeadlineQueue {
    private var entries: [DeliveryEntry] = []
    private var head = 0
    #if DEBUG
      /// The number of entries removed so far, which tests use to measure work.
      private(set) var examined = 0
    #endif

    var first: DeliveryEntry? { head < entries.count ? entries[head] : nil }
    var all: ArraySlice<DeliveryEntry> { entries[head...] }

    mutating func append(_ entry: DeliveryEntry) { entries.append(entry) }

    mutating func removeFirst() {
      assert(head < entries.count, "the queue is not empty")
      #if DEBUG
        examined += 1
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

    /// Removes leading entries that have left the stage.
    mutating func trim() {
      while let entry = first, entry.commitDeadline == nil { removeFirst() }
    }

    /// Moves due entries into a commit, up to the commit's capacity, and returns the number of moved entries.
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

  /// The entries whose deadline had passed when they were staged.
  private var due = DeadlineQueue()
  /// The entries whose device can still acknowledge them before their deadline.
  private var delayed = DeadlineQueue()
  private var committing: [DeliveryEntry] = []
  private var removals = RowRemovals()
  private var committingRemovals = RowRemovals()
  private var removalsDueNanoseconds: Int64?
  private(set) var isCommitting = false
  /// The number of entries that wait for a commit.
  private var stagedCount = 0
  /// The rows of notifications whose final state was already recorded; if the store reports that it dropped such a row,
  /// the report is ignored.
  private(set) var endedRows: Set<UInt64> = []
  #if DEBUG
    var examined: Int { due.examined + delayed.examined }
  #endif

  // MARK: Insertions

  /// Stages an entry, to be committed no later than `deadlineNanoseconds`.
  mutating func stage(_ entry: DeliveryEntry, deadlineNanoseconds: Int64, now: Moment) {
    entry.advance(to: .staged(deadlineNanoseconds: deadlineNanoseconds))
    stagedCount += 1
    if deadlineNanoseconds <= now.nanoseconds {
      due.append(entry)
    } else {
      delayed.append(entry)
    }
  }

  /// Makes a staged entry due now, because its device can no longer acknowledge it.
  mutating func makeDue(_ entry: DeliveryEntry, now: Moment) {
    guard case .staged(let deadline) = entry.state else {
      return assertionFailure("#\(entry.sequence) is \(entry.state), not staged")
    }
    // An entry whose deadline has passed is already in the due queue.
    guard deadline > now.nanoseconds else { return }
    entry.advance(to: .staged(deadlineNanoseconds: now.nanoseconds))
    due.append(entry)
  }

  /// Withdraws an entry that ended before its commit and therefore needs no row.
  mutating func withdraw(_ entry: DeliveryEntry) {
    entry.advance(to: .withdrawn)
    stagedCount -= 1
    due.trim()
    delayed.trim()
  }

  /// Marks a staged entry as replaced by a newer entry; if the store later reports that it dropped the row, the report
  /// is ignored.
  mutating func supersede(_ entry: DeliveryEntry) {
    guard let deadline = entry.commitDeadline else {
      return assertionFailure("#\(entry.sequence) is \(entry.state), not staged")
    }
    entry.advance(to: .superseded(deadlineNanoseconds: deadline))
    noteEnded(entry.sequence)
  }

  /// Marks an entry as ended while its commit is running.
  mutating func end(_ entry: DeliveryEntry, _ ending: DeliveryEntry.Ending) {
    entry.advance(to: .endedCommitting(ending))
    noteEnded(entry.sequence)
  }

  // MARK: Removals

  /// Records that an entry with a row has ended, so that a later report of the dropped row is ignored.
  mutating func noteEnded(_ sequence: UInt64) { endedRows.insert(sequence) }

  /// Returns true if the row's notification was recorded as ended, and deletes the record; the store drops each row
  /// only once.
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
      removalsDueNanoseconds = now.nanoseconds + Limits.removalDelayNanoseconds
    }
  }

  /// True if the next commit removes rows.
  var hasRemovals: Bool { removalsDueNanoseconds != nil }

  /// Makes the next commit due immediately if there are rows to remove.
  mutating func makeRemovalsDue(now: Moment) {
    guard let due = removalsDueNanoseconds else { return }
    removalsDueNanoseconds = min(due, now.nanoseconds)
  }

  func isBeingRemoved(_ row: StoredNotification) -> Bool {
    removals.contains(row) || committingRemovals.contains(row)
  }

  // MARK: Commits

  /// The time at which the next commit should start; `nil` if a commit is running or nothing is staged.
  var nextCommitNanoseconds: Int64? {
    guard !isCommitting else { return nil }
    let dues = (due.first?.commitDeadline, delayed.first?.commitDeadline, removalsDueNanoseconds)
    let next = min(dues.0 ?? .max, dues.1 ?? .max, dues.2 ?? .max)
    return next == .max ? nil : next
  }

  /// True if everything staged is on disk or withdrawn.
  var isSettled: Bool { !isCommitting && stagedCount == 0 && removals.isEmpty }

  /// Starts the next commit and returns its operations; returns no operations if no commit is due or one is already
  /// running.
  mutating func startCommit(now: Moment) -> [StoreOperation] {
    // The loop calls this method at the end of every turn, even during a commit.
    guard !isCommitting else { return [] }
    assert(
      committing.isEmpty && committingRemovals.isEmpty,
      "no rows or removals remain from the previous commit")
    stagedCount -= due.moveDue(at: now, into: &committing)
    stagedCount -= delayed.moveDue(at: now, into: &committing)
    guard !committing.isEmpty || (removalsDueNanoseconds ?? .max) <= now.nanoseconds else {
      return []
    }
    swap(&removals, &committingRemovals)
    removalsDueNanoseconds = nil
    isCommitting = true
    // Removals must come before insertions: after all rows of a key are removed, the same commit can insert new ones.
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

  /// Finishes the running commit and returns its entries; `expired` is the number of expired rows that the commit
  /// removed.
  mutating func finishCommit(isDurable: Bool, expired: Int, now: Moment) -> [DeliveryEntry] {
    assert(isCommitting, "only a running commit has contents and can finish")
    isCommitting = false
    var finished: [DeliveryEntry] = []
    swap(&finished, &committing)
    if !isDurable {
      removals.add(contentsOf: committingRemovals)
      if !removals.isEmpty { setRemovalsDue(now: now) }
      for entry in finished { endedRows.remove(entry.sequence) }
    } else if let second = committingRemovals.sweepSecond, expired >= Limits.sweepRowsMax {
      // The sweep reached its limit, so more expired rows might remain. A separate sweep lets pushes be committed in
      // between.
      stageSweep(beforeUnixSeconds: second, now: now)
    }
    return finished
  }

  /// The sequence numbers of the rows that the running commit inserts.
  var committingSequences: [UInt64] { committing.map(\.sequence) }

  /// Clears the removals of the finished commit; the caller must handle the dropped rows first.
  mutating func forgetRemovals(isDurable: Bool) {
    if isDurable {
      for case .remove(_, let sequence) in committingRemovals.operations {
        endedRows.remove(sequence)
      }
    }
    committingRemovals.removeAll()
  }

  /// Takes back the array that ``finishCommit(isDurable:expired:now:)`` returned, to reuse its capacity.
  mutating func reuse(_ finished: inout [DeliveryEntry]) {
    assert(committing.isEmpty, "no new commit has started")
    finished.removeAll(keepingCapacity: true)
    swap(&committing, &finished)
  }

  /// Makes all staged entries due immediately, for a shutdown.
  mutating func flush(now: Moment) {
    for entry in delayed.all {
      switch entry.state {
      case .staged(let deadline) where deadline > now.nanoseconds:
        entry.advance(to: .staged(deadlineNanoseconds: now.nanoseconds))
      case .superseded(let deadline) where deadline > now.nanoseconds:
        entry.advance(to: .superseded(deadlineNanoseconds: now.nanoseconds))
      default: break
      }
    }
    makeRemovalsDue(now: now)
  }

  // MARK: Invariants

  /// The number of staged entries whose providers wait for an answer; computing it examines all entries of the running
  /// commit.
  var unansweredCount: Int { stagedCount + committing.count { !$0.isAnswered } }

  /// Asserts the invariants that hold between events.
  func checkInvariants() {
    removals.checkInvariants()
    committingRemovals.checkInvariants()
    assert(
      removals.isEmpty == (removalsDueNanoseconds == nil),
      "a commit is scheduled exactly while removals wait")
    assert(
      isCommitting || committing.isEmpty && committingRemovals.isEmpty,
      "only a running commit has contents and can finish")
    assert(
      committing.count <= Limits.commitRowsMax,
      "the number of rows in a commit is within its limit: \(committing.count)")
    for entry in committing {
      switch entry.state {
      case .committing, .endedCommitting: break
      default:
        assertionFailure("#\(entry.sequence) is in the state \(entry.state) during its commit")
      }
    }
    var staged: Set<UInt64> = []
    for entry in due.all where entry.commitDeadline != nil { staged.insert(entry.sequence) }
    for entry in delayed.all where entry.commitDeadline != nil { staged.insert(entry.sequence) }
    assert(
      staged.count == stagedCount,
      "the \(staged.count) staged entries match their count, \(stagedCount)")
    assert(
      due.first == nil || due.first?.commitDeadline != nil, "the first due entry waits for a commit"
    )
    assert(
      delayed.first == nil || delayed.first?.commitDeadline != nil,
      "the first delayed entry waits for a commit")
  }
}
