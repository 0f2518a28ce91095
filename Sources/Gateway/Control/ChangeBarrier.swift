import Dispatch
import Synchronization

/// Lets an administrator's thread wait until every loop has applied a change: once the command returns, what
/// it revoked is refused.
package final class ChangeBarrier: Sendable {
  private let handled = DispatchSemaphore(value: 0)
  private let total = Atomic<Int>(0)

  /// Counts a loop that has applied the change; the control plane calls it for a loop that does not run yet.
  func pass() {
    total.wrappingAdd(1, ordering: .releasing)
    handled.signal()
  }

  /// Whether that many loops have applied the change.
  package func hasPassed(_ count: Int) -> Bool { total.load(ordering: .acquiring) >= count }

  /// Waits until `count` loops have applied the change, at most ``Limits/changeMilliseconds``; a loop that is
  /// busy for longer applies it later.
  package func wait(for count: Int) {
    let deadline = DispatchTime.now() + .milliseconds(Limits.changeMilliseconds)
    for _ in 0..<count where handled.wait(timeout: deadline) == .timedOut { return }
  }
}
