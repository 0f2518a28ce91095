/// Where event loops run: each on a thread of its own, or all of them in a simulation's one thread.
public protocol LoopRunner: Sendable {
  /// Makes a loop and calls `body` with it, where everything is built that the loop is to hold.
  ///
  /// `name` appears in lists of the program's threads.
  func start(
    name: String, _ body: @escaping @Sendable (EventLoop) -> Void
  ) throws(SystemFailure) -> any RunningLoop
}

/// A loop that a runner has started.
public protocol RunningLoop: Sendable {
  /// Waits until the loop has been stopped and everything it held is released; once, and never on the
  /// loop itself.
  func join()
}

extension LoopThread: RunningLoop {}

/// Runs each loop on a thread of its own.
public struct ThreadLoopRunner: LoopRunner {
  /// A runner; it holds nothing.
  public init() {}

  /// Starts a thread.
  public func start(
    name: String, _ body: @escaping @Sendable (EventLoop) -> Void
  ) throws(SystemFailure) -> any RunningLoop {
    try LoopThread.start(name: name, body)
  }
}
