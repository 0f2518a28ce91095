import Dispatch
import Glibc
import Synchronization
import System

/// The interruption of a command's wait by SIGINT or SIGTERM.
struct Interruption: CommandFailure, CustomStringConvertible {
  let signal: Int32
  var description: String { "interrupted" }
  /// The exit status that shells report for a program that a signal terminated.
  var exitStatus: Int32 { 128 + signal }
}

/// A watch for SIGINT and SIGTERM, so that a command that waits on a semaphore can clean up.
///
/// `SignalWatcher.blockSignals` must be called before the first thread is created.
final class SignalInterruption {
  private let number: Int

  /// Calls `body` on another thread for each signal, until the object is released.
  init(_ body: @escaping @Sendable (Interruption) -> Void) {
    number = InterruptionThread.shared.add(body)
  }

  deinit { InterruptionThread.shared.remove(number) }
}

/// The thread that receives SIGINT and SIGTERM from the first ``SignalInterruption`` until the process exits.
///
/// The thread continues to run after the last `SignalInterruption` is released. Otherwise, a signal that arrives during
/// the release could be lost, and a command with a full output pipe would never exit.
private final class InterruptionThread: Sendable {
  static let shared = InterruptionThread()

  private struct State {
    var bodies: [Int: @Sendable (Interruption) -> Void] = [:]
    var lastNumber = 0
  }

  private let state = Mutex(State())

  private init() {
    DispatchQueue(label: "belfry.interruption").async { [unowned self] in
      var set = sigset_t()
      unsafe sigemptyset(&set)
      for number in [SIGINT, SIGTERM] { unsafe sigaddset(&set, number) }
      while true {
        var number: Int32 = 0
        guard unsafe sigwait(&set, &number) == 0 else { continue }
        StandardStream.noticeExitRequest()
        for body in state.withLock({ $0.bodies.values }) { body(Interruption(signal: number)) }
      }
    }
  }

  func add(_ body: @escaping @Sendable (Interruption) -> Void) -> Int {
    state.withLock { state in
      state.lastNumber += 1
      state.bodies[state.lastNumber] = body
      return state.lastNumber
    }
  }

  func remove(_ number: Int) {
    state.withLock { _ = $0.bodies.removeValue(forKey: number) }
  }
}
