/// The trigger of a local notification, unless the trigger is a region.
public enum Trigger: Hashable, Sendable {
  /// Elapsed time since scheduling, including the time that the device spends asleep.
  case interval(milliseconds: Int64, repeats: Bool)
  /// A wall time that matches the given components.
  case calendar(CalendarMatch, repeats: Bool)
  /// A moment and its repetitions.
  case moment(Start, every: Period)

  /// A moment in one of the two forms that S3-25 and S3-26 describe.
  public enum Start: Hashable, Sendable {
    /// An instant, in milliseconds since 1970.
    case instant(Int64)
    /// A wall time, in seconds since 1970-01-01T00:00 of the wall clock.
    case wall(Int, ZoneChoice)
  }

  /// The reason that a trigger is refused.
  public enum Refusal: Error, Equatable, Sendable {
    /// The interval is not positive, or longer than `ScheduleLimits.longestIntervalMilliseconds`.
    case intervalOutOfRange
    /// The trigger repeats more often than once per minute (client-api 3.2).
    case repeatsTooOften
    /// The trigger never fires: no moment matches it, or the moment is too far in the past.
    case neverFires
    /// The only matching moments have passed.
    ///
    /// Nothing remains to be scheduled. This is not an error in the app.
    case passed
    /// This machine's time-zone database does not contain the zone.
    case unknownZone(String)
    /// This machine does not support the calendar.
    case unknownCalendar(String)
  }

  /// True if the trigger can fire more than once.
  public var repeats: Bool {
    switch self {
    case .interval(_, let repeats), .calendar(_, let repeats): repeats
    case .moment(_, let period): period != .once
    }
  }

  /// True if the dates belong to a calendar other than the Gregorian calendar, in which a search can be slow.
  var usesOtherCalendar: Bool {
    switch self {
    case .interval: false
    case .calendar(let match, _): match.calendar != .gregorian
    case .moment(_, let period): period.calendar != .gregorian
    }
  }

  /// True if the trigger counts elapsed time instead of the time of day.
  public var countsElapsedTime: Bool {
    if case .interval = self { true } else { false }
  }
}

/// The interval between the repetitions of a moment, as in `repeatInterval` and `deliveryRepeatInterval`.
///
/// Months and days are counted on the wall clock. If a month does not have the day, the repetition is skipped. Seconds
/// are elapsed time.
public struct Period: Hashable, Sendable {
  /// The time that is added for each repetition.
  public enum Length: Hashable, Sendable {
    /// The period does not repeat.
    case none
    /// Whole months, then days, then seconds of elapsed time; no value is negative, and at least one is not zero.
    case span(months: Int, days: Int, seconds: Int)
    /// A number of week-years: each repetition has the same week number and the same weekday.
    case weekYears(Int)
  }

  /// The time that is added for each repetition.
  public var length: Length
  /// The rule by which week-years are counted.
  public var weeks = WeekRule.sunday
  /// The calendar to which months and years belong.
  public var calendar = CalendarName.gregorian
  /// The time zone of the wall clock on which days are counted.
  public var zone = ZoneChoice.floating

  /// Creates a period.
  ///
  /// A negative or empty span does not repeat.
  public init(
    _ length: Length, weeks: WeekRule = .sunday, calendar: CalendarName = .gregorian,
    zone: ZoneChoice = .floating
  ) {
    let limit = 12 * 9_999
    self.length =
      switch length {
      case .none: .none
      case .span(let months, let days, let seconds):
        months < 0 || days < 0 || seconds < 0 || months | days | seconds == 0
          ? .none
          : .span(
            months: min(months, limit), days: min(days, limit * 31),
            seconds: min(seconds, limit * 31 * Gregorian.secondsPerDay))
      case .weekYears(let years): years > 0 ? .weekYears(min(years, limit)) : .none
      }
    self.weeks = weeks
    self.calendar = calendar
    self.zone = zone
  }

  /// The period of a moment that does not repeat.
  public static let once = Period(.none)

  /// Creates the period of a `repeatInterval`, from the raw value of its `NSCalendar.Unit`.
  ///
  /// The value 256 (the week unit before iOS 7) means a week, as do 4096 and 8192. Adding 1 to a weekday or a weekday
  /// ordinal advances a date by a day or a week, so a weekday repeats every day and a weekday ordinal repeats every
  /// week. Units shorter than a minute, units without a length, unknown units, and combinations of units do not repeat.
  public init(
    calendarUnit unit: UInt, weeks: WeekRule = .sunday, calendar: CalendarName = .gregorian,
    zone: ZoneChoice = .floating
  ) {
    let length: Length =
      switch unit {
      case 4: .span(months: 12, days: 0, seconds: 0)
      case 8: .span(months: 1, days: 0, seconds: 0)
      case 16, 512, 65_536: .span(months: 0, days: 1, seconds: 0)
      case 32: .span(months: 0, days: 0, seconds: 3_600)
      case 64: .span(months: 0, days: 0, seconds: 60)
      case 256, 1_024, 4_096, 8_192: .span(months: 0, days: 7, seconds: 0)
      case 2_048: .span(months: 3, days: 0, seconds: 0)
      case 16_384: .weekYears(1)
      default: .none
      }
    self.init(length, weeks: weeks, calendar: calendar, zone: zone)
  }

  /// Creates the period for a word of `belfry notify --every`.
  ///
  /// Returns nil for an unknown word.
  public init?(word: some StringProtocol, zone: ZoneChoice = .floating) {
    let unit: UInt
    switch word {
    case "minute": unit = 64
    case "hour": unit = 32
    case "day": unit = 16
    case "week": unit = 8_192
    case "month": unit = 8
    case "quarter": unit = 2_048
    case "year": unit = 4
    default: return nil
    }
    self.init(calendarUnit: unit, zone: zone)
  }

  /// The words that `init(word:zone:)` accepts.
  public static let words = ["minute", "hour", "day", "week", "month", "quarter", "year"]
}
