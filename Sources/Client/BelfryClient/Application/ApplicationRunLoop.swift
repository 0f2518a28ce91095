import Dispatch
import Foundation

/// The main run loop of an application process, until a signal ends it.
@MainActor
package enum ApplicationRunLoop {
  private static var signalSources: [any DispatchSourceSignal] = []

  /// Runs the main run loop for ever.
  ///
  /// SIGTERM, SIGINT and SIGHUP call `ending` and end the process.
  package static func run(ending: @escaping @MainActor () -> Void) -> Never {
    for number in [SIGTERM, SIGINT, SIGHUP] {
      _ = signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
      source.setEventHandler {
        MainActor.assumeIsolated { () -> Void in end(ending) }
      }
      source.resume()
      signalSources.append(source)
    }
    // A run loop without a source returns at once.
    let wakeUp = Timer(timeInterval: 86_400, repeats: true) { _ in }
    RunLoop.main.add(wakeUp, forMode: .common)
    while true { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
  }

  /// Ends the process after the app's own end handler.
  package static func end(status: Int32 = 0, _ ending: @MainActor () -> Void) -> Never {
    ending()
    AgentSession.shared.flush()
    exit(status)
  }
}
