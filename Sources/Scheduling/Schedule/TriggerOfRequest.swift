public import AppWire

extension Trigger {
  /// Creates the trigger of an app's request.
  ///
  /// Returns nil for a push or a region, which do not depend on a clock.
  ///
  /// - Parameters:
  ///   - request: The request of the app link.
  ///   - world: The time zones and calendars that the trigger can refer to.
  /// - Throws: The reason that the request is refused.
  public init?(_ request: NotificationTrigger, in world: some ScheduleWorld) throws(Refusal) {
    switch request {
    case .push, .region:
      return nil
    case .interval(let seconds, let repeats):
      let limit = Double(ScheduleLimits.longestIntervalMilliseconds)
      guard seconds > 0, seconds * 1_000 <= limit else { throw .intervalOutOfRange }
      self = .interval(
        milliseconds: max(1, Int64((seconds * 1_000).rounded())), repeats: repeats)
    case .calendar(let components, let repeats):
      self = .calendar(CalendarMatch(components), repeats: repeats)
    case .date(let milliseconds, let zoneName, let recurrence, let calendar):
      var start = Start.instant(milliseconds)
      if let zoneName {
        guard let zone = world.zone(named: zoneName) else { throw .unknownZone(zoneName) }
        let seconds = Gregorian.clampedMilliseconds(milliseconds) / 1_000
        start = .wall(zone.wall(at: Int(seconds)), .floating)
      }
      self = .moment(start, every: Period(recurrence, calendar: calendar))
    }
    try check(in: world)
  }
}

extension CalendarMatch {
  /// Creates the match for an app's components.
  ///
  /// Nanoseconds are ignored.
  public init(_ components: MatchingComponents) {
    self.init()
    for (unit, value) in components.values {
      guard let component = Component(name: unit.rawValue) else { continue }
      self[component] = Int(clamping: value)
    }
    (calendar, weeks) = CalendarName.named(
      components.calendar, firstWeekday: components.firstWeekday,
      minimumDays: components.minimumDays)
    isLeapMonth = components.isLeapMonth
    zone = components.zone.map(ZoneChoice.named) ?? .floating
  }
}

extension Period {
  init(_ recurrence: NotificationTrigger.Recurrence?, calendar: String?) {
    switch recurrence {
    case nil:
      self = .once
    case .unit(let unit):
      let (name, weeks) = CalendarName.named(calendar, firstWeekday: nil, minimumDays: nil)
      self.init(calendarUnit: UInt(clamping: unit), weeks: weeks, calendar: name)
    case .components(let components):
      let (name, weeks) = CalendarName.named(
        components.calendar ?? calendar, firstWeekday: components.firstWeekday,
        minimumDays: components.minimumDays)
      self.init(
        Self.length(of: components), weeks: weeks, calendar: name,
        zone: components.zone.map(ZoneChoice.named) ?? .floating)
    }
  }

  /// Returns the length that the components add to a date.
  ///
  /// Each component counts as it does in `Calendar.date(byAdding:)`.
  private static func length(of components: MatchingComponents) -> Length {
    func count(_ unit: MatchingComponents.Unit, times factor: Int) -> Int {
      // Clamp each count so that the product cannot overflow.
      min(max(Int(clamping: components.values[unit] ?? 0), -4_000_000_000), 4_000_000_000) * factor
    }
    let months = count(.year, times: 12) + count(.quarter, times: 3) + count(.month, times: 1)
    let days =
      count(.weekOfYear, times: 7) + count(.weekOfMonth, times: 7)
      + count(.weekdayOrdinal, times: 7) + count(.weekday, times: 1) + count(.day, times: 1)
    let seconds = count(.hour, times: 3_600) + count(.minute, times: 60) + count(.second, times: 1)
    let weekYears = count(.yearForWeekOfYear, times: 1)
    guard months == 0, days == 0, seconds == 0, weekYears > 0 else {
      return .span(months: months, days: days, seconds: seconds)
    }
    return .weekYears(weekYears)
  }
}

extension CalendarName {
  /// Returns the calendar for the identifier that an app specifies, and the calendar's week rule.
  ///
  /// A nil identifier selects the Gregorian calendar.
  static func named(
    _ identifier: String?, firstWeekday: Int64?, minimumDays: Int64?
  ) -> (CalendarName, WeekRule) {
    let standard = identifier == "iso8601" ? WeekRule.iso8601 : .sunday
    let weeks = WeekRule(
      firstWeekday: Int(clamping: firstWeekday ?? Int64(standard.firstWeekday)),
      minimumDays: Int(clamping: minimumDays ?? Int64(standard.minimumDays)))
    switch identifier {
    case nil, "gregorian", "iso8601": return (.gregorian, weeks)
    case .some(let name): return (.other(name), weeks)
    }
  }
}

extension MatchingComponents {
  /// Creates components from a match that `belfry notify --matching` parsed.
  public init(_ match: CalendarMatch) {
    var values: [Unit: Int64] = [:]
    for component in CalendarMatch.Component.allCases {
      guard let unit = Unit(rawValue: "\(component)"), let value = match[component] else {
        continue
      }
      values[unit] = Int64(value)
    }
    self.init(values, isLeapMonth: match.isLeapMonth)
    if case .named(let name) = match.zone { zone = name }
    if case .other(let name) = match.calendar { calendar = name }
    firstWeekday = Int64(match.weeks.firstWeekday)
    minimumDays = Int64(match.weeks.minimumDays)
  }
}
