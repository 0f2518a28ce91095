import Dispatch
import Foundation
import Synchronization

/// The main run loop of an app's process, which runs until a signal terminates the process.
@MainActor
package enum ApplicationRunLoop {
  private static var signalSource: (any DispatchSourceRead)?

  /// Runs the main run loop indefinitely.
  ///
  /// SIGTERM, SIGINT, and SIGHUP call `ending` and terminate the process.
  package static func run(ending: @escaping @MainActor () -> Void) -> Never {
    endOnSignals(ending)
    // A run loop without a source returns immediately.
    let wakeUp = Timer(timeInterval: 86_400, repeats: true) { _ in }
    RunLoop.main.add(wakeUp, forMode: .common)
    while true { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
  }

  /// Exits the process after running the app's own termination handler.
  package static func end(status: Int32 = 0, _ ending: @MainActor () -> Void) -> Never {
    ending()
    AgentSession.shared.flush()
    exit(status)
  }

  /// Forwards the signals to the main queue through a pipe.
  ///
  /// A Dispatch signal source loses a signal that arrives before the source is active, so the process would not exit.
  private static func endOnSignals(_ ending: @escaping @MainActor () -> Void) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return }
    for descriptor in ends { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    signalPipe.store(ends[1], ordering: .releasing)
    let source = DispatchSource.makeReadSource(fileDescriptor: ends[0], queue: .main)
    source.setEventHandler {
      MainActor.assumeIsolated { () -> Void in end(ending) }
    }
    source.resume()
    signalSource = source
    for number in [SIGTERM, SIGINT, SIGHUP] {
      _ = signal(number) { _ in
        let error = errno
        var byte: UInt8 = 0
        _ = unsafe write(signalPipe.load(ordering: .acquiring), &byte, 1)
        errno = error
      }
    }
  }
}

/// The write end of the pipe; the signal handler writes to it.
private let signalPipe = Atomic<Int32>(-1)
