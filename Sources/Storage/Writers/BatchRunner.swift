public import System

/// What a writer's requests are put into.
public protocol BatchInbox<Request>: Sendable {
  /// What is asked of the writer.
  associatedtype Request: Sendable

  /// Hands `request` over; false after ``close()``.
  func post(_ request: Request) -> Bool
  /// Lets everything that was posted be worked on, then ends.
  func close()
  /// Traps in debug builds when its state contradicts itself; any thread.
  func checkInvariants()
}

/// Where writers work: each on a thread of its own, or all of them in a simulation's one thread.
public protocol BatchRunner: Sendable {
  /// Calls `work` with what arrived, in batches and in order: what arrives while one batch is worked on
  /// is the next.
  ///
  /// Where `work` has more to do than one batch should wait for it returns true: it is called again, with
  /// what has arrived meanwhile or nothing.
  func start<Request: Sendable>(
    name: String, _ work: @escaping @Sendable ([Request]) -> Bool
  ) throws(SystemFailure) -> any BatchInbox<Request>
}

/// Gives each writer a thread of its own.
public struct ThreadBatchRunner: BatchRunner {
  /// A runner; it holds nothing.
  public init() {}

  /// Starts a thread.
  public func start<Request: Sendable>(
    name: String, _ work: @escaping @Sendable ([Request]) -> Bool
  ) throws(SystemFailure) -> any BatchInbox<Request> {
    try BatchThread(name: name, work)
  }
}
