import Foundation

/// A formatter for the dates of the Notification Center.
public enum CenterDate {
  /// Returns the time if the date is today, otherwise the day and the time, in the given time zone and the first
  /// language.
  public static func text(
    _ unixMilliseconds: Int64, now: Int64, zone: String, languages: [String]
  ) -> String {
    let formatter = DateFormatter()
    let zone = TimeZone(identifier: zone) ?? .gmt
    formatter.timeZone = zone
    formatter.locale = Locale(identifier: languages.first ?? "en")
    formatter.timeStyle = .short
    let moment = Date(timeIntervalSince1970: Double(unixMilliseconds) / 1_000)
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let today = Date(timeIntervalSince1970: Double(now) / 1_000)
    formatter.dateStyle = calendar.isDate(moment, inSameDayAs: today) ? .none : .short
    return formatter.string(from: moment)
  }
}
