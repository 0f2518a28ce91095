/// Changes on their way to disk, one at a time for each key; what is asked about the key meanwhile waits
/// for its end.
struct PendingChanges<Key: Hashable & Sendable, Change: Sendable, Request: Sendable>: Sendable {
  /// A change that is on disk or failed, and who waited for that, in order of asking.
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

  /// Lets a request wait where a change of its key is on its way; whether it does.
  mutating func waits(_ request: Request, for key: Key) -> Bool {
    guard pending[key] != nil else { return false }
    pending[key]?.requests.append(request)
    return true
  }

  /// A change of `key` that `request` asked for is on its way.
  mutating func begin(_ change: Change, of key: Key, for request: Request) {
    assert(pending[key] == nil, "a second change of \(key) while one is on its way")
    pending[key] = Pending(change: change, requests: [request])
  }

  /// The change of `key` is on disk, or failed.
  mutating func finish(_ key: Key) -> Finished {
    guard let finished = pending.removeValue(forKey: key) else {
      preconditionFailure("no change of \(key) is on its way")
    }
    assert(!finished.requests.isEmpty, "a change of \(key) that nobody asked for")
    return Finished(change: finished.change, requests: finished.requests)
  }

  /// Asserts what holds between calls.
  func checkInvariants() {
    assert(pending.values.allSatisfy { !$0.requests.isEmpty }, "a change that nobody asked for")
  }
}
