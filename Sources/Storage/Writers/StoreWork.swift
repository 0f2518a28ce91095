internal import Synchronization
internal import System

/// What the notification writer's thread does with what has arrived: commits first, then some rows of the
/// loads that are under way.
final class StoreWork: Sendable {
  /// A load of which some pages are read.
  private struct Load {
    let request: GroupCommitWriter.Request
    let device: UInt64
    /// The last sequence that was read.
    var after: UInt64
    /// Rows that may still be read.
    var limit: Int
    var rows: [StoredNotification] = []
  }

  private let store: any NotificationStore
  private let metrics: CommitMetrics
  /// Locked for form's sake: the writer's thread alone uses it.
  private let loads = Mutex<[Load]>([])

  init(store: any NotificationStore, metrics: CommitMetrics) {
    self.store = store
    self.metrics = metrics
  }

  /// Handles a batch; whether there is a load to go on with.
  func perform(_ requests: [GroupCommitWriter.Request]) -> Bool {
    loads.withLock { loads in
      commitAll(requests, &loads)
      for request in requests {
        if case .load(let device, let after, let limit) = request.task {
          loads.append(Load(request: request, device: device, after: after, limit: limit))
        }
      }
      readSome(&loads)
      return !loads.isEmpty
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
        "something was dropped by no operation")
      metrics.committed(operations: operations.count, since: start)
      if !loads.isEmpty { forget(operations, dropped, in: &loads) }
      answer(group, dropped)
    } catch {
      metrics.failed(since: start)
      for request in group { request.answer(.failed(error)) }
    }
  }

  /// What a commit took out is not loaded, though it was read before.
  private func forget(
    _ operations: [StoreOperation], _ dropped: [DroppedNotification], in loads: inout [Load]
  ) {
    var gone = Set(dropped.map(\.sequence))
    for case .remove(_, let sequence) in operations { gone.insert(sequence) }
    guard !gone.isEmpty else { return }
    for index in loads.indices { loads[index].rows.removeAll { gone.contains($0.sequence) } }
  }

  /// Hands each batch what its own operations dropped.
  private func answer(_ group: [GroupCommitWriter.Request], _ dropped: [DroppedNotification]) {
    var rest = dropped[...]
    var offset = 0
    for request in group {
      guard case .commit(let batch) = request.task else {
        preconditionFailure("a load is part of a commit")
      }
      let mine = rest.prefix { $0.operation < offset + batch.count }
      rest = rest.dropFirst(mine.count)
      request.answer(.committed(mine.map { $0.counted(from: offset) }))
      offset += batch.count
    }
    assert(rest.isEmpty, "\(rest.count) were dropped, and nobody is told")
  }

  // MARK: Loads

  /// Reads the loads' next pages, the oldest first, as long as that takes some milliseconds.
  private func readSome(_ loads: inout [Load]) {
    var budget = Limits.rowsPerPage
    var finished = 0
    while finished < loads.count, budget > 0 {
      let page = min(budget, loads[finished].limit)
      do throws(StorageFailure) {
        let rows = try read(page, of: &loads[finished])
        // A device without rows takes time too.
        budget -= max(1, rows)
        guard rows < page || loads[finished].limit == 0 else { break }
        loads[finished].request.answer(.loaded(loads[finished].rows))
      } catch {
        loads[finished].request.answer(.failed(error))
      }
      finished += 1
    }
    loads.removeFirst(finished)
  }

  /// Reads one page; how many rows it had.
  private func read(_ page: Int, of load: inout Load) throws(StorageFailure) -> Int {
    let rows = try store.load(device: load.device, after: load.after, limit: page)
    assert(rows.count <= page, "a page of \(rows.count), and \(page) were asked for")
    if let last = rows.last {
      assert(last.sequence > load.after, "a page that was read before")
      load.after = last.sequence
    }
    if load.limit < .max { load.limit -= rows.count }
    load.rows += rows
    return rows.count
  }
}

extension DroppedNotification {
  fileprivate func counted(from offset: Int) -> DroppedNotification {
    assert(operation >= offset, "it was dropped by another's operation")
    return DroppedNotification(
      key: key, sequence: sequence, id: id, uniqueID: uniqueID, reason: reason,
      operation: operation - offset)
  }
}
