import AppLink
import BelfryClient
import AppWire
public import Foundation

/// A scheduler that asks the system to start the app's tasks in the background.
///
/// Requests outlive the app's process: the agent stores them, and starts the app when they are due.
open class BGTaskScheduler: NSObject, @unchecked Sendable {
  // Sendable: a lock protects the mutable state.

  /// The reason that a request was rejected.
  public struct Error: Foundation._BridgedStoredNSError, Sendable {
    /// The underlying error object.
    public let _nsError: NSError

    /// Creates an error from an `NSError` in the scheduler's domain.
    public init(_nsError error: NSError) { _nsError = error }

    /// The domain of these errors.
    public static var _nsErrorDomain: String { errorDomain }

    /// The domain of these errors.
    public static var errorDomain: String { "BGTaskSchedulerErrorDomain" }

    /// The error codes, with the same numbers as on Apple's systems.
    public enum Code: Int, Foundation._ErrorCodeProtocol, Sendable {
      /// The error type that uses these codes.
      public typealias _ErrorType = BGTaskScheduler.Error

      /// The app cannot run background tasks.
      case unavailable = 1
      /// Too many requests are pending.
      case tooManyPendingTaskRequests = 2
      /// The manifest does not permit the identifier, or no handler is registered for it.
      case notPermitted = 3
    }

    /// The app cannot run background tasks.
    public static var unavailable: Code { .unavailable }
    /// Too many requests are pending.
    public static var tooManyPendingTaskRequests: Code { .tooManyPendingTaskRequests }
    /// The manifest does not permit the identifier, or no handler is registered for it.
    public static var notPermitted: Code { .notPermitted }
  }

  private struct Launch {
    var queue: DispatchQueue
    var handler: @Sendable (BGTask) -> Void
  }

  private struct State {
    var launches: [String: Launch] = [:]
    /// The tasks that have started but are not yet completed.
    var running: [ObjectIdentifier: BGTask] = [:]
  }

  private static let only = BGTaskScheduler(session: .shared)

  private let session: AgentSession
  private let permitted: [String]?
  private let state = LockedBox(State())

  init(
    session: AgentSession,
    permitted: [String]? = Bundle.main.object(
      forInfoDictionaryKey: "BGTaskSchedulerPermittedIdentifiers") as? [String]
  ) {
    self.session = session
    self.permitted = permitted
    super.init()
    session.listen(as: .taskScheduler) { [weak self] event, question in
      self?.handle(event) { question?.reply(.fetched($0 ? .newData : .failed)) } ?? false
    }
  }

  /// The scheduler of the app.
  open class var shared: BGTaskScheduler { only }

  /// Registers the handler of a task; must be called before the app finishes launching.
  ///
  /// Returns false if the identifier is not in the manifest's list of permitted identifiers, or if the identifier
  /// already has a handler.
  @discardableResult
  open func register(
    forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
    launchHandler: @escaping @Sendable (BGTask) -> Void
  ) -> Bool {
    guard permitted?.contains(where: { Self.matches($0, identifier) }) ?? true else {
      return false
    }
    return state.withLock { state in
      guard state.launches[identifier] == nil else { return false }
      state.launches[identifier] = Launch(
        queue: queue ?? DispatchQueue.global(), handler: launchHandler)
      return true
    }
  }

  /// Schedules a task, replacing a pending request with the same identifier.
  ///
  /// The system starts the app for the task when the task is due and the device's state permits it.
  ///
  /// - Throws: `BGTaskScheduler.Error` if the request is rejected.
  open func submit(_ taskRequest: BGTaskRequest) throws {
    guard launch(of: taskRequest.identifier) != nil else { throw Error(.notPermitted) }
    if let request = taskRequest as? BGContinuedProcessingTaskRequest { return begin(request) }
    do {
      _ = try session.call(.submitTask(taskRequest.wire))
    } catch {
      switch error.reason {
      case .taskNotPermitted: throw Error(.notPermitted)
      case .tooManyTasks: throw Error(.tooManyPendingTaskRequests)
      default: throw Error(.unavailable)
      }
    }
  }

