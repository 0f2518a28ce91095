/// The environment in which event loops run: each on its own thread, or all on a simulation's single thread.
public protocol LoopRunner: Sendable {
  /// Creates a loop and calls `body`, which creates all objects that the loop holds.
  ///
  /// `name` identifies the thread in lists of the program's threads.
  func start(
    name: String, _ body: @escaping @Sendable (EventLoop) -> Void
  ) throws(SystemFailure) -> any RunningLoop
}

/// A loop that a runner has started.
public protocol RunningLoop: Sendable {
  /// Waits until the loop has stopped and all objects that it held have been released.
  ///
  /// Call this method once, and never from the loop itself.
  func join()
}

extension LoopThread: RunningLoop {}

/// A runner that runs each loop on its own thread.
public struct ThreadLoopRunner: LoopRunner {
  /// Creates a runner, which has no state.
  public init() {}

  /// Starts a thread for the loop.
  public func start(
    name: String, _ body: @escaping @Sendable (EventLoop) -> Void
  ) throws(SystemFailure) -> any RunningLoop {
    try LoopThread.start(name: name, body)
  }
}
