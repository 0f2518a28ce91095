/// The rule for numbering weeks: the weekday on which a week begins, and the minimum number of days in the first week.
public struct WeekRule: Hashable, Sendable {
  /// The weekday on which a week begins, from 1 (Sunday) to 7 (Saturday).
  public let firstWeekday: Int8
  /// The minimum number of days that a week must have in a year or month to be its first week.
  public let minimumDays: Int8

  /// Creates a week rule.
  ///
  /// Values outside 1 to 7 are clamped.
  public init(firstWeekday: Int = 1, minimumDays: Int = 1) {
    self.firstWeekday = Int8(min(max(firstWeekday, 1), 7))
    self.minimumDays = Int8(min(max(minimumDays, 1), 7))
  }

  /// The rule that weeks begin on Sunday and the first week has at least one day.
  ///
  /// This rule is the default of Foundation's Gregorian calendar.
  public static let sunday = WeekRule()
  /// The rule of ISO 8601: weeks begin on Monday, and the first week has at least four days.
  public static let iso8601 = WeekRule(firstWeekday: 2, minimumDays: 4)

  /// Returns the first day of week 1 of a year or month that begins on `start`.
  ///
  /// The day can be before `start`.
  func weekOne(ofPeriodFrom start: Int) -> Int {
    let into = Gregorian.floorRemainder(Gregorian.weekday(start) - Int(firstWeekday), 7)
    let first = 7 - into >= Int(minimumDays) ? start - into : start - into + 7
    assert(Gregorian.weekday(first) == Int(firstWeekday), "a week begins on its first weekday")
    return first
  }

  /// Returns the first day of a week-year (`yearForWeekOfYear`).
  func start(ofWeekYear year: Int) -> Int {
    weekOne(ofPeriodFrom: Gregorian.day(year, 1, 1))
  }

  /// Returns the week-year and the week number of a day.
  public func week(of day: Int, year: Int) -> (year: Int, week: Int) {
    let start = start(ofWeekYear: year)
    guard day >= start else {
      return (year - 1, (day - self.start(ofWeekYear: year - 1)) / 7 + 1)
    }
    guard day < self.start(ofWeekYear: year + 1) else { return (year + 1, 1) }
    let week = (day - start) / 7 + 1
    assert((1...53).contains(week), "no year has more than 53 weeks")
    return (year, week)
  }

  /// Returns the week of the month; 0 for days before the first week.
  public func weekOfMonth(of day: Int, monthStart: Int) -> Int {
    Gregorian.floorDivide(day - weekOne(ofPeriodFrom: monthStart), 7) + 1
  }
}
