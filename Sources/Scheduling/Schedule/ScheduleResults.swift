/// The limits of a schedule.
public struct SchedulePolicy: Sendable {
  /// The maximum number of pending notifications per app; the notifications that fire soonest are retained.
  public var pendingLimit: Int
  /// The maximum delay, in milliseconds, with which a missed notification is still displayed.
  public var missedWindow: Int64
  /// The number of lookups in calendars other than the Gregorian calendar after which the remaining dates wait for the
  /// next step.
  public var calendarLookUps: Int

  /// Creates a policy.
  ///
  /// `pendingLimit` is raised to 1 if it is lower.
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
  /// The entry to persist; nil if the app's limit is already reached by entries that fire earlier.
  public let entry: ScheduleEntry?
  /// The time at which the entry fires, in milliseconds since 1970.
  ///
  /// The time is in the past if the entry is due immediately.
  public let next: Int64
  /// The entries that exceeded the limit, to be removed from disk.
  public let dropped: [ScheduleKey]
}

/// The changes to persist after all dates were recomputed.
public struct ScheduleRecomputed: Equatable, Sendable {
  /// The entries whose handled time advanced, because repetitions that have passed are skipped.
  public internal(set) var changed: [ScheduleEntry] = []
  /// The entries that can never fire again.
  public internal(set) var lost: [ScheduleKey] = []
}

/// A step of the schedule.
public enum ScheduleStep: Equatable, Sendable {
  /// Persist the remaining entry, then display the notification.
  case fire(Firing)
  /// The entry missed its moment by more than the window: delete it, and log the deletion.
  case expired(ScheduleKey, due: Int64)
  /// Nothing is due before ``Schedule/wakeUp``. That time is the current time if dates in other calendars remain to be
  /// computed.
  case rest
}

/// The earliest moment on each clock at which the schedule must be called again.
public struct ScheduleWakeUp: Hashable, Sendable {
  /// Milliseconds since 1970; nil if nothing is due on that clock.
  public let wall: Int64?
  /// Milliseconds of elapsed time; nil if nothing is due on that clock.
  public let elapsed: Int64?

  /// Creates a wake-up from moments on the two clocks.
  public init(wall: Int64?, elapsed: Int64?) {
    self.wall = wall
    self.elapsed = elapsed
  }

  /// Returns a wake-up with the same moments, each delayed to the end of its window on the wall clock.
  ///
  /// All moments in a window share a wake-up, and no wake-up is early. Windows start on a full second, so a date
  /// without a fraction of a second is not delayed.
  ///
  /// - Parameters:
  ///   - now: The current time, on both clocks.
  ///   - window: The window's length in milliseconds; it must be a divisor of 1,000.
  /// - Returns: The delayed moments.
  public func coalesced(
    at now: ScheduleMoment, window: Int64 = ScheduleLimits.wakeWindowMilliseconds
  ) -> ScheduleWakeUp {
    assert(window > 0 && 1_000 % window == 0, "windows divide a second evenly")
    let lead = now.wall - now.elapsed
    let byWall = wall.map { Self.end(of: window, $0) }
    let byElapsed = elapsed.map { Self.end(of: window, $0 + lead) }
    // A single wall-clock alarm is sufficient, and it also reports changes to the wall clock.
    if let byWall, byWall == byElapsed { return ScheduleWakeUp(wall: byWall, elapsed: nil) }
    return ScheduleWakeUp(wall: byWall, elapsed: byElapsed.map { $0 - lead })
  }

  private static func end(of window: Int64, _ moment: Int64) -> Int64 {
    let over = moment % window
    let end = over == 0 ? moment : over > 0 ? moment - over + window : moment - over
    assert(
      end >= moment && end - moment < window,
      "a wake-up is within the window that starts at its moment")
    return end
  }
}

/// A pending entry and its due date.
public struct SchedulePending: Equatable, Sendable {
  /// The entry as persisted.
  public let entry: ScheduleEntry
  /// The time at which the entry fires, in milliseconds since 1970.
  public let next: Int64
}
