import BelfryClient
import Foundation

/// The thread that made an object, for calling it back there: the main queue, or the thread's run
/// loop.
///
/// Sendable: adding a timer, which wakes the run loop, is what it offers other threads.
final class CallerThread: @unchecked Sendable {
  private let runLoop: RunLoop?

  init() { runLoop = Thread.isMainThread ? nil : RunLoop.current }

  func perform(_ body: @escaping @Sendable () -> Void) {
    guard let runLoop else { return DispatchQueue.main.async(execute: body) }
    runLoop.add(Timer(timeInterval: 0, repeats: false) { _ in body() }, forMode: .common)
  }
}
