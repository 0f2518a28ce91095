import CLinux
import Glibc

/// A queue of signals for a process that waits for its children: requests to exit, and notifications that a child has
/// exited.
public final class SignalQueue {
  /// A signal that was received.
  public struct Signal: Sendable {
    /// The number of the signal, such as SIGTERM.
    public let number: Int32
    /// True if the kernel sent the signal (SI_KERNEL), for example, when a terminal signals its entire foreground
    /// process group.
    public let isFromKernel: Bool
  }

  /// The descriptor, which is readable while a signal is pending.
  public let descriptor: Int32

  /// Creates the queue: blocks SIGINT, SIGTERM, SIGHUP, and SIGCHLD on this thread and on the threads that it creates,
  /// and ignores SIGPIPE.
  ///
  /// Writing to a terminal from the background does not suspend the process.
  public init() throws(SystemFailure) {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGCHLD] { unsafe sigaddset(&set, number) }
    var blocked = set
    unsafe sigaddset(&blocked, SIGTTOU)
    unsafe pthread_sigmask(SIG_BLOCK, &blocked, nil)
    signal(SIGPIPE, SIG_IGN)
    ProcessEnd.includeHangup()
    descriptor = unsafe signalfd(-1, &set, Int32(SFD_NONBLOCK | SFD_CLOEXEC))
    guard descriptor >= 0 else { throw .last("signalfd") }
  }

  deinit { close(descriptor) }

  /// Returns the next signal, or nil if none is pending.
  public func next() -> Signal? {
    var entry = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard unsafe read(descriptor, &entry, size) == size else { return nil }
    assert(entry.ssi_signo > 0 && entry.ssi_signo < 65, "Linux numbers signals from 1 to 64")
    if entry.ssi_signo != UInt32(SIGCHLD) { ProcessEnd.notice() }
    // The value is SI_KERNEL, which the headers define as an enumeration case.
    return Signal(number: Int32(bitPattern: entry.ssi_signo), isFromKernel: entry.ssi_code == 0x80)
  }
}
