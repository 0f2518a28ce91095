/// Functions that format times as text, in UTC, without locale or calendar libraries.
public enum Timestamp {
  /// Returns a time in RFC 3339 format with milliseconds: "2026-11-21T16:54:05.123Z".
  ///
  /// Years outside 0 to 9999 are clamped.
  public static func rfc3339(unixMilliseconds: Int64) -> String {
    let (days, milliseconds) = split(unixMilliseconds)
    let (year, month, day) = civil(daysSince1970: days)
    return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2) + "T"
      + timeOfDay(milliseconds) + "." + padded(milliseconds % 1_000, 3) + "Z"
  }

  /// Returns a time in the format of HTTP's Date field (RFC 9110 section 5.6.7): "Sun, 06 Nov 1994 08:49:37 GMT".
  ///
  /// Years outside 0 to 9999 are clamped.
  public static func httpDate(unixMilliseconds: Int64) -> String {
    let (days, milliseconds) = split(unixMilliseconds)
    let (year, month, day) = civil(daysSince1970: days)
    // January 1, 1970 was a Thursday.
    let weekday = weekdays[((days + 4) % 7 + 7) % 7]
    return "\(weekday), \(padded(day, 2)) \(months[month - 1]) \(padded(year, 4)) "
      + timeOfDay(milliseconds) + " GMT"
  }

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Splits a time into whole days since 1970 and milliseconds within the day.
  private static func split(_ unixMilliseconds: Int64) -> (days: Int, milliseconds: Int) {
    let bounded = min(max(unixMilliseconds, -62_167_219_200_000), 253_402_300_799_999)
    let days = floorDivide(bounded, 86_400_000)
    let milliseconds = Int(bounded - days * 86_400_000)
    assert((0..<86_400_000).contains(milliseconds), "the time of day is less than 24 hours")
    return (Int(days), milliseconds)
  }

  private static func timeOfDay(_ milliseconds: Int) -> String {
    padded(milliseconds / 3_600_000, 2) + ":" + padded(milliseconds / 60_000 % 60, 2) + ":"
      + padded(milliseconds / 1_000 % 60, 2)
  }

  private static func floorDivide(_ value: Int64, _ by: Int64) -> Int64 {
    value >= 0 ? value / by : -((by - 1 - value) / by)
  }

  private static func padded(_ value: Int, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// Converts days to a date, using years of 365.2425 days that start on March 1 of year 0, so that leap days are at
  /// the end of a year.
  private static func civil(daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = daysSince1970 + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    assert((1...12).contains(month) && (1...31).contains(day), "the month and the day are in range")
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }
}
