import CLinux
import Glibc
import Synchronization

/// The part of a loop that other threads can access: the list of mailboxes with messages, and a way to wake the loop.
///
/// The event descriptor is written only while the loop sleeps, because a wake-up costs 10-20 µs on the reference
/// machine.
final class LoopWaker: Sendable {
  let epoll: Int32
  let event: Int32
  private let sleeping = Atomic<Bool>(false)
  private let hasMail = Atomic<Bool>(false)
  private let stopAsked = Atomic<Bool>(false)
  private let mail = Mutex<[Int]>([])

  init() throws(SystemFailure) {
    let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { throw .last("epoll_create1") }
    let event = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard event >= 0 else {
      let failure = SystemFailure.last("eventfd")
      close(epoll)
      throw failure
    }
    self.epoll = epoll
    self.event = event
  }

  deinit {
    close(event)
    close(epoll)
  }

  /// Announces that the mailbox with this number has messages; can be called from any thread.
  func announce(_ mailbox: Int) {
    mail.withLock { $0.append(mailbox) }
    hasMail.store(true, ordering: .sequentiallyConsistent)
    wakeIfSleeping()
  }

  /// Causes `run` to return; can be called from any thread.
  func stop() {
    stopAsked.store(true, ordering: .sequentiallyConsistent)
    wakeIfSleeping()
  }

  var isStopping: Bool { stopAsked.load(ordering: .relaxed) }

  /// True if a mailbox was announced after the loop's last call of `takeMail`.
  var mayHaveMail: Bool { hasMail.load(ordering: .relaxed) }

  /// Takes the numbers of the mailboxes with messages; called only by the loop.
  ///
  /// `numbers` is reused as storage.
  func takeMail(into numbers: inout [Int]) {
    numbers.removeAll(keepingCapacity: true)
    guard hasMail.load(ordering: .relaxed) else { return }
    hasMail.store(false, ordering: .sequentiallyConsistent)
    mail.withLock { swap(&$0, &numbers) }
  }

  /// Prepares the loop to sleep; called only by the loop.
  ///
  /// Returns false if messages or a stop request have arrived; the loop must not sleep in this case.
  func prepareToSleep() -> Bool {
    sleeping.store(true, ordering: .sequentiallyConsistent)
    guard
      hasMail.load(ordering: .sequentiallyConsistent)
        || stopAsked.load(ordering: .sequentiallyConsistent)
    else { return true }
    sleeping.store(false, ordering: .relaxed)
    return false
  }

  func awoke() { sleeping.store(false, ordering: .relaxed) }

  /// Empties the event descriptor; called only by the loop.
  func acknowledge() {
    var value: UInt64 = 0
    _ = unsafe read(event, &value, 8)
  }

  private func wakeIfSleeping() {
    guard sleeping.exchange(false, ordering: .sequentiallyConsistent) else { return }
    var one: UInt64 = 1
    _ = unsafe write(event, &one, 8)
  }
}
