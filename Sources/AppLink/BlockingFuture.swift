import BelfryWire
import Glibc
import Synchronization

/// A result that one thread waits for and another one sets.
final class BlockingFuture: Sendable {
  private let answer = Mutex<Result<AppAnswer, AppLinkFailure>?>(nil)
  private let semaphore: Semaphore

  init() { semaphore = Semaphore() }

  func fulfill(_ result: Result<AppAnswer, AppLinkFailure>) {
    answer.withLock { answer in
      if case .some = answer { preconditionFailure("a future is fulfilled once") }
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

/// A POSIX semaphore in memory of its own.
///
/// `@unchecked` is right because `sem_post` and `sem_wait` may be called from several threads.
@safe private final class Semaphore: @unchecked Sendable {
  private let place: UnsafeMutablePointer<sem_t>

  init() {
    unsafe place = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    unsafe place.initialize(to: sem_t())
    let status = unsafe sem_init(place, 0, 0)
    precondition(status == 0, "a semaphore of value 0 can be made")
  }

  deinit {
    _ = unsafe sem_destroy(place)
    unsafe place.deallocate()
  }

  func signal() { _ = unsafe sem_post(place) }
  func wait() { _ = unsafe sem_wait(place) }
}
