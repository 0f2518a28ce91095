/// Components of wall time to wait for, as a calendar trigger's `DateComponents` gives them.
///
/// It matches at the first second of every stretch of wall time over which all given components
/// hold: coarser ones are wild, finer ones are at their beginning (client-api 3.4). Small on
/// purpose: a million of them wait in memory.
public struct CalendarMatch: Hashable, Sendable {
  /// A component of wall time; the order is from coarse to fine.
  public enum Component: UInt8, CaseIterable, Sendable {
    /// 0 (BC) or 1 (AD).
    case era
    /// The year of the era, from 1.
    case year
    /// The year that weeks are counted in, astronomical.
    case yearForWeekOfYear
    /// 1 to 4.
    case quarter
    /// 1 to 12.
    case month
    /// 1 to 53.
    case weekOfYear
    /// 0 to 6.
    case weekOfMonth
    /// Which one of its weekday in the month, 1 to 5.
    case weekdayOrdinal
    /// 1 to 31.
    case day
    /// 1 (Sunday) to 7.
    case weekday
    /// 0 to 23.
    case hour
    /// 0 to 59.
    case minute
    /// 0 to 59.
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
  /// How the week components are counted.
  public var weeks = WeekRule.sunday
  /// The calendar that the components belong to.
  public var calendar = CalendarName.gregorian
  /// Whether the month is a leap month; nil matches either.
  ///
  /// The Gregorian has none.
  public var isLeapMonth: Bool?
  /// The zone of the wall clock.
  public var zone = ZoneChoice.floating

  /// Makes a match without components, which never fires.
  public init() {}

  /// A component's value; nil when it is wild or at its beginning.
  ///
  /// Values too large to be stored become values that no date has.
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

  /// The values that a component can have in the Gregorian calendar.
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

  /// Whether a time of day is given.
  public var constrainsTime: Bool {
    hour != Self.absent || minute != Self.absent || second != Self.absent
  }

  /// Whether a day is singled out, not merely a week, month or longer.
  public var constrainsDay: Bool { day != Self.absent || weekday != Self.absent }

  /// Whether anything but a time of day is given.
  public var constrainsDate: Bool {
    constrainsDay || eraYear != Self.absentYear || weekYear != Self.absentYear
      || era != Self.absent || quarter != Self.absent || month != Self.absent
      || weekOfYear != Self.absent || weekOfMonth != Self.absent
      || weekdayOrdinal != Self.absent
  }
}

/// Where a wall time holds.
public enum ZoneChoice: Hashable, Sendable {
  /// Wherever the device is: wall time, in the words of the 2010 slides (S3-26).
  case floating
  /// In one zone of the system's database, for example `Europe/Paris`.
  case named(String)
}

/// A calendar, by the identifier that `Calendar.Identifier` has for it in BCP 47 (`hebrew`, …).
public enum CalendarName: Hashable, Sendable {
  /// Our own arithmetic, proleptic.
  case gregorian
  /// Any other, behind `CalendarSystem`.
  case other(String)
}
