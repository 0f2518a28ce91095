/// The changes that are being written, at most one for each key.
///
/// Further requests for a key wait until the change is on disk or has failed.
struct PendingChanges<Key: Hashable & Sendable, Change: Sendable, Request: Sendable>: Sendable {
  /// A change that is on disk or has failed, and the requests that waited for it, in order.
  struct Finished {
    let change: Change
    let requests: [Request]
  }

  private struct Pending: Sendable {
    let change: Change
    var requests: [Request]
  }

  private var pending: [Key: Pending] = [:]

  var isEmpty: Bool { pending.isEmpty }

  /// Returns true if a change to `key` is being written.
  func contains(_ key: Key) -> Bool { pending[key] != nil }

  /// Returns the number of requests that wait for the change to `key`.
  func waitingCount(for key: Key) -> Int { pending[key]?.requests.count ?? 0 }

  /// Returns the number of keys with a change that is being written, for which `condition` is true.
  func count(where condition: (Key) -> Bool) -> Int { pending.keys.count(where: condition) }

  /// Queues a request if a change to its key is being written; returns true if it was queued.
  mutating func waits(_ request: Request, for key: Key) -> Bool {
    guard pending[key] != nil else { return false }
    pending[key]?.requests.append(request)
    return true
  }

  /// Records that a change to `key`, made for `request`, is being written.
  mutating func begin(_ change: Change, of key: Key, for request: Request) {
    assert(pending[key] == nil, "no other change of \(key) is being written")
    pending[key] = Pending(change: change, requests: [request])
  }

  /// Finishes the change to `key`, which is on disk or has failed.
  mutating func finish(_ key: Key) -> Finished {
    guard let finished = pending.removeValue(forKey: key) else {
      preconditionFailure("no change of \(key) is being written")
    }
    assert(!finished.requests.isEmpty, "every change of \(key) has a request")
    return Finished(change: finished.change, requests: finished.requests)
  }

  /// Asserts the invariants that hold between calls.
  func checkInvariants() {
    assert(pending.values.allSatisfy { !$0.requests.isEmpty }, "every change has a request")
  }
}
