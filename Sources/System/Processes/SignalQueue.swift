import CLinux
import Glibc

/// The signals of a process that waits for its children: to end, and that a child has ended.
public final class SignalQueue {
  /// A signal that has come.
  public struct Signal: Sendable {
    /// Its number, such as SIGTERM.
    public let number: Int32
    /// Whether it came from a terminal, which sends it to the whole foreground group, or of a child's end.
    public let isFromKernel: Bool
  }

  /// Readable while a signal waits.
  public let descriptor: Int32

  /// Blocks SIGINT, SIGTERM, SIGHUP and SIGCHLD on this thread and those that it makes, and ignores SIGPIPE.
  ///
  /// A terminal does not stop the process for a write from its background.
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

  /// The next signal; nil when none waits.
  public func next() -> Signal? {
    var entry = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard unsafe read(descriptor, &entry, size) == size else { return nil }
    assert(entry.ssi_signo > 0 && entry.ssi_signo < 65, "Linux numbers signals from 1 to 64")
    if entry.ssi_signo != UInt32(SIGCHLD) { ProcessEnd.notice() }
    // SI_KERNEL, which the headers have as an enumeration's case.
    return Signal(number: Int32(bitPattern: entry.ssi_signo), isFromKernel: entry.ssi_code == 0x80)
  }
}
