/// The search for the next repetition of a `moment` trigger.
extension Period {
  /// Returns the next moment strictly after `now`.
  ///
  /// - Parameters:
  ///   - now: Milliseconds since 1970.
  ///   - start: The first moment, in milliseconds since 1970. Later clock or time-zone changes do not affect it.
  ///   - wall: The wall time in `zone` at `start`, in seconds since 1970.
  ///   - zone: The time zone of the wall clock.
  ///   - calendar: The calendar of the months; nil selects the Gregorian calendar.
  /// - Returns: Milliseconds since 1970; nil if no later moment exists.
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
        if let calendar {
          next(months, days, seconds, after: after, from: wall, in: zone, by: calendar)
        } else {
          next(months, days, seconds, after: after, from: wall, in: zone)
        }
      case .weekYears(let years):
        Self.instant(
          ofWall: next(weekYears: years, after: zone.latestWall(at: after), from: wall), in: zone)
      }
    // Near a gap in wall time, the first repetition can be the same instant as the start. This instant must fire only
    // once.
    guard let found, found > first, Gregorian.clampedSeconds(found) == found else { return nil }
    return Int64(found * 1_000 + fraction)
  }

  /// Returns the first instant at which clocks show a wall time.
  ///
  /// Returns nil for a wall time beyond the range of dates. For such a time, `Zone` would return the last instant of
  /// the range.
  private static func instant(ofWall wall: Int?, in zone: Zone) -> Int? {
    guard let wall, Gregorian.clampedSeconds(wall) == wall else { return nil }
    return zone.firstInstant(ofWall: wall)
  }

  private func next(days: Int, after: Int, from wall: Int) -> Int? {
    assert(days > 0, "a period of days has at least one day")
    let step = days * Gregorian.secondsPerDay
    let count = after < wall ? 1 : (after - wall) / step + 1
    return wall + count * step
  }

  private func next(
    _ months: Int, _ days: Int, _ seconds: Int, after: Int, from wall: Int, in zone: Zone
  ) -> Int? {
    assert(months | days | seconds > 0, "a period has at least one nonzero component")
    let shown = zone.latestWall(at: after)
    let start = Gregorian.floorDivide(wall, Gregorian.secondsPerDay)
    let time = wall - start * Gregorian.secondsPerDay
    let date = Gregorian.date(start)
    // A series of months is at most a few days longer than its mean length.
    let mean = months * Gregorian.secondsPerMeanMonth + days * Gregorian.secondsPerDay + seconds
    let first = max(1, (max(shown, wall) - wall - 8 * Gregorian.secondsPerDay) / mean)
    for count in first..<(first + ScheduleLimits.periodSteps) {
      let month = date.year * 12 + date.month - 1 + count * months
      let year = Gregorian.floorDivide(month, 12)
      guard ScheduleLimits.years.contains(year) else { return nil }
      let exists = date.day <= Gregorian.length(ofMonth: month - year * 12 + 1, year)
      guard exists else { continue }
      let day = Gregorian.day(year, month - year * 12 + 1, date.day) + count * days
      guard Gregorian.days.contains(day) else { return nil }
      let local = day * Gregorian.secondsPerDay + time
      if let found = Self.instant(ofWall: local, plus: count * seconds, after, shown, in: zone) {
        return found
      }
    }
    return nil
  }

  /// Returns the next repetition in a calendar with month lengths that this code does not know.
  ///
  /// A lookup can take a millisecond, so past repetitions are not counted one by one. Instead, the mean length of the
  /// repetitions so far predicts a repetition near the target. Two predictions are sufficient.
  private func next(
    _ months: Int, _ days: Int, _ seconds: Int, after: Int, from wall: Int, in zone: Zone,
    by calendar: any CalendarSystem
  ) -> Int? {
    let shown = zone.latestWall(at: after)
    let start = Gregorian.floorDivide(wall, Gregorian.secondsPerDay)
    let time = wall - start * Gregorian.secondsPerDay
    func local(_ count: Int) -> (wall: Int, exists: Bool)? {
      guard
        let found = calendar.repeatedDay(count, from: start, months: months, days: days),
        Gregorian.days.contains(found.day)
      else { return nil }
      return (found.day * Gregorian.secondsPerDay + time, found.exists)
    }
    // Start three days early: three days are more than twice the largest difference between a zone and UTC.
    let target = max(shown, wall) - 3 * Gregorian.secondsPerDay
    var first = 1
    var guess =
      max(0, target - wall) / ((months * 30 + days) * Gregorian.secondsPerDay + seconds)
    for _ in 0..<ScheduleLimits.calendarGuesses where guess > 0 {
      guard let reached = local(guess) else {
        guess /= 2
        continue
      }
      let length = max(1, (reached.wall + guess * seconds - wall) / guess)
      let missing = target - reached.wall - guess * seconds
      if missing >= 0 { first = max(first, guess) }
      if missing >= 0, missing < 2 * length { break }
      guess += Gregorian.floorDivide(missing, length)
    }
    for count in first..<(first + ScheduleLimits.calendarSteps) {
      guard let (local, exists) = local(count) else { return nil }
      guard exists else { continue }
      if let found = Self.instant(ofWall: local, plus: count * seconds, after, shown, in: zone) {
        return found
      }
    }
    return nil
  }

  /// Returns the instant of a repetition, or nil if it is not later than `after`.
  ///
  /// `shown` is the latest wall time that clocks have shown by `after`.
  private static func instant(
    ofWall local: Int, plus seconds: Int, _ after: Int, _ shown: Int, in zone: Zone
  ) -> Int? {
    if seconds > 0 {
      let found = zone.firstInstant(ofWall: local) + seconds
      return found > after ? found : nil
    }
    return local > shown ? zone.firstInstant(ofWall: local) : nil
  }

  private func next(weekYears years: Int, after: Int, from wall: Int) -> Int? {
    assert(years > 0, "a period of years has at least one year")
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
      // If the year has only 52 weeks, skip a repetition in week 53.
      if first + into < weeks.start(ofWeekYear: year + 1) {
        let local = (first + into) * Gregorian.secondsPerDay + time
        if local > after { return local }
      }
      year += years
    }
    return nil
  }
}
