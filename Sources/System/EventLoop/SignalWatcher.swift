import CLinux
import Glibc

/// A watcher that reports the process's signals as events on a loop.
public final class SignalWatcher: EventHandler {
  /// The signals that a daemon handles.
  public enum Signal: Sendable, CaseIterable {
    /// SIGTERM: shut down gracefully.
    case terminate
    /// SIGINT: the user pressed Ctrl-C.
    case interrupt
    /// SIGHUP: reload the configuration.
    case hangup

    var number: Int32 {
      switch self {
      case .terminate: SIGTERM
      case .interrupt: SIGINT
      case .hangup: SIGHUP
      }
    }
  }

  private let loop: EventLoop
  private let descriptor: Int32
  private var registration: Registration?
  private let body: (Signal) -> Void

  /// Prevents the signals from terminating the process, and ignores SIGPIPE and SIGXFSZ, so that a write to a
  /// disconnected peer or beyond the process's file size limit fails instead.
  ///
  /// Terminal access does not suspend the process: while the process is in the background, a read from the terminal
  /// fails, and a write succeeds. Call this method first in `main`, because threads that were created earlier would
  /// still receive the signals.
  public static func blockSignals(_ signals: [Signal] = Signal.allCases) {
    var set = mask(signals)
    unsafe sigaddset(&set, SIGTTIN)
    unsafe sigaddset(&set, SIGTTOU)
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
  }

  /// Calls `body` on the loop for each signal.
  ///
  /// The signals are also blocked on this thread.
  public init(
    on loop: EventLoop, for signals: [Signal] = Signal.allCases, _ body: @escaping (Signal) -> Void
  ) throws(SystemFailure) {
    Self.blockSignals(signals)
    var set = Self.mask(signals)
    let descriptor = unsafe signalfd(-1, &set, Int32(SFD_NONBLOCK | SFD_CLOEXEC))
    guard descriptor >= 0 else { throw .last("signalfd") }
    self.loop = loop
    self.descriptor = descriptor
    self.body = body
    do throws(SystemFailure) {
      registration = try loop.register(descriptor, for: .readable, handler: self)
    } catch {
      Glibc.close(descriptor)
      throw error
    }
  }

  /// Stops watching; the signals stay blocked.
  public func close() {
    guard let registration else { return }
    loop.deregister(registration)
    self.registration = nil
    Glibc.close(descriptor)
  }

  /// Reads the signals that have been received.
  public func ready(_ readiness: Readiness) {
    var entry = signalfd_siginfo()
    while unsafe read(descriptor, &entry, MemoryLayout<signalfd_siginfo>.size)
      == MemoryLayout<signalfd_siginfo>.size
    {
      let number = Int32(bitPattern: entry.ssi_signo)
      guard let signal = Signal.allCases.first(where: { $0.number == number }) else { continue }
      if signal != .hangup { ProcessEnd.notice() }
      body(signal)
    }
  }

  private static func mask(_ signals: [Signal]) -> sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal.number) }
    return set
  }
}
