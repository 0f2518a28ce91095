/// An instant in text, in UTC, without locale or calendar libraries.
public enum Timestamp {
  /// RFC 3339 with milliseconds: "2026-11-21T16:54:05.123Z".
  ///
  /// Years 0 to 9999; others are clamped.
  public static func rfc3339(unixMilliseconds: Int64) -> String {
    let bounded = min(max(unixMilliseconds, -62_167_219_200_000), 253_402_300_799_999)
    let day = floorDivide(bounded, 86_400_000)
    let inDay = Int(bounded - day * 86_400_000)
    let (year, month, dayOfMonth) = civil(daysSince1970: Int(day))
    var text = ""
    text.reserveCapacity(24)
    text += padded(year, 4) + "-" + padded(month, 2) + "-" + padded(dayOfMonth, 2) + "T"
    text += padded(inDay / 3_600_000, 2) + ":" + padded(inDay / 60_000 % 60, 2) + ":"
    text += padded(inDay / 1_000 % 60, 2) + "." + padded(inDay % 1_000, 3) + "Z"
    return text
  }

  private static func floorDivide(_ value: Int64, _ by: Int64) -> Int64 {
    value >= 0 ? value / by : -((by - 1 - value) / by)
  }

  private static func padded(_ value: Int, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// Years of 365.2425 days counted from 1 March of year 0, so that leap days come last.
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
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }
}
