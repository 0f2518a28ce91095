import AppWire
import Dispatch
import Synchronization

/// A result that is set by one thread and awaited by another.
final class BlockingFuture: Sendable {
  private let answer = Mutex<Result<AppAnswer, AppLinkFailure>?>(nil)
  private let semaphore = DispatchSemaphore(value: 0)

  func fulfill(_ result: Result<AppAnswer, AppLinkFailure>) {
    answer.withLock { answer in
      if case .some = answer { preconditionFailure("a future was fulfilled twice") }
      answer = result
    }
    semaphore.signal()
  }

  func wait() -> Result<AppAnswer, AppLinkFailure> {
    while true {
      if let result = answer.withLock({ $0 }) { return result }
      semaphore.wait()
    }
  }
}
