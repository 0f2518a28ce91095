/// The proleptic Gregorian calendar, as exact arithmetic on days counted from 1970-01-01, which is day 0.
///
/// Years are astronomical: 0 is 1 BC. Every function is defined for all days in `ScheduleLimits.years`; callers clamp
/// other times to that range with `clampedSeconds`.
public enum Gregorian {
  /// A date as year, month and day.
  public struct Date: Equatable, Sendable {
    /// The astronomical year: 0 is 1 BC.
    public var year: Int
    /// The month, 1 (January) to 12.
    public var month: Int
    /// The day of the month, from 1.
    public var day: Int

    /// Creates a date without validation.
    @inlinable
    public init(year: Int, month: Int, day: Int) {
      self.year = year
      self.month = month
      self.day = day
    }
  }

  /// Seconds in a day of wall time.
  public static let secondsPerDay = 86_400
  /// The mean length of a month in seconds, over the 4,800 months after which the calendar repeats.
  static let secondsPerMeanMonth = 2_629_746

  /// The range of days that the schedule supports.
  public static let days =
    day(ScheduleLimits.years.lowerBound, 1, 1)...day(ScheduleLimits.years.upperBound, 12, 31)

  /// Clamps seconds since 1970 to the range that the schedule supports.
  public static func clampedSeconds(_ seconds: Int) -> Int {
    min(max(seconds, days.lowerBound * secondsPerDay), (days.upperBound + 1) * secondsPerDay - 1)
  }

  /// Clamps milliseconds since 1970 to the range that the schedule supports.
  public static func clampedMilliseconds(_ milliseconds: Int64) -> Int64 {
    let low = Int64(days.lowerBound * secondsPerDay) * 1_000
    let high = Int64((days.upperBound + 1) * secondsPerDay) * 1_000 - 1
    return min(max(milliseconds, low), high)
  }

  /// Returns the day on which a date falls.
  ///
  /// The month is 1 to 12; the day can be outside the month's range.
  @inlinable
  public static func day(_ year: Int, _ month: Int, _ day: Int) -> Int {
    assert((1...12).contains(month), "a month is between 1 and 12")
    // Counting years from March makes the leap day the last day of the year, so that one linear formula covers all
    // months.
    let shifted = month <= 2 ? year - 1 : year
    let era = floorDivide(shifted, 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// Returns the date of a day.
  @inlinable
  public static func date(_ day: Int) -> Date {
    let shifted = day + 719_468
    let era = floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    assert(
      (0...365).contains(dayOfYear) && (1...12).contains(month),
      "the day of the year and the month are in range")
    return Date(
      year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
      day: dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }

  /// Returns the weekday of a day, from 1 (Sunday) to 7 (Saturday), as in `DateComponents`.
  @inlinable
  public static func weekday(_ day: Int) -> Int {
    // 1970-01-01 was a Thursday: 5.
    floorRemainder(day + 4, 7) + 1
  }

  /// Returns true if the year is a leap year.
  @inlinable
  public static func isLeap(_ year: Int) -> Bool {
    year & 3 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  /// Returns the number of days in a month, from 28 to 31.
  @inlinable
  public static func length(ofMonth month: Int, _ year: Int) -> Int {
    assert((1...12).contains(month), "a month is between 1 and 12")
    return switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Returns the quotient rounded down; the divisor must be positive.
  @inlinable
  public static func floorDivide(_ value: Int, _ divisor: Int) -> Int {
    assert(divisor > 0, "the divisor is positive")
    return (value >= 0 ? value : value - divisor + 1) / divisor
  }

  /// Returns the remainder of `floorDivide`, which is never negative.
  @inlinable
  public static func floorRemainder(_ value: Int, _ divisor: Int) -> Int {
    assert(divisor > 0, "the divisor is positive")
    let remainder = value % divisor
    return remainder < 0 ? remainder + divisor : remainder
  }
}
