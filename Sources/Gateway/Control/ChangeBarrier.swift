import Dispatch
import Synchronization

/// Lets an administrator's thread wait until every loop has handled a change: what is revoked is refused
/// from the moment that the command has ended.
package final class ChangeBarrier: Sendable {
  private let handled = DispatchSemaphore(value: 0)
  private let total = Atomic<Int>(0)

  /// One more loop has handled the change, or the control plane for a loop that does not run yet.
  func pass() {
    total.wrappingAdd(1, ordering: .releasing)
    handled.signal()
  }

  /// Whether that many loops have handled the change.
  package func hasPassed(_ count: Int) -> Bool { total.load(ordering: .acquiring) >= count }

  /// Waits for `count` of them, at most ``Limits/changeMilliseconds``: a loop that is busy for longer
  /// follows later.
  package func wait(for count: Int) {
    let deadline = DispatchTime.now() + .milliseconds(Limits.changeMilliseconds)
    for _ in 0..<count where handled.wait(timeout: deadline) == .timedOut { return }
  }
}
