internal import Synchronization

/// The number of requests that a writer has accepted, and the number that it has answered.
final class RequestCount: Sendable {
  private let accepted = Atomic<Int>(0)
  private let answered = Atomic<Int>(0)

  /// Counts a request before its writer can answer it.
  func accept() { accepted.add(1, ordering: .relaxed) }

  /// Withdraws a request that was counted before the writer rejected it.
  func withdraw() { accepted.subtract(1, ordering: .relaxed) }

  func answer() {
    answered.add(1, ordering: .relaxed)
    checkInvariants()
  }

  /// True if every accepted request has been answered.
  var isSettled: Bool {
    answered.load(ordering: .relaxed) == accepted.load(ordering: .relaxed)
  }

  /// Traps in debug builds if more requests were answered than accepted.
  func checkInvariants() {
    // Read `answered` first. A request that is accepted between the two reads can then only increase the larger number.
    let done = answered.load(ordering: .acquiring)
    assert(done <= accepted.load(ordering: .relaxed), "no more requests are answered than accepted")
  }
}
