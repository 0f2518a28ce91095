import Storage

/// A count of the unanswered notifications to one loop's devices; while the total is high, further notifications are
/// also counted per token.
struct UnansweredPushes {
  private(set) var count = 0
  /// The number of unanswered notifications to each token that arrived while the total was high.
  private var counts: [NotificationKey: Int] = [:]

  /// Returns true if one more push to the token can wait for its answer.
  func hasRoom(for key: NotificationKey) -> Bool {
    count < Limits.unansweredUncounted
      || counts[key, default: 0] < Limits.tokenUnansweredMax - Limits.unansweredUncounted
  }

  mutating func begin(_ entry: DeliveryEntry) {
    count += 1
    guard count > Limits.unansweredUncounted else { return }
    entry.isCountedByToken = true
    counts[entry.key, default: 0] += 1
  }

  mutating func end(_ entry: DeliveryEntry) {
    assert(count > 0, "at least one push is unanswered")
    count -= 1
    guard entry.isCountedByToken else { return }
    entry.isCountedByToken = false
    guard let counted = counts[entry.key], counted > 1 else {
      counts[entry.key] = nil
      return
    }
    counts[entry.key] = counted - 1
  }

  /// Asserts the invariants that hold between events.
  func checkInvariants() {
    assert(counts.values.allSatisfy { $0 > 0 }, "every counted token has unanswered pushes")
    assert(counts.values.reduce(0, +) <= count, "the counts by token do not exceed the total")
  }
}
