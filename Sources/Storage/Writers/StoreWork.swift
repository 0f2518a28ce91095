internal import Synchronization
internal import System

/// The work of the notification writer's thread: commits first, then some rows of the loads in progress, and finally
/// the removal of data that is no longer needed.
final class StoreWork: Sendable {
  /// A load that has been partially read.
  private struct Load {
    let request: GroupCommitWriter.Request
    let device: UInt64
    /// The last sequence number that was read.
    var after: UInt64
    /// The maximum number of rows that remain to be read.
    var limit: Int
    var rows: [StoredNotification] = []
  }

  private let store: any NotificationStore
  private let metrics: CommitMetrics
  private let requests: RequestCount
  /// True once the writer is closing, so that no more data is removed; the next process continues.
  private let isClosing = Atomic(false)
  /// The loads in progress; only the writer's thread uses them, so the lock is never contended.
  private let loads = Mutex<[Load]>([])

  init(store: any NotificationStore, metrics: CommitMetrics, requests: RequestCount) {
    self.store = store
    self.metrics = metrics
    self.requests = requests
  }

  /// Ends the removal of data, which can take minutes.
  func stopSweeping() { isClosing.store(true, ordering: .relaxed) }

  private func answer(
    _ request: GroupCommitWriter.Request, _ outcome: StoreReply.Outcome
  ) {
    requests.answer()
    request.answer(outcome)
  }

  /// Handles a batch.
  ///
  /// Returns true if a load is still in progress, or if the store has more data to remove.
  func perform(_ requests: [GroupCommitWriter.Request]) -> Bool {
    loads.withLock { loads in
      commitAll(requests, &loads)
      for request in requests {
        switch request.task {
        case .load(let device, let after, let limit, _):
          loads.append(Load(request: request, device: device, after: after, limit: limit))
        case .find(let key, let uniqueID):
          do throws(StorageFailure) {
            answer(request, .found(try store.times(key, uniqueID: uniqueID)))
          } catch {
            answer(request, .failed(error))
          }
        case .probe:
          // The store's health records the result.
          try? store.probe()
          answer(request, .committed([]))
        case .commit: continue
        }
      }
      readSome(&loads)
      guard !isClosing.load(ordering: .relaxed) else { return !loads.isEmpty }
      let hasMore = store.sweep(isIdle: requests.isEmpty && loads.isEmpty)
      return hasMore || !loads.isEmpty
    }
  }

  // MARK: Commits

  private func commitAll(_ requests: [GroupCommitWriter.Request], _ loads: inout [Load]) {
    var group: [GroupCommitWriter.Request] = []
    var operations: [StoreOperation] = []
    for request in requests {
      guard case .commit(let batch) = request.task else { continue }
      if !group.isEmpty, operations.count + batch.count > Limits.operationsPerCommitMax {
        commit(operations, of: group, &loads)
        group.removeAll()
        operations.removeAll()
      }
      group.append(request)
      operations += batch
    }
    if !group.isEmpty { commit(operations, of: group, &loads) }
  }

  private func commit(
    _ operations: [StoreOperation], of group: [GroupCommitWriter.Request], _ loads: inout [Load]
  ) {
    let start = SystemClock.monotonicNanoseconds
    do throws(StorageFailure) {
      let dropped = try store.commit(operations)
      assert(
        dropped.allSatisfy { operations.indices.contains($0.operation) },
        "every dropped notification belongs to an operation")
      metrics.committed(operations: operations.count, since: start)
      if !loads.isEmpty { forget(operations, dropped, in: &loads) }
      answer(group, dropped)
    } catch {
      metrics.failed(since: start)
      for request in group { answer(request, .failed(error)) }
    }
  }

  /// Removes from `loads` the notifications that a commit deleted, even if they were already read.
  private func forget(
    _ operations: [StoreOperation], _ dropped: [DroppedNotification], in loads: inout [Load]
  ) {
    var gone = Set(dropped.map(\.sequence))
    for case .remove(_, let sequence) in operations { gone.insert(sequence) }
    guard !gone.isEmpty else { return }
    for index in loads.indices { loads[index].rows.removeAll { gone.contains($0.sequence) } }
  }

