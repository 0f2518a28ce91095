/// The limits of a schedule.
public struct SchedulePolicy: Sendable {
  /// Pending notifications of each app; those that fire soonest are retained.
  public var pendingLimit: Int
  /// How late a missed notification may still be shown, in milliseconds.
  public var missedWindow: Int64
  /// Look-ups in calendars other than the Gregorian after which the remaining dates wait for the next step.
  public var calendarLookUps: Int

  /// Makes a policy; the limit is at least 1.
  public init(
    pendingLimit: Int = ScheduleLimits.pendingPerApp,
    missedWindow: Int64 = ScheduleLimits.missedWindowMilliseconds,
    calendarLookUps: Int = ScheduleLimits.calendarLookUpsPerTurn
  ) {
    self.calendarLookUps = max(calendarLookUps, 1)
    self.pendingLimit = max(pendingLimit, 1)
    self.missedWindow = min(max(missedWindow, 0), ScheduleLimits.longestIntervalMilliseconds)
  }
}

/// The result of adding an entry.
public struct ScheduleAdded: Equatable, Sendable {
  /// The entry to persist; nil when sooner ones of its app fill the limit.
  public let entry: ScheduleEntry?
  /// When it fires, in milliseconds since 1970; in the past when it is due at once.
  public let next: Int64
  /// Entries that the limit pushed out, to be removed from disk.
  public let dropped: [ScheduleKey]
}

/// The changes to persist after all dates were recomputed.
public struct ScheduleRecomputed: Equatable, Sendable {
  /// Entries whose passed moments no longer count.
  public internal(set) var changed: [ScheduleEntry] = []
  /// Entries that can never fire again.
  public internal(set) var lost: [ScheduleKey] = []
}

/// A step of the schedule.
public enum ScheduleStep: Equatable, Sendable {
  /// Persist what remains, then show the notification.
  case fire(Firing)
  /// Missed by more than the window: delete the entry and log it.
  case expired(ScheduleKey, due: Int64)
  /// Nothing is due before ``Schedule/wakeUp``, which is now where dates of other calendars are still to be computed.
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

  /// The same moments, delayed to the end of their window of the wall clock, so that all moments of
  /// one window share a wake-up and none is early.
  ///
  /// Windows begin with the second, so that a date, which has no fraction of one, is not put off.
  ///
  /// - Parameters:
  ///   - now: Both clocks.
  ///   - window: Milliseconds, a divisor of 1,000.
  /// - Returns: The delayed moments.
  public func coalesced(
    at now: ScheduleMoment, window: Int64 = ScheduleLimits.wakeWindowMilliseconds
  ) -> ScheduleWakeUp {
    assert(window > 0 && 1_000 % window == 0, "windows begin with the second")
    let lead = now.wall - now.elapsed
    let byWall = wall.map { Self.end(of: window, $0) }
    let byElapsed = elapsed.map { Self.end(of: window, $0 + lead) }
    // One alarm serves both: the wall clock's, which also tells when that clock is set.
    if let byWall, byWall == byElapsed { return ScheduleWakeUp(wall: byWall, elapsed: nil) }
    return ScheduleWakeUp(wall: byWall, elapsed: byElapsed.map { $0 - lead })
  }

  private static func end(of window: Int64, _ moment: Int64) -> Int64 {
    let over = moment % window
    let end = over == 0 ? moment : over > 0 ? moment - over + window : moment - over
    assert(end >= moment && end - moment < window, "nothing is early, or later than its window")
    return end
  }
}

/// A pending entry and when it fires, in milliseconds since 1970.
public struct SchedulePending: Equatable, Sendable {
  /// The entry as persisted.
  public let entry: ScheduleEntry
  /// When it fires.
  public let next: Int64
}
