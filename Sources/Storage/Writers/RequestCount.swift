internal import Synchronization

/// How many requests a writer has accepted, and how many of them it has answered.
final class RequestCount: Sendable {
  private let accepted = Atomic<Int>(0)
  private let answered = Atomic<Int>(0)

  /// Counts a request before its writer may answer it.
  func accept() { accepted.add(1, ordering: .relaxed) }

  /// The writer turned a request away that was counted before.
  func withdraw() { accepted.subtract(1, ordering: .relaxed) }

  func answer() {
    answered.add(1, ordering: .relaxed)
    checkInvariants()
  }

  /// Whether no request waits for an answer.
  var isSettled: Bool {
    answered.load(ordering: .relaxed) == accepted.load(ordering: .relaxed)
  }

  /// Traps in debug builds when more was answered than asked.
  func checkInvariants() {
    // In this order: a request that is accepted meanwhile only adds to the larger one.
    let done = answered.load(ordering: .acquiring)
    assert(done <= accepted.load(ordering: .relaxed), "a request is answered once")
  }
}
