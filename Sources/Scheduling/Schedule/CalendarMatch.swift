/// The wall-time components to match, as specified by the `DateComponents` of a calendar trigger.
///
/// A match occurs at the first second of every stretch of wall time in which all specified components match. Absent
/// components that are coarser match any value, and absent components that are finer have their lowest value
/// (client-api 3.4). The type is deliberately small, because a million values can be in memory.
public struct CalendarMatch: Hashable, Sendable {
  /// A component of wall time, from coarse to fine.
  public enum Component: UInt8, CaseIterable, Sendable {
    /// The era: 0 (BC) or 1 (AD).
    case era
    /// The year of the era, from 1.
    case year
    /// The astronomical year to which a week belongs.
    case yearForWeekOfYear
    /// The quarter, 1 to 4.
    case quarter
    /// The month, 1 to 12.
    case month
    /// The week of the year, 1 to 53.
    case weekOfYear
    /// The week of the month, 0 to 6.
    case weekOfMonth
    /// The ordinal of the weekday in the month, 1 to 5.
    case weekdayOrdinal
    /// The day of the month, 1 to 31.
    case day
    /// The weekday, 1 (Sunday) to 7.
    case weekday
    /// The hour, 0 to 23.
    case hour
    /// The minute, 0 to 59.
    case minute
    /// The second, 0 to 59.
    case second
  }

  static let absent: Int8 = -128
  static let absentYear: Int32 = .min

  var eraYear = absentYear
  var weekYear = absentYear
  var era = absent
  var quarter = absent
  var month = absent
  var weekOfYear = absent
  var weekOfMonth = absent
  var weekdayOrdinal = absent
  var day = absent
  var weekday = absent
  var hour = absent
  var minute = absent
  var second = absent
  /// The rule by which the week components are counted.
  public var weeks = WeekRule.sunday
  /// The calendar to which the components belong.
  public var calendar = CalendarName.gregorian
  /// True if the month is a leap month; nil matches either.
  ///
  /// The Gregorian calendar does not have leap months.
  public var isLeapMonth: Bool?
  /// The time zone of the wall clock.
  public var zone = ZoneChoice.floating

  /// Creates a match without components, which never fires.
  public init() {}

  /// A component's value; nil if the component is absent.
  ///
  /// A value that is too large to be stored is replaced by a value that no date has.
  public subscript(_ component: Component) -> Int? {
    get {
      switch component {
      case .year: Self.read(eraYear)
      case .yearForWeekOfYear: Self.read(weekYear)
      case .era: Self.read(era)
      case .quarter: Self.read(quarter)
      case .month: Self.read(month)
      case .weekOfYear: Self.read(weekOfYear)
      case .weekOfMonth: Self.read(weekOfMonth)
      case .weekdayOrdinal: Self.read(weekdayOrdinal)
      case .day: Self.read(day)
      case .weekday: Self.read(weekday)
      case .hour: Self.read(hour)
      case .minute: Self.read(minute)
      case .second: Self.read(second)
      }
    }
    set {
      switch component {
      case .year: eraYear = Self.year(newValue)
      case .yearForWeekOfYear: weekYear = Self.year(newValue)
      case .era: era = Self.small(newValue)
      case .quarter: quarter = Self.small(newValue)
      case .month: month = Self.small(newValue)
      case .weekOfYear: weekOfYear = Self.small(newValue)
      case .weekOfMonth: weekOfMonth = Self.small(newValue)
      case .weekdayOrdinal: weekdayOrdinal = Self.small(newValue)
      case .day: day = Self.small(newValue)
      case .weekday: weekday = Self.small(newValue)
      case .hour: hour = Self.small(newValue)
      case .minute: minute = Self.small(newValue)
      case .second: second = Self.small(newValue)
      }
    }
  }

  private static func read(_ value: Int8) -> Int? { value == absent ? nil : Int(value) }
  private static func read(_ value: Int32) -> Int? { value == absentYear ? nil : Int(value) }

  private static func small(_ value: Int?) -> Int8 {
    guard let value else { return absent }
    return Int8(min(max(value, -127), 127))
  }

  private static func year(_ value: Int?) -> Int32 {
    guard let value else { return absentYear }
    return Int32(min(max(value, -1_000_000), 1_000_000))
  }

  /// Returns the range of a component's values in the Gregorian calendar.
  public static func range(of component: Component) -> ClosedRange<Int> {
    switch component {
    case .era: 0...1
    case .year: 1...ScheduleLimits.years.upperBound
    case .yearForWeekOfYear: ScheduleLimits.years
    case .quarter: 1...4
    case .month: 1...12
    case .weekOfYear: 1...53
    case .weekOfMonth: 0...6
    case .weekdayOrdinal: 1...5
    case .day: 1...31
    case .weekday: 1...7
    case .hour: 0...23
    case .minute, .second: 0...59
    }
  }

  /// True if a time of day is specified.
  public var constrainsTime: Bool {
    hour != Self.absent || minute != Self.absent || second != Self.absent
  }

  /// True if a specific day is specified, not just a week, a month, or a longer period.
  public var constrainsDay: Bool { day != Self.absent || weekday != Self.absent }

  /// True if anything other than a time of day is specified.
  public var constrainsDate: Bool {
    constrainsDay || eraYear != Self.absentYear || weekYear != Self.absentYear
      || era != Self.absent || quarter != Self.absent || month != Self.absent
      || weekOfYear != Self.absent || weekOfMonth != Self.absent
      || weekdayOrdinal != Self.absent
  }
}

/// The time zone in which a wall time applies.
public enum ZoneChoice: Hashable, Sendable {
  /// The device's current time zone. The 2010 slides call this choice wall time (S3-26).
  case floating
  /// A specific time zone in the system's database, for example `Europe/Paris`.
  case named(String)
}

/// The name of a calendar: the BCP 47 identifier of its `Calendar.Identifier`, for example `hebrew`.
public enum CalendarName: Hashable, Sendable {
  /// The proleptic Gregorian calendar, whose dates Belfry itself computes.
  case gregorian
  /// Any other calendar, whose dates `CalendarSystem` computes.
  case other(String)
}
