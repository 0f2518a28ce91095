/// How weeks are numbered: which weekday begins one, and how many days make a first week.
public struct WeekRule: Hashable, Sendable {
  /// The weekday that begins a week: 1 is Sunday, 7 is Saturday.
  public let firstWeekday: Int8
  /// Days of a week that must lie in a year (or month) for it to be that year's first week.
  public let minimumDays: Int8

  /// Makes a rule; values outside 1 to 7 are brought to the nearer end.
  public init(firstWeekday: Int = 1, minimumDays: Int = 1) {
    self.firstWeekday = Int8(min(max(firstWeekday, 1), 7))
    self.minimumDays = Int8(min(max(minimumDays, 1), 7))
  }

  /// Weeks from Sunday, the first one with any day: Foundation's Gregorian calendar as it comes.
  public static let sunday = WeekRule()
  /// ISO 8601: weeks from Monday, the first one with at least four days.
  public static let iso8601 = WeekRule(firstWeekday: 2, minimumDays: 4)

  /// The first day of week 1 of a year or month that begins on `start`.
  ///
  /// It may lie before.
  func weekOne(ofPeriodFrom start: Int) -> Int {
    let into = Gregorian.floorRemainder(Gregorian.weekday(start) - Int(firstWeekday), 7)
    let first = 7 - into >= Int(minimumDays) ? start - into : start - into + 7
    assert(Gregorian.weekday(first) == Int(firstWeekday), "a week begins on its first weekday")
    return first
  }

  /// The first day of a year as weeks count it (`yearForWeekOfYear`).
  func start(ofWeekYear year: Int) -> Int {
    weekOne(ofPeriodFrom: Gregorian.day(year, 1, 1))
  }

  /// The year and the number of the week that a day lies in.
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

  /// The week of the month; 0 for days before a first week that has not enough of them.
  public func weekOfMonth(of day: Int, monthStart: Int) -> Int {
    Gregorian.floorDivide(day - weekOne(ofPeriodFrom: monthStart), 7) + 1
  }
}
