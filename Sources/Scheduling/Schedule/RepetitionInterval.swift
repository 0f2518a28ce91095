public import AppWire

extension NotificationTrigger {
  /// The interval at which the trigger repeats, as words that follow "every": "day", "90 seconds"; nil if the trigger
  /// does not repeat at a fixed interval.
  public var repetitionInterval: String? {
    switch self {
    case .push, .region, .interval(_, false), .calendar(_, false): nil
    case .interval(let seconds, true): Period.words(ofSeconds: seconds)
    case .calendar(let components, true): CalendarMatch(components).repetitionWord
    case .date(_, _, let recurrence, let calendar):
      Period(recurrence, calendar: calendar).lengthWords
    }
  }
}

extension Period {
  /// The length of the period, as words that follow "every"; nil for a length of several kinds of units.
  fileprivate var lengthWords: String? {
    switch length {
    case .none: nil
    case .weekYears(let years): Self.counted(years, "year")
    case .span(3, 0, 0): "quarter"
    case .span(let months, 0, 0):
      months % 12 == 0 ? Self.counted(months / 12, "year") : Self.counted(months, "month")
    case .span(0, let days, 0):
      days % 7 == 0 ? Self.counted(days / 7, "week") : Self.counted(days, "day")
    case .span(0, 0, let seconds): Self.words(ofSeconds: Double(seconds))
    case .span: nil
    }
  }

  fileprivate static func words(ofSeconds seconds: Double) -> String? {
    guard seconds > 0, seconds <= Double(ScheduleLimits.longestIntervalMilliseconds) / 1_000 else {
      return nil
    }
    let whole = Int(seconds)
    if Double(whole) != seconds { return "\(seconds) seconds" }
    assert(whole > 0, "a positive number without a fraction is at least 1")
    if whole % 3_600 == 0 { return counted(whole / 3_600, "hour") }
    return whole % 60 == 0 ? counted(whole / 60, "minute") : counted(whole, "second")
  }

  /// Returns "day" for 1, and "2 days" for 2.
  private static func counted(_ count: Int, _ unit: String) -> String {
    assert(count > 0, "a period that repeats has a positive length")
    return count == 1 ? unit : "\(count) \(unit)s"
  }
}