  /// Reports to each batch the notifications that its own operations dropped.
  private func answer(_ group: [GroupCommitWriter.Request], _ dropped: [DroppedNotification]) {
    var rest = dropped[...]
    var offset = 0
    for request in group {
      guard case .commit(let batch) = request.task else {
        preconditionFailure("a load was handled as part of a commit")
      }
      let mine = rest.prefix { $0.operation < offset + batch.count }
      rest = rest.dropFirst(mine.count)
      answer(request, .committed(mine.map { $0.counted(from: offset) }))
      offset += batch.count
    }
    assert(rest.isEmpty, "all dropped notifications were reported, but \(rest.count) remain")
  }

  // MARK: Loads

  /// Reads the next pages of the loads, the oldest load first, for a few milliseconds.
  private func readSome(_ loads: inout [Load]) {
    var budget = Limits.rowsPerPage
    var finished = 0
    while finished < loads.count, budget > 0 {
      let page = min(budget, loads[finished].limit)
      do throws(StorageFailure) {
        let rows = try read(page, of: &loads[finished])
        // Count at least one row, because reading a device without rows also takes time.
        budget -= max(1, rows)
        guard rows < page || loads[finished].limit == 0 else { break }
        try finish(loads[finished], isAtEnd: rows < page)
      } catch {
        answer(loads[finished].request, .failed(error))
      }
      finished += 1
    }
    loads.removeFirst(finished)
  }

  /// Answers a load, and adds the notifications in `besides` that its pages don't contain.
  private func finish(_ load: Load, isAtEnd: Bool) throws(StorageFailure) {
    guard case .load(_, let first, _, let besides) = load.request.task else {
      preconditionFailure("a commit was handled as a load")
    }
    var rows = load.rows
    for sequence in besides where sequence <= first || sequence > load.after {
      guard
        let row = try store.load(device: load.device, after: sequence - 1, limit: 1).first,
        row.sequence == sequence
      else { continue }
      rows.append(row)
    }
    if rows.count > load.rows.count { rows.sort { $0.sequence < $1.sequence } }
    answer(load.request, .loaded(rows, through: isAtEnd ? nil : load.after))
  }

  /// Reads one page.
  ///
  /// Returns the number of rows in the page.
  private func read(_ page: Int, of load: inout Load) throws(StorageFailure) -> Int {
    let rows = try store.load(device: load.device, after: load.after, limit: page)
    assert(rows.count <= page, "a page has at most the requested rows: \(rows.count) of \(page)")
    if let last = rows.last {
      assert(last.sequence > load.after, "a page follows the previous one")
      load.after = last.sequence
    }
    if load.limit < .max { load.limit -= rows.count }
    load.rows += rows
    return rows.count
  }

  // MARK: Invariants

  /// Traps in debug builds if the rows that were read contradict the request.
  ///
  /// This method visits every row of the loads in progress.
  func checkInvariants() {
    loads.withLock { loads in
      for load in loads {
        guard case .load(let device, let first, let limit, _) = load.request.task else {
          assertionFailure("a commit was handled as a load")
          continue
        }
        assert(load.device == device && load.after >= first, "a load matches its request")
        assert(
          load.limit >= 0 && load.rows.count <= limit,
          "a load has at most the requested number of rows")
        assert(load.rows.allSatisfy { $0.key.device == device }, "all rows belong to the device")
        assert(
          zip(load.rows, load.rows.dropFirst()).allSatisfy { $0.sequence < $1.sequence },
          "rows are in ascending order")
        assert(
          load.rows.allSatisfy { $0.sequence > first && $0.sequence <= load.after },
          "all rows are within the pages that were read")
      }
    }
  }
}

extension DroppedNotification {
  fileprivate func counted(from offset: Int) -> DroppedNotification {
    assert(operation >= offset, "the batch contains the operation that dropped the notification")
    return DroppedNotification(
      key: key, sequence: sequence, id: id, uniqueID: uniqueID, reason: reason,
      operation: operation - offset)
  }
}
