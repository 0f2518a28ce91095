/// The state that determines when a virtual phone asks its agent for a new snapshot of the screen.
///
/// Only one refresh runs at a time. If something changes during a refresh, or if a refresh fails, another refresh
/// follows.
struct PhoneRefresh {
  /// True from the beginning of a refresh until its snapshot has been shown.
  private(set) var isRunning = false
  /// True if something has changed since the refresh began.
  private var isStale = false
  /// The number of consecutive refreshes that have failed.
  private var failures = 0

  /// Records a change; returns true if a refresh must begin now.
  mutating func changed() -> Bool {
    isStale = isRunning
    defer { isRunning = true }
    return !isRunning
  }

  /// Records the end of a refresh; returns true if another one must begin now.
  ///
  /// A refresh fails if the agent doesn't answer in time or the connection is lost. Without another attempt, the page
  /// would show the old state until the next change.
  mutating func ended(isComplete: Bool) -> Bool {
    assert(isRunning, "a refresh that ended has begun")
    failures = isComplete ? 0 : failures + 1
    isRunning = isStale || !isComplete && failures < Limits.phoneRefreshFailuresMax
    isStale = false
    return isRunning
  }
}
