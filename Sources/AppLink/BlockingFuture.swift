import BelfryWire
import Glibc
import Synchronization

/// Lets one thread wait for what another one brings.
final class BlockingFuture: Sendable {
  private let answer = Mutex<Result<AppAnswer, AppLinkFailure>?>(nil)
  private let semaphore: Semaphore

  init() { semaphore = Semaphore() }

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

/// A POSIX semaphore at a place of its own.
///
/// `@unchecked` holds because `sem_post` and `sem_wait` are made for use from several threads.
@safe private final class Semaphore: @unchecked Sendable {
  private let place: UnsafeMutablePointer<sem_t>

  init() {
    unsafe place = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    unsafe place.initialize(to: sem_t())
    _ = unsafe sem_init(place, 0, 0)
  }

  deinit {
    _ = unsafe sem_destroy(place)
    unsafe place.deallocate()
  }

  func signal() { _ = unsafe sem_post(place) }
  func wait() { _ = unsafe sem_wait(place) }
}
