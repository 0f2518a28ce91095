/// What the schedule may keep and how late it may be.
public struct SchedulePolicy: Sendable {
  /// Pending notifications kept for each app: those that fire soonest.
  public var pendingLimit: Int
  /// How late a missed notification may still be shown, in milliseconds.
  public var missedWindow: Int64

  /// Makes a policy; the limit is at least 1.
  public init(
    pendingLimit: Int = ScheduleLimits.pendingPerApp,
    missedWindow: Int64 = ScheduleLimits.missedWindowMilliseconds
  ) {
    self.pendingLimit = max(pendingLimit, 1)
    self.missedWindow = min(max(missedWindow, 0), ScheduleLimits.longestIntervalMilliseconds)
  }
}

/// What became of an entry that was added.
public struct ScheduleAdded: Equatable, Sendable {
  /// To be kept on disk; nil when sooner ones of its app already fill the limit.
  public let entry: ScheduleEntry?
  /// When it fires, in milliseconds since 1970; past when it is due at once.
  public let next: Int64
  /// Entries that the limit pushed out, to be removed from disk.
  public let dropped: [ScheduleKey]
}

/// What is to be changed on disk after all dates were computed anew.
public struct ScheduleRecomputed: Equatable, Sendable {
  /// Entries whose passed moments no longer count.
  public internal(set) var changed: [ScheduleEntry] = []
  /// Entries that can never fire again.
  public internal(set) var lost: [ScheduleKey] = []
}

/// What the schedule wants done.
public enum ScheduleStep: Equatable, Sendable {
  /// Keep what remains, then show it.
  case fire(Firing)
  /// Missed by more than the window: remove it from disk and say so in the log.
  case expired(ScheduleKey, due: Int64)
  /// Nothing is due; ask again when `wakeUp` says.
  case rest
}

/// When to ask again: the earliest moment on each clock.
public struct ScheduleWakeUp: Hashable, Sendable {
  /// Milliseconds since 1970; nil when nothing waits for that clock.
  public let wall: Int64?
  /// Elapsed milliseconds; nil when nothing waits for that clock.
  public let elapsed: Int64?

  /// Moments on the two clocks.
  public init(wall: Int64?, elapsed: Int64?) {
    self.wall = wall
    self.elapsed = elapsed
  }

  /// The same, each put off to the end of its window of the wall clock: what is due within one
  /// window, on either clock, is one wake-up, and nothing is early.
  ///
  /// Windows begin with the second, so that a date, which has no fraction of one, is not put off.
  ///
  /// - Parameters:
  ///   - now: Both clocks.
  ///   - window: Milliseconds, a divisor of 1,000.
  /// - Returns: What to wake for.
  public func coalesced(
    at now: ScheduleMoment, window: Int64 = ScheduleLimits.wakeWindowMilliseconds
  ) -> ScheduleWakeUp {
    let lead = now.wall - now.elapsed
    let byWall = wall.map { Self.end(of: window, $0) }
    let byElapsed = elapsed.map { Self.end(of: window, $0 + lead) }
    // One alarm serves both: the wall clock's, which also tells when that clock is set.
    if let byWall, byWall == byElapsed { return ScheduleWakeUp(wall: byWall, elapsed: nil) }
    return ScheduleWakeUp(wall: byWall, elapsed: byElapsed.map { $0 - lead })
  }

  private static func end(of window: Int64, _ moment: Int64) -> Int64 {
    let over = moment % window
    return over == 0 ? moment : over > 0 ? moment - over + window : moment - over
  }
}

/// An entry that waits, and when it fires, in milliseconds since 1970.
public struct SchedulePending: Equatable, Sendable {
  /// As kept on disk.
  public let entry: ScheduleEntry
  /// When it fires.
  public let next: Int64
}
