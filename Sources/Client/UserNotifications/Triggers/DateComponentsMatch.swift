import BelfryWire
import Foundation

extension DateComponents {
  /// The first moment after `date` that matches, in this value's calendar and zone or else the
  /// user's; nil when there is none.
  ///
  /// The agent's own arithmetic answers for the Gregorian calendar, so that an app gets what
  /// will happen.
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
  /// A zone of this machine's database; nil when it has none of that name.
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