  /// Cancels the request with this identifier.
  open func cancel(taskRequestWithIdentifier identifier: String) {
    session.send(.cancelTasks([identifier]))
  }

  /// Cancels all requests of the app.
  open func cancelAllTaskRequests() { session.send(.cancelTasks(nil)) }

  /// Passes the pending requests, or an empty array if the agent cannot be reached, to the completion handler.
  @preconcurrency
  open func getPendingTaskRequests(
    completionHandler: @escaping @Sendable ([BGTaskRequest]) -> Void
  ) {
    session.send(.pendingTasks) { result in
      let tasks = (try? result.get()).flatMap { try? $0.tasks() } ?? []
      completionHandler(tasks.map(BGTaskRequest.make))
    }
  }

  /// Returns the pending requests, or an empty array if the agent cannot be reached.
  open func pendingTaskRequests() async -> [BGTaskRequest] {
    await withCheckedContinuation { continuation in
      getPendingTaskRequests { continuation.resume(returning: $0) }
    }
  }

  /// Handles an event from the agent.
  ///
  /// The `done` closure is called when a task completes, and receives true if the task succeeded. The method returns
  /// false if other listeners should also receive the event.
  func handle(_ event: AppEvent, done: @escaping @Sendable (Bool) -> Void) -> Bool {
    switch event {
    case .task(let request):
      begin(request, done)
      return true
    case .backgroundTimeEnds:
      let running = state.withLock { Array($0.running.values) }
      for task in running { task.expire() }
      // Return false so that the app object also receives the event and ends its own tasks.
      return false
    default: return false
    }
  }

  private func begin(_ request: BackgroundTaskRequest, _ done: @escaping @Sendable (Bool) -> Void) {
    let task: BGTask =
      switch request.kind {
      case .refresh: BGAppRefreshTask(name: request.id)
      case .processing: BGProcessingTask(name: request.id)
      case .research: BGHealthResearchTask(name: request.id)
      }
    begin(task, done)
  }

  /// Starts a task that the user requested, and asks the agent for background time for this task.
  private func begin(_ request: BGContinuedProcessingTaskRequest) {
    let agentTask = LockedBox<(number: Int64?, isDone: Bool)>((nil, false))
    session.send(.beginBackgroundTask(name: request.identifier)) { [session] result in
      let number = (try? result.get())?.task
      let isDone = agentTask.withLock { task in
        task.number = number
        return task.isDone
      }
      if isDone, let number { session.send(.endBackgroundTask(number)) }
    }
    begin(BGContinuedProcessingTask(request)) { [session] _ in
      let number = agentTask.withLock { task in
        task.isDone = true
        return task.number
      }
      if let number { session.send(.endBackgroundTask(number)) }
    }
  }

  /// Returns the handler that is registered for a task's identifier, or for a matching pattern such as
  /// `org.example.export.*`.
  private func launch(of identifier: String) -> Launch? {
    state.withLock { state in
      state.launches[identifier]
        ?? state.launches.first { Self.matches($0.key, identifier) }?.value
    }
  }

  private static func matches(_ pattern: String, _ identifier: String) -> Bool {
    pattern == identifier
      || (pattern.hasSuffix(".*") && identifier.hasPrefix(pattern.dropLast()))
  }

  private func begin(_ task: BGTask, _ done: @escaping @Sendable (Bool) -> Void) {
    guard let launch = launch(of: task.identifier) else { return done(false) }
    let key = ObjectIdentifier(task)
    state.withLock { $0.running[key] = task }
    task.onCompletion { [weak self] isSuccess in
      self?.state.withLock { _ = $0.running.removeValue(forKey: key) }
      done(isSuccess)
    }
    launch.queue.async { launch.handler(task) }
  }
}
