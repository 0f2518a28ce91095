/// The search for the next matching wall time, which narrows the candidates from years to months to the few days that
/// can match.
///
/// The search stops after 400 years, after which the Gregorian calendar repeats.
extension CalendarMatch {
  /// Returns the next match strictly after an instant.
  ///
  /// - Parameters:
  ///   - instant: Seconds since 1970.
  ///   - zone: The time zone of the wall clock, to which the caller has resolved the match's zone.
  /// - Returns: Seconds since 1970; nil if no later match exists.
  public func next(after instant: Int, in zone: Zone) -> Int? {
    // Exclude wall times that clocks have already displayed, even while clocks repeat an hour.
    nextWall(after: zone.latestWall(at: instant)).map(zone.firstInstant(ofWall:))
  }

  /// Returns the next match strictly after an instant, in a calendar whose matching days `nextDay` finds.
  ///
  /// - Parameters:
  ///   - instant: Seconds since 1970.
  ///   - zone: The time zone of the wall clock.
  ///   - nextDay: A function that returns the first matching day at or after a given day, counted from 1970-01-01.
  /// - Returns: Seconds since 1970; nil if no later match exists.
  public func next(after instant: Int, in zone: Zone, nextDay: (Int) -> Int?) -> Int? {
    nextWall(after: zone.latestWall(at: instant), nextDay: nextDay).map(zone.firstInstant(ofWall:))
  }

  /// Returns the next match strictly after a wall time.
  ///
  /// Both times are in seconds since 1970-01-01T00:00 on the wall clock.
  public func nextWall(after wall: Int) -> Int? { nextWall(after: wall, nextDay: nextDay(from:)) }

  private func nextWall(after wall: Int, nextDay: (Int) -> Int?) -> Int? {
    guard constrainsDate || constrainsTime else { return nil }
    let from = Gregorian.clampedSeconds(wall) + 1
    let day = Gregorian.floorDivide(from, Gregorian.secondsPerDay)
    guard let found = nextDay(day) else { return nil }
    let second = found == day ? from - day * Gregorian.secondsPerDay : 0
    if let time = nextSecond(from: second) { return found * Gregorian.secondsPerDay + time }
    guard let next = nextDay(found + 1), let time = nextSecond(from: 0) else { return nil }
    return next * Gregorian.secondsPerDay + time
  }

  // MARK: Within a day

  /// Returns the first matching second in a day at or after `start`.
  func nextSecond(from start: Int) -> Int? {
    guard constrainsTime else { return start == 0 ? 0 : nil }
    let hours = hour == Self.absent ? 0...23 : Int(hour)...Int(hour)
    // If no minute is specified, a specified second matches in every minute. If no second is specified either, only the
    // first minute matches.
    let minutes =
      minute != Self.absent
      ? Int(minute)...Int(minute) : second == Self.absent ? 0...0 : 0...59
    let second = second == Self.absent ? 0 : Int(self.second)
    guard hours.lowerBound >= 0, hours.upperBound < 24, minutes.lowerBound >= 0,
      minutes.upperBound < 60, second >= 0, second < 60
    else { return nil }
    var next = (hour: start / 3_600, minute: start / 60 % 60)
    if second < start % 60 { next.minute += 1 }
    if next.hour < hours.lowerBound { next = (hours.lowerBound, 0) }
    if next.minute > minutes.upperBound { next = (next.hour + 1, 0) }
    guard next.hour <= hours.upperBound else { return nil }
    let found = next.hour * 3_600 + max(next.minute, minutes.lowerBound) * 60 + second
    assert(
      found >= start && found < Gregorian.secondsPerDay,
      "the found second is within the day and not before the start")
    return found
  }

  // MARK: Days

  /// Returns the first matching day at or after `first`.
  func nextDay(from first: Int) -> Int? {
    guard Gregorian.days.contains(first) else { return nil }
    guard constrainsDate else { return first }
    let start = Gregorian.date(first)
    guard var year = nextYear(from: start.year) else { return nil }
    let last = min(year + ScheduleLimits.searchYears, ScheduleLimits.years.upperBound)
    while year <= last {
      for month in months where year > start.year || month >= start.month {
        guard let day = nextDay(from: first, year, month) else { continue }
        assert(day >= first, "the search moves forward")
        assert(matches(day: day), "the found day matches all components")
        return day
      }
      guard let next = nextYear(from: year + 1) else { return nil }
      year = next
    }
    return nil
  }

