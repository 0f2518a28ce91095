import Dispatch

/// Lets an administrator's thread wait until every loop goes by a change: what is revoked is refused from
/// the moment that the command has ended.
final class ChangeBarrier: Sendable {
  private let passed = DispatchSemaphore(value: 0)

  /// One more loop, or the desk for those that are not there, goes by the change.
  func pass() { passed.signal() }

  /// Waits for `count` of them; a loop that is busy for too long will follow.
  func wait(for count: Int) {
    let deadline = DispatchTime.now() + .milliseconds(Limits.changeMilliseconds)
    for _ in 0..<count where passed.wait(timeout: deadline) == .timedOut { return }
  }
}
