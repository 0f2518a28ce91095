extension Trigger {
  /// Returns the next moment strictly after `now`.
  ///
  /// - Parameters:
  ///   - now: Milliseconds since 1970, or of elapsed time for an interval.
  ///   - anchor: The time of scheduling, on the same clock; intervals start at this time.
  ///   - world: The time zones and calendars that the trigger can refer to.
  /// - Returns: A moment on the clock of `now`; nil if no later moment exists.
  public func next(
    after now: Int64, anchor: Int64, in world: some ScheduleWorld
  ) -> Int64? {
    let now = Gregorian.clampedMilliseconds(now)
    switch self {
    case .interval(let length, let repeats):
      let length = min(length, ScheduleLimits.longestIntervalMilliseconds)
      let anchor = Gregorian.clampedMilliseconds(anchor)
      guard length > 0 else { return nil }
      guard now >= anchor + length else { return anchor + length }
      return repeats ? anchor + ((now - anchor) / length + 1) * length : nil
    case .calendar(let match, _):
      let after = Gregorian.floorDivide(Int(now), 1_000)
      let zone = world.resolve(match.zone)
      let found: Int? =
        switch match.calendar {
        case .gregorian: match.next(after: after, in: zone)
        case .other(let name):
          world.calendar(named: name)?.next(matching: match, after: after, in: zone)
        }
      return found.map { Int64($0 * 1_000) }
    case .moment(let start, let period):
      let zone = world.resolve(period.zone)
      let first = self.first(of: start, in: world)
      var wall = zone.wall(at: Gregorian.floorDivide(Int(first), 1_000))
      // Use the requested wall time for the repetitions, even if clocks skip the wall time of the first moment.
      if case .wall(let shown, let choice) = start, choice == period.zone {
        wall = Gregorian.clampedSeconds(shown)
      }
      var calendar: (any CalendarSystem)?
      if case .other(let name) = period.calendar {
        calendar = world.calendar(named: name)
        guard calendar != nil else { return now < first ? first : nil }
      }
      return period.next(after: now, from: first, wall: wall, in: zone, calendar)
    }
  }

  /// Returns true if the components of a calendar trigger have matched within the last century.
  ///
  /// For example, components that specify the minute that has just begun match only its first second, which has already
  /// passed. If they include a year, no later match exists (client-api 3.4).
  func hasMatched(before now: Int64, in world: some ScheduleWorld) -> Bool {
    guard case .calendar = self else { return false }
    let start = Gregorian.clampedMilliseconds(now) - ScheduleLimits.passedMatchMilliseconds
    return next(after: start, anchor: start, in: world).map { $0 <= now } ?? false
  }

  /// Returns the start of a `moment` trigger, in milliseconds since 1970, or nil for other triggers.
  func first(in world: some ScheduleWorld) -> Int64? {
    guard case .moment(let start, _) = self else { return nil }
    return first(of: start, in: world)
  }

  /// Returns the latest wall time that clocks have shown by `now`, in milliseconds, for a match that occurs once.
  ///
  /// A one-time match keeps the wall time that was chosen when the trigger was added, even if the zone changes. Returns
  /// nil for all other triggers.
  func shown(at now: Int64, in world: some ScheduleWorld) -> Int64? {
    guard case .calendar(let match, false) = self, match.calendar == .gregorian else { return nil }
    let seconds = Gregorian.floorDivide(Int(Gregorian.clampedMilliseconds(now)), 1_000)
    return Int64(world.resolve(match.zone).latestWall(at: seconds)) * 1_000
  }

  /// Returns the next instant at which a one-time match occurs after the given wall time.
  ///
  /// Both times are in milliseconds.
  func next(afterShown shown: Int64, in world: some ScheduleWorld) -> Int64? {
    guard case .calendar(let match, false) = self else { return nil }
    let seconds = Gregorian.floorDivide(Int(Gregorian.clampedMilliseconds(shown)), 1_000)
    let zone = world.resolve(match.zone)
    return match.nextWall(after: seconds).map { Int64(zone.firstInstant(ofWall: $0)) * 1_000 }
  }

  private func first(of start: Start, in world: some ScheduleWorld) -> Int64 {
    switch start {
    case .instant(let instant): Gregorian.clampedMilliseconds(instant)
    case .wall(let shown, let choice):
      Int64(world.resolve(choice).firstInstant(ofWall: shown)) * 1_000
    }
  }

  /// Checks all conditions that do not depend on a clock.
  public func check(in world: some ScheduleWorld) throws(Refusal) {
    switch self {
    case .interval(let length, let repeats):
      guard length > 0, length <= ScheduleLimits.longestIntervalMilliseconds else {
        throw .intervalOutOfRange
      }
      guard !repeats || length >= Int64(ScheduleLimits.shortestRepeatSeconds) * 1_000 else {
        throw .repeatsTooOften
      }
    case .calendar(let match, _):
      try check(match.zone, match.calendar, in: world)
    case .moment(let start, let period):
      if case .wall(_, let zone) = start { try check(zone, .gregorian, in: world) }
      try check(period.zone, period.calendar, in: world)
      if case .span(0, 0, let seconds) = period.length,
        seconds < ScheduleLimits.shortestRepeatSeconds
      {
        throw .repeatsTooOften
      }
    }
  }

  private func check(
    _ zone: ZoneChoice, _ calendar: CalendarName, in world: some ScheduleWorld
  ) throws(Refusal) {
    if case .named(let name) = zone, world.zone(named: name) == nil { throw .unknownZone(name) }
    if case .other(let name) = calendar, world.calendar(named: name) == nil {
      throw .unknownCalendar(name)
    }
  }
}
