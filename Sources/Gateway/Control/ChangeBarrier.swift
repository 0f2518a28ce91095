import Dispatch
import Synchronization

/// A barrier at which an administrator's thread waits until every loop has applied a change.
///
/// Once a command returns, every loop therefore refuses anything that the command revoked.
package final class ChangeBarrier: Sendable {
  private let handled = DispatchSemaphore(value: 0)
  private let total = Atomic<Int>(0)
  private let expected = Atomic<Int>(.max)
  private let onPassed: @Sendable () -> Void

  /// Creates a barrier that calls `onPassed` once the expected number of loops have applied the change.
  init(onPassed: @escaping @Sendable () -> Void = {}) { self.onPassed = onPassed }

  /// Sets the number of loops after which the barrier calls its function; call this method before the loops are told.
  func expect(_ count: Int) {
    expected.store(count, ordering: .releasing)
    if count == 0 { onPassed() }
  }

  /// Counts a loop that has applied the change.
  ///
  /// The control plane calls this method on behalf of a loop that isn't running yet.
  func pass() {
    let passed = total.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
    if passed == expected.load(ordering: .acquiring) { onPassed() }
    handled.signal()
  }

  /// Returns true if at least `count` loops have applied the change.
  package func hasPassed(_ count: Int) -> Bool { total.load(ordering: .acquiring) >= count }

  /// Waits until `count` loops have applied the change, for at most ``Limits/changeMilliseconds``.
  ///
  /// A loop that is busy for longer applies the change later.
  package func wait(for count: Int) {
    let deadline = DispatchTime.now() + .milliseconds(Limits.changeMilliseconds)
    for _ in 0..<count where handled.wait(timeout: deadline) == .timedOut { return }
  }
}
