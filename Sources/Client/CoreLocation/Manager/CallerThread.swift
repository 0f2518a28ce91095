import BelfryClient
import Foundation

/// The thread that created an object and receives its callbacks: the main queue, or the run loop of another thread.
///
/// Sendable: other threads only add a timer, which wakes the run loop.
final class CallerThread: @unchecked Sendable {
  private let runLoop: RunLoop?

  init() { runLoop = Thread.isMainThread ? nil : RunLoop.current }

  func perform(_ body: @escaping @Sendable () -> Void) {
    guard let runLoop else { return DispatchQueue.main.async(execute: body) }
    runLoop.add(Timer(timeInterval: 0, repeats: false) { _ in body() }, forMode: .common)
  }
}
