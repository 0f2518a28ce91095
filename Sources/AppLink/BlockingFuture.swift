import BelfryWire
import Dispatch
import Synchronization

/// Lets one thread wait for what another one brings.
final class BlockingFuture: Sendable {
  private let answer = Mutex<Result<AppAnswer, AppLinkFailure>?>(nil)
  private let semaphore = DispatchSemaphore(value: 0)

  func fill(_ result: Result<AppAnswer, AppLinkFailure>) {
    answer.withLock { $0 = result }
    semaphore.signal()
  }

  func wait() -> Result<AppAnswer, AppLinkFailure> {
    while true {
      if let result = answer.withLock({ $0 }) { return result }
      semaphore.wait()
    }
  }
}
