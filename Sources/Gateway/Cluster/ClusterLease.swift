import Synchronization

/// The lease of this node, which every push checks.
///
/// The lease is a duration that begins before the renewal was sent, on a clock that also advances while the machine is
/// suspended (`CLOCK_BOOTTIME`). No node compares a time that another machine wrote.
final class ClusterLease: Sendable {
  /// The duration of the lease, in milliseconds.
  let milliseconds: Int64
  private let end: Atomic<Int64>

  init(milliseconds: Int64) {
    precondition(milliseconds > 0, "a lease has a duration")
    self.milliseconds = milliseconds
    end = Atomic(.min)
  }

  /// Records a renewal that was sent at this time, in elapsed milliseconds.
  func renewed(sentAt milliseconds: Int64) {
    end.store(milliseconds &+ self.milliseconds, ordering: .releasing)
  }

  /// Ends the lease, because another process has taken over.
  func lose() { end.store(.min, ordering: .releasing) }

  /// Returns true if the lease is valid at this time, in elapsed milliseconds.
  func isValid(at milliseconds: Int64) -> Bool { milliseconds < end.load(ordering: .acquiring) }
}