  /// Returns the first year at or after `start` that can contain a match.
  private func nextYear(from start: Int) -> Int? {
    var low = start
    var high = ScheduleLimits.years.upperBound
    if weekYear != Self.absentYear {
      // A week-year can begin and end up to six days before or after the calendar year with the same number.
      low = max(low, Int(weekYear) - 1)
      high = min(high, Int(weekYear) + 1)
    }
    switch era {
    case Self.absent: break
    case 0: high = min(high, 0)
    case 1: low = max(low, 1)
    default: return nil
    }
    if eraYear != Self.absentYear {
      guard eraYear >= 1 else { return nil }
      let before = 1 - Int(eraYear)
      low = low <= before && before <= high ? before : max(low, Int(eraYear))
      guard low == before || low == Int(eraYear) else { return nil }
    }
    return low <= high ? low : nil
  }

  /// The months that can contain a match.
  private var months: ClosedRange<Int> {
    var low = 1
    var high = 12
    if quarter != Self.absent {
      low = Int(quarter) * 3 - 2
      high = low + 2
    }
    if month != Self.absent {
      low = max(low, Int(month))
      high = min(high, Int(month))
    }
    // If no month matches, return a range without valid months, in which the day search finds nothing.
    return low <= high && low >= 1 && high <= 12 ? low...high : 0...0
  }

  /// Returns the first matching day in a month at or after `first`.
  private func nextDay(from first: Int, _ year: Int, _ month: Int) -> Int? {
    guard month > 0 else { return nil }
    assert((1...12).contains(month), "a month is between 1 and 12")
    let start = Gregorian.day(year, month, 1)
    var low = start
    var high = start + Gregorian.length(ofMonth: month, year) - 1
    guard high >= first else { return nil }
    if day != Self.absent {
      low = max(low, start + Int(day) - 1)
      high = min(high, start + Int(day) - 1)
    }
    if weekdayOrdinal != Self.absent {
      low = max(low, start + Int(weekdayOrdinal) * 7 - 7)
      high = min(high, start + Int(weekdayOrdinal) * 7 - 1)
    }
    if weekOfMonth != Self.absent {
      let week = weeks.weekOne(ofPeriodFrom: start) + Int(weekOfMonth) * 7 - 7
      low = max(low, week)
      high = min(high, week + 6)
    }
    guard weekOfYear != Self.absent || weekYear != Self.absentYear else {
      return firstDay(from: first, low, high)
    }
    for candidate in (year - 1)...(year + 1)
    where weekYear == Self.absentYear || candidate == weekYear {
      var begin = weeks.start(ofWeekYear: candidate)
      var end = weeks.start(ofWeekYear: candidate + 1) - 1
      if weekOfYear != Self.absent {
        begin += Int(weekOfYear) * 7 - 7
        // In a year with 52 weeks, week 53 has no match; it must not select the first week of the next year.
        guard weekOfYear >= 1, begin <= end else { continue }
        end = begin + 6
      }
      if let day = firstDay(from: first, max(low, begin), min(high, end)) { return day }
    }
    return nil
  }

  /// Returns the first matching day at or after `first`, among days on which all components except the weekday match.
  private func firstDay(from first: Int, _ low: Int, _ high: Int) -> Int? {
    var day = max(first, low)
    guard day <= high else { return nil }
    if weekday != Self.absent {
      guard weekday >= 1, weekday <= 7 else { return nil }
      day += Gregorian.floorRemainder(Int(weekday) - Gregorian.weekday(day), 7)
      return day <= high ? day : nil
    }
    // If no day and no time of day is specified, the match is the first day of the specified week or longer period.
    guard !constrainsDay, !constrainsTime else { return day }
    return matches(day: day - 1) ? nil : day
  }

  /// Returns true if a day matches all components of the date.
  func matches(day candidate: Int) -> Bool {
    let date = Gregorian.date(candidate)
    let start = candidate - date.day + 1
    if weekOfYear != Self.absent || weekYear != Self.absentYear {
      let week = weeks.week(of: candidate, year: date.year)
      guard agrees(weekOfYear, week.week), weekYear == Self.absentYear || weekYear == week.year
      else { return false }
    }
    return agrees(era, date.year > 0 ? 1 : 0)
      && (eraYear == Self.absentYear || eraYear == (date.year > 0 ? date.year : 1 - date.year))
      && agrees(quarter, (date.month + 2) / 3) && agrees(month, date.month) && agrees(day, date.day)
      && agrees(weekday, Gregorian.weekday(candidate))
      && agrees(weekdayOrdinal, (date.day + 6) / 7)
      && (weekOfMonth == Self.absent
        || weekOfMonth == weeks.weekOfMonth(of: candidate, monthStart: start))
  }

  private func agrees(_ wanted: Int8, _ value: Int) -> Bool {
    wanted == Self.absent || Int(wanted) == value
  }
}
