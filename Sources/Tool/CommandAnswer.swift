import AppLink
import AppWire
import Dispatch
import Synchronization

/// The agent's answer to a command's request, which another thread provides.
final class CommandAnswer: Sendable {
  private let result = Mutex<Result<AppAnswer, any Error>?>(nil)
  private let given = DispatchSemaphore(value: 0)

  var isThere: Bool { result.withLock { $0 != nil } }

  /// Sets the answer, unless it is already set.
  func set(_ answer: Result<AppAnswer, any Error>) {
    result.withLock { $0 = $0 ?? answer }
    given.signal()
  }

  /// Returns the answer, or nil if the time limit expires.
  func wait(seconds: Int64?) -> Result<AppAnswer, any Error>? {
    if let seconds {
      _ = given.wait(timeout: .now() + .seconds(Int(seconds)))
    } else {
      given.wait()
    }
    return result.withLock { $0 }
  }
}
