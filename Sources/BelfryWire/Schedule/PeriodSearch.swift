/// The search for the next repeat of a moment.
extension Period {
  /// The next moment strictly after `now`.
  ///
  /// - Parameters:
  ///   - now: Milliseconds since 1970.
  ///   - start: The first moment, in milliseconds since 1970: it is not moved by what follows.
  ///   - wall: The wall time in `zone` at `start`, in seconds since 1970.
  ///   - zone: The zone of the wall clock.
  ///   - calendar: The calendar of the months; nil is the Gregorian.
  /// - Returns: Milliseconds since 1970; nil when none lies ahead.
  func next(
    after now: Int64, from start: Int64, wall: Int, in zone: Zone,
    _ calendar: (any CalendarSystem)? = nil
  ) -> Int64? {
    guard now >= start else { return start }
    let fraction = Gregorian.floorRemainder(Int(start), 1_000)
    let after = Gregorian.floorDivide(Int(now) - fraction, 1_000)
    let first = (Int(start) - fraction) / 1_000
    let found: Int? =
      switch length {
      case .none: nil
      case .span(0, 0, let seconds):
        first + ((after - first) / seconds + 1) * seconds
      case .span(0, let days, 0):
        Self.instant(
          ofWall: next(days: days, after: zone.latestWall(at: after), from: wall), in: zone)
      case .span(let months, let days, let seconds):
        next(months, days, seconds, after: after, from: wall, in: zone, calendar)
      case .weekYears(let years):
        Self.instant(
          ofWall: next(weekYears: years, after: zone.latestWall(at: after), from: wall), in: zone)
      }
    // A gap can bring the first repeat to the very moment of the start: it fires once.
    guard let found, found > first, Gregorian.clampedSeconds(found) == found else { return nil }
    return Int64(found * 1_000 + fraction)
  }

  /// When clocks show a wall time first; nil beyond the range of dates, whose last instant a zone would answer.
  private static func instant(ofWall wall: Int?, in zone: Zone) -> Int? {
    guard let wall, Gregorian.clampedSeconds(wall) == wall else { return nil }
    return zone.firstInstant(ofWall: wall)
  }

  private func next(days: Int, after: Int, from wall: Int) -> Int? {
    assert(days > 0, "a span of days has one at least")
    let step = days * Gregorian.secondsPerDay
    let count = after < wall ? 1 : (after - wall) / step + 1
    return wall + count * step
  }

  private func next(
    _ months: Int, _ days: Int, _ seconds: Int, after: Int, from wall: Int, in zone: Zone,
    _ calendar: (any CalendarSystem)?
  ) -> Int? {
    assert(months | days | seconds > 0, "an empty span fires once")
    let shown = zone.latestWall(at: after)
    let start = Gregorian.floorDivide(wall, Gregorian.secondsPerDay)
    let time = wall - start * Gregorian.secondsPerDay
    let date = Gregorian.date(start)
    // No month of any calendar is longer than 32 days, so that no repeat is stepped over.
    let longest = (months * 32 + days) * Gregorian.secondsPerDay + seconds
    let first = max(1, (max(shown, wall) - wall - 2 * Gregorian.secondsPerDay) / longest)
    for count in first..<(first + ScheduleLimits.periodSteps) {
      let day: Int?
      if let calendar {
        day = calendar.day(from: start, months: count * months, days: count * days)
      } else {
        let month = date.year * 12 + date.month - 1 + count * months
        let year = Gregorian.floorDivide(month, 12)
        guard ScheduleLimits.years.contains(year) else { return nil }
        let exists = date.day <= Gregorian.length(ofMonth: month - year * 12 + 1, year)
        day = exists ? Gregorian.day(year, month - year * 12 + 1, date.day) + count * days : nil
      }
      guard let day else { continue }
      guard Gregorian.days.contains(day) else { return nil }
      let local = day * Gregorian.secondsPerDay + time
      if seconds > 0 {
        let found = zone.firstInstant(ofWall: local) + count * seconds
        if found > after { return found }
      } else if local > shown {
        return zone.firstInstant(ofWall: local)
      }
    }
    return nil
  }

  private func next(weekYears years: Int, after: Int, from wall: Int) -> Int? {
    assert(years > 0, "a span of years has one at least")
    let dayOfStart = Gregorian.floorDivide(wall, Gregorian.secondsPerDay)
    let time = wall - dayOfStart * Gregorian.secondsPerDay
    let start = weeks.week(of: dayOfStart, year: Gregorian.date(dayOfStart).year)
    let into = dayOfStart - weeks.start(ofWeekYear: start.year)
    // A week-year has at most 371 days.
    let longest = years * 371 * Gregorian.secondsPerDay
    var year = start.year + max(1, (max(after, wall) - wall) / longest) * years
    for _ in 0..<ScheduleLimits.searchYears {
      guard ScheduleLimits.years.contains(year) else { return nil }
      let first = weeks.start(ofWeekYear: year)
      // Week 53 is skipped in years that have 52.
      if first + into < weeks.start(ofWeekYear: year + 1) {
        let local = (first + into) * Gregorian.secondsPerDay + time
        if local > after { return local }
      }
      year += years
    }
    return nil
  }
}
