import Dispatch
import Glibc
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
  private let sources: [any DispatchSourceSignal]

  /// Calls `body` on another thread for each signal, until the object is released.
  init(_ body: @escaping @Sendable (Interruption) -> Void) {
    sources = [SIGINT, SIGTERM].map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { body(Interruption(signal: number)) }
      source.resume()
      return source
    }
  }

  deinit { for source in sources { source.cancel() } }
}
