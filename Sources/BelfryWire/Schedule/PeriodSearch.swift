/// The search for the next repeat of a moment.
extension Period {
  /// The next moment strictly after `now`.
  ///
  /// - Parameters:
  ///   - now: Milliseconds since 1970.
  ///   - start: The first moment, in milliseconds since 1970: it is not moved by what follows.
  ///   - wall: What a wall clock in `zone` shows at `start`, in seconds since its 1970.
  ///   - zone: Where the wall clock hangs.
  /// - Returns: Milliseconds since 1970; nil when none lies ahead.
  func next(after now: Int64, from start: Int64, wall: Int, in zone: Zone) -> Int64? {
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
        next(days: days, after: zone.latestWall(at: after), from: wall).map(zone.firstInstant)
      case .span(let months, let days, let seconds):
        next(months, days, seconds, after: after, from: wall, in: zone)
      case .weekYears(let years):
        next(weekYears: years, after: zone.latestWall(at: after), from: wall)
          .map(zone.firstInstant)
      }
    // A gap can bring the first repeat to the very moment of the start: it fires once.
    guard let found, found > first, Gregorian.clampedSeconds(found) == found else { return nil }
    return Int64(found * 1_000 + fraction)
  }

  private func next(days: Int, after: Int, from wall: Int) -> Int? {
    let step = days * Gregorian.secondsPerDay
    let count = after < wall ? 1 : (after - wall) / step + 1
    return wall + count * step
  }

  private func next(
    _ months: Int, _ days: Int, _ seconds: Int, after: Int, from wall: Int, in zone: Zone
  ) -> Int? {
    let shown = zone.latestWall(at: after)
    let dayOfStart = Gregorian.floorDivide(wall, Gregorian.secondsPerDay)
    let time = wall - dayOfStart * Gregorian.secondsPerDay
    let date = Gregorian.date(dayOfStart)
    let monthOfStart = date.year * 12 + date.month - 1
    // No month is longer than 31 days, so that no repeat is stepped over.
    let longest = (months * 31 + days) * Gregorian.secondsPerDay + seconds
    var count = max(1, (max(shown, wall) - wall - 2 * Gregorian.secondsPerDay) / longest)
    for _ in 0..<ScheduleLimits.periodSteps {
      let month = monthOfStart + count * months
      let year = Gregorian.floorDivide(month, 12)
      guard ScheduleLimits.years.contains(year) else { return nil }
      let monthOfYear = month - year * 12 + 1
      if date.day <= Gregorian.length(ofMonth: monthOfYear, year) {
        let day = Gregorian.day(year, monthOfYear, date.day) + count * days
        let local = Gregorian.clampedSeconds(day * Gregorian.secondsPerDay + time)
        if seconds > 0 {
          let found = zone.firstInstant(ofWall: local) + count * seconds
          if found > after { return found }
        } else if local > shown {
          return zone.firstInstant(ofWall: local)
        }
      }
      count += 1
    }
    return nil
  }

  private func next(weekYears years: Int, after: Int, from wall: Int) -> Int? {
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
