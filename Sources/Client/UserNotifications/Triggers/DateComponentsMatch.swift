import AppWire
import Scheduling
import Foundation

extension DateComponents {
  /// Returns the first match after `date`; nil if nothing matches.
  ///
  /// The method uses the calendar and time zone of these components. If the components do not specify them, it uses the
  /// user's calendar and time zone.
  ///
  /// For the Gregorian calendar, the method uses the agent's own calculation. The result is therefore the date on which
  /// the agent delivers the notification.
  func nextMatch(after date: Date) -> Date? {
    let zone = timeZone ?? calendar?.timeZone ?? .current
    let match = CalendarMatch(MatchingComponents(self))
    if match.calendar == .gregorian, let zone = Zone(systemName: zone.identifier) {
      let seconds = Int(exactly: date.timeIntervalSince1970.rounded(.down)) ?? 0
      return match.next(after: seconds, in: zone).map {
        Date(timeIntervalSince1970: TimeInterval($0))
      }
    }
    var calendar = calendar ?? .current
    calendar.timeZone = zone
    return calendar.nextDate(after: date, matching: self, matchingPolicy: .strict)
  }
}

extension Zone {
  /// Creates a zone from this machine's time zone database; nil if the database has no zone with that name.
  fileprivate init?(systemName name: String) {
    if name == "GMT" || name == "UTC" {
      self = .utc
      return
    }
    guard !name.contains(".."), !name.hasPrefix("/") else { return nil }
    let folder = ProcessInfo.processInfo.environment["TZDIR"] ?? "/usr/share/zoneinfo"
    guard
      let file = FileManager.default.contents(atPath: "\(folder)/\(name)"),
      file.count <= ScheduleLimits.zoneFileBytes,
      let zone = try? ZoneFile.read([UInt8](file).span, name: name)
    else { return nil }
    self = zone
  }
}
