import BelfryClient
public import Foundation

/// A task that runs in the background.
open class BGTask: NSObject, @unchecked Sendable {
  // Sendable: what changes is behind a lock.

  /// The task's identifier.
  public let identifier: String

  private struct State {
    var expirationHandler: (@Sendable () -> Void)?
    var isDone = false
    var onCompletion: (@Sendable (Bool) -> Void)?
  }

  private let state = LockedBox(State())

  init(name: String) { identifier = name }

  /// Hears once whether the task did its work.
  func onCompletion(_ body: @escaping @Sendable (Bool) -> Void) {
    state.withLock { $0.onCompletion = body }
  }

  /// Runs shortly before the time is over.
  open var expirationHandler: (@Sendable () -> Void)? {
    get { state.withLock { $0.expirationHandler } }
    set { state.withLock { $0.expirationHandler = newValue } }
  }

  /// Ends the task, with its work done or failed.
  open func setTaskCompleted(success: Bool) {
    let body: (@Sendable (Bool) -> Void)? = state.withLock { state in
      state.isDone = true
      defer { state.onCompletion = nil }
      return state.onCompletion
    }
    body?(success)
  }

  /// Runs the expiration handler at the end of the task's time, then ends the task.
  func expire() {
    let handler = state.withLock { $0.isDone ? nil : $0.expirationHandler }
    handler?()
    setTaskCompleted(success: false)
  }
}

/// A short task that refreshes the app's content.
open class BGAppRefreshTask: BGTask, @unchecked Sendable {}

/// A longer task.
open class BGProcessingTask: BGTask, @unchecked Sendable {}

/// A longer task of a study about health.
open class BGHealthResearchTask: BGProcessingTask, @unchecked Sendable {}

/// A task that the user started in the app, and that continues in the background.
open class BGContinuedProcessingTask: BGTask, ProgressReporting, @unchecked Sendable {
  private let texts: LockedBox<(String, String)>

  init(_ request: BGContinuedProcessingTaskRequest) {
    texts = LockedBox((request.title, request.subtitle))
    super.init(name: request.identifier)
  }

  /// The task's progress, which nothing shows.
  public let progress = Progress(totalUnitCount: 0)

  /// The title.
  open var title: String { texts.withLock { $0.0 } }

  /// The second line.
  open var subtitle: String { texts.withLock { $0.1 } }

  /// Changes the texts, which nothing shows.
  open func updateTitle(_ title: String, subtitle: String) {
    texts.withLock { $0 = (title, subtitle) }
  }
}
