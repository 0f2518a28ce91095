import Storage

/// The pushes of a home that wait for the answers of other nodes.
struct ForwardedPushes {
  /// A push and the time at which its sender stops waiting.
  private struct Waiting {
    let push: DeviceClaimTable.ClaimedPush
    let deadlineNanoseconds: Int64
  }

  private var waiting: [UInt64: Waiting] = [:]
  /// The numbers of the pushes, oldest first; each push waits for the same time.
  private var order: [UInt64] = []
  private var head = 0
  private var lastNumber: UInt64 = 0

  /// True if one more push can wait.
  var hasRoom: Bool { waiting.count < Limits.forwardedMax }

  /// The time, in monotonic nanoseconds, at which the first push stops waiting, or earlier; nil if no push waits.
  var nextDeadline: Int64? {
    guard !waiting.isEmpty, head < order.count else { return nil }
    return waiting[order[head]]?.deadlineNanoseconds ?? 0
  }

  /// Adds a push, and returns the number that its answer contains.
  mutating func add(_ push: DeviceClaimTable.ClaimedPush, atNanoseconds now: Int64) -> UInt64 {
    assert(hasRoom, "the number of forwarded pushes is within its limit")
    lastNumber += 1
    assert(waiting[lastNumber] == nil, "the number \(lastNumber) is new")
    waiting[lastNumber] = Waiting(
      push: push, deadlineNanoseconds: now + Limits.forwardNanoseconds)
    order.append(lastNumber)
    return lastNumber
  }

  /// Removes the push with this number; nil if it was answered before, or has stopped waiting.
  mutating func remove(_ number: UInt64) -> DeviceClaimTable.ClaimedPush? {
    waiting.removeValue(forKey: number)?.push
  }

  /// Removes the pushes that have waited for too long.
  mutating func removeExpired(atNanoseconds now: Int64) -> [DeviceClaimTable.ClaimedPush] {
    var expired: [DeviceClaimTable.ClaimedPush] = []
    while head < order.count {
      if let first = waiting[order[head]] {
        guard first.deadlineNanoseconds <= now else { break }
        expired.append(first.push)
        waiting[order[head]] = nil
      }
      head += 1
    }
    assert(head <= order.count, "the first waiting push is in the list, or none waits")
    if head == order.count || head >= 1_024 && head * 2 >= order.count {
      order.removeFirst(head)
      head = 0
    }
    return expired
  }

  /// Asserts the invariants that hold between calls.
  func checkInvariants() {
    assert(waiting.count <= order.count - head, "each waiting push is listed")
    assert(waiting.keys.allSatisfy { $0 <= lastNumber }, "each push has an assigned number")
  }
}
