import BelfryClient
public import Foundation

/// A task that runs in the background.
open class BGTask: NSObject, @unchecked Sendable {
  // Sendable: a lock protects the mutable state.

  /// The identifier of the task.
  public let identifier: String

  private struct State {
    var expirationHandler: (@Sendable () -> Void)?
    var isDone = false
    var onCompletion: (@Sendable (Bool) -> Void)?
  }

  private let state = LockedBox(State())

  init(name: String) { identifier = name }

  /// Sets the handler that is called once when the task is complete; the handler receives true if the task succeeded.
  func onCompletion(_ body: @escaping @Sendable (Bool) -> Void) {
    state.withLock { $0.onCompletion = body }
  }

  /// The handler that runs shortly before the task's time expires.
  open var expirationHandler: (@Sendable () -> Void)? {
    get { state.withLock { $0.expirationHandler } }
    set { state.withLock { $0.expirationHandler = newValue } }
  }

  /// Completes the task and reports whether it succeeded.
  open func setTaskCompleted(success: Bool) {
    let body: (@Sendable (Bool) -> Void)? = state.withLock { state in
      state.isDone = true
      defer { state.onCompletion = nil }
      return state.onCompletion
    }
    body?(success)
  }

  /// Runs the expiration handler when the task's time expires, and then completes the task.
  func expire() {
    let handler = state.withLock { $0.isDone ? nil : $0.expirationHandler }
    handler?()
    setTaskCompleted(success: false)
  }
}

/// A short task that refreshes the app's content.
open class BGAppRefreshTask: BGTask, @unchecked Sendable {}

/// A task that needs more time than a refresh.
open class BGProcessingTask: BGTask, @unchecked Sendable {}

/// A longer task for a health research study.
open class BGHealthResearchTask: BGProcessingTask, @unchecked Sendable {}

/// A task that the user started in the app and that continues in the background.
open class BGContinuedProcessingTask: BGTask, ProgressReporting, @unchecked Sendable {
  private let texts: LockedBox<(String, String)>

  init(_ request: BGContinuedProcessingTaskRequest) {
    texts = LockedBox((request.title, request.subtitle))
    super.init(name: request.identifier)
  }

  /// The progress of the task, which is not shown.
  public let progress = Progress(totalUnitCount: 0)

  /// The title of the task.
  open var title: String { texts.withLock { $0.0 } }

  /// The subtitle of the task.
  open var subtitle: String { texts.withLock { $0.1 } }

  /// Changes the title and subtitle, which are not shown.
  open func updateTitle(_ title: String, subtitle: String) {
    texts.withLock { $0 = (title, subtitle) }
  }
}
