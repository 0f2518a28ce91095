import BelfryClient
public import Foundation

/// Time in the background that the app has got.
open class BGTask: NSObject, @unchecked Sendable {
  // Sendable: what changes is behind a lock.

  /// Which task.
  public let identifier: String

  private struct State {
    var expirationHandler: (@Sendable () -> Void)?
    var isDone = false
  }

  private let state = Guarded(State())
  private let done: @Sendable () -> Void

  init(name: String, done: @escaping @Sendable () -> Void) {
    identifier = name
    self.done = done
  }

  /// Runs shortly before the time is over.
  open var expirationHandler: (@Sendable () -> Void)? {
    get { state.withLock { $0.expirationHandler } }
    set { state.withLock { $0.expirationHandler = newValue } }
  }

  /// Says that the work is done, or that it failed; the time ends.
  open func setTaskCompleted(success: Bool) {
    let isFirst = state.withLock { state in
      defer { state.isDone = true }
      return !state.isDone
    }
    if isFirst { done() }
  }

  /// The time is over: the app is told, and then it has none any more.
  func expire() {
    let handler = state.withLock { $0.isDone ? nil : $0.expirationHandler }
    handler?()
    setTaskCompleted(success: false)
  }
}

/// A moment to fetch what is new.
open class BGAppRefreshTask: BGTask, @unchecked Sendable {}

/// A longer time.
open class BGProcessingTask: BGTask, @unchecked Sendable {}
