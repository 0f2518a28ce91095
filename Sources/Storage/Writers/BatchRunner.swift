public import System

/// The inbox for a writer's requests.
public protocol BatchInbox<Request>: Sendable {
  /// A request to the writer.
  associatedtype Request: Sendable

  /// Delivers `request`.
  ///
  /// Returns false after ``close()``.
  func post(_ request: Request) -> Bool
  /// Processes all posted requests, then stops.
  func close()
  /// Traps in debug builds if the inbox's state is inconsistent.
  ///
  /// This method can be called from any thread.
  func checkInvariants()
}

/// The environment in which writers run: each on its own thread, or all of them on a simulation's single thread.
public protocol BatchRunner: Sendable {
  /// Calls `work` with the requests, in batches and in order.
  ///
  /// Requests that arrive while one batch is processed form the next batch. If `work` has more to do, it returns true
  /// so that new requests can proceed. It is then called again with the requests that have arrived since the last call,
  /// if any.
  func start<Request: Sendable>(
    name: String, _ work: @escaping @Sendable ([Request]) -> Bool
  ) throws(SystemFailure) -> any BatchInbox<Request>
}

/// A runner that gives each writer its own thread.
public struct ThreadBatchRunner: BatchRunner {
  /// Creates a runner, which has no state.
  public init() {}

  /// Starts a thread for a writer.
  public func start<Request: Sendable>(
    name: String, _ work: @escaping @Sendable ([Request]) -> Bool
  ) throws(SystemFailure) -> any BatchInbox<Request> {
    try BatchThread(name: name, work)
  }
}
