import BelfryClient
import BelfryWire
public import Foundation

/// Starts the app's background tasks when their requests are due.
///
/// A request lasts as long as the app's process: the agent starts no app for one.
open class BGTaskScheduler: NSObject, @unchecked Sendable {
  // Sendable: what changes is behind a lock.

  /// The reason why a request was refused.
  public struct Error: Foundation._BridgedStoredNSError, Sendable {
    /// The underlying error object.
    public let _nsError: NSError

    /// Wraps an error of the scheduler's domain.
    public init(_nsError error: NSError) { _nsError = error }

    /// The domain of these errors.
    public static var _nsErrorDomain: String { errorDomain }

    /// The domain of these errors.
    public static var errorDomain: String { "BGTaskSchedulerErrorDomain" }

    /// The reasons.
    public enum Code: Int, Foundation._ErrorCodeProtocol, Sendable {
      /// The error that carries the code.
      public typealias _ErrorType = BGTaskScheduler.Error

      /// The app cannot run background tasks.
      case unavailable = 1
      /// Too many requests are pending.
      case tooManyPendingTaskRequests = 2
      /// The manifest does not permit the identifier, or nothing is registered for it.
      case notPermitted = 3
    }

    /// The app cannot run background tasks.
    public static var unavailable: Code { .unavailable }
    /// Too many requests are pending.
    public static var tooManyPendingTaskRequests: Code { .tooManyPendingTaskRequests }
    /// The manifest does not permit the identifier, or nothing is registered for it.
    public static var notPermitted: Code { .notPermitted }
  }

  /// The limit of pending requests: ten for longer work, Apple's own bound, and one to refresh.
  private static let pendingMax = 11

  private struct Launch {
    var queue: DispatchQueue
    var handler: @Sendable (BGTask) -> Void
  }

  private struct State {
    var launches: [String: Launch] = [:]
    var pending: [String: BGTaskRequest] = [:]
  }

  private static let only = BGTaskScheduler(session: .shared)

  private let session: AgentSession
  private let permitted: [String]?
  private let seconds: Double
  private let state = LockedBox(State())

  init(
    session: AgentSession, seconds: Double = Limits.backgroundSeconds,
    permitted: [String]? = Bundle.main.object(
      forInfoDictionaryKey: "BGTaskSchedulerPermittedIdentifiers") as? [String]
  ) {
    self.session = session
    self.seconds = seconds
    self.permitted = permitted
  }

  /// The app's scheduler.
  open class var shared: BGTaskScheduler { only }

  /// Registers a task's handler, before the app has finished launching; false when the manifest's
  /// list of permitted identifiers lacks this one.
  @discardableResult
  open func register(
    forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
    launchHandler: @escaping @Sendable (BGTask) -> Void
  ) -> Bool {
    guard permitted?.contains(identifier) ?? true else { return false }
    return state.withLock { state in
      guard state.launches[identifier] == nil else { return false }
      state.launches[identifier] = Launch(
        queue: queue ?? DispatchQueue.global(), handler: launchHandler)
      return true
    }
  }

  /// Schedules a task, in place of a pending one with the same identifier.
  ///
  /// - Throws: `BGTaskScheduler.Error`.
  open func submit(_ taskRequest: BGTaskRequest) throws {
    let identifier = taskRequest.identifier
    guard let request = taskRequest.copy() as? BGTaskRequest else { return }
    let refusal: Error.Code? = state.withLock { state in
      guard state.launches[identifier] != nil else { return .notPermitted }
      guard state.pending[identifier] != nil || state.pending.count < Self.pendingMax else {
        return .tooManyPendingTaskRequests
      }
      state.pending[identifier] = request
      return nil
    }
    if let refusal { throw Error(refusal) }
    let delay = max(0, request.earliestBeginDate?.timeIntervalSinceNow ?? 0)
    DispatchQueue.global().asyncAfter(deadline: .now() + delay) { [weak self] in
      self?.begin(request)
    }
  }

  /// Cancels a request.
  open func cancel(taskRequestWithIdentifier identifier: String) {
    state.withLock { _ = $0.pending.removeValue(forKey: identifier) }
  }

  /// Cancels every request.
  open func cancelAllTaskRequests() { state.withLock { $0.pending = [:] } }

  /// The pending requests.
  @preconcurrency
  open func getPendingTaskRequests(
    completionHandler: @escaping @Sendable ([BGTaskRequest]) -> Void
  ) {
    let pending = state.withLock { Array($0.pending.values) }
    session.callbacks.async { completionHandler(pending) }
  }

  /// The pending requests.
  open func pendingTaskRequests() async -> [BGTaskRequest] {
    await withCheckedContinuation { continuation in
      getPendingTaskRequests { continuation.resume(returning: $0) }
    }
  }

  /// Starts a request's task, unless it was cancelled or replaced meanwhile.
  private func begin(_ request: BGTaskRequest) {
    let launch: Launch? = state.withLock { state in
      guard state.pending[request.identifier] === request else { return nil }
      state.pending[request.identifier] = nil
      return state.launches[request.identifier]
    }
    guard let launch else { return }
    let session = session
    let work = LockedBox<(number: Int64?, isDone: Bool)>((nil, false))
    let end: @Sendable () -> Void = {
      let number = work.withLock { work in
        work.isDone = true
        return work.number
      }
      if let number { session.send(.endBackgroundTask(number)) }
    }
    let task =
      request is BGProcessingTaskRequest
      ? BGProcessingTask(name: request.identifier, done: end)
      : BGAppRefreshTask(name: request.identifier, done: end) as BGTask
    session.send(.beginBackgroundTask(name: request.identifier)) { result in
      guard let number = (try? result.get())?.task else { return }
      let isDone = work.withLock { work in
        work.number = number
        return work.isDone
      }
      if isDone { session.send(.endBackgroundTask(number)) }
    }
    launch.queue.async { launch.handler(task) }
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { task.expire() }
  }
}
