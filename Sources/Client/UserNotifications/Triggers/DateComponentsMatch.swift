import Foundation

extension DateComponents {
  /// The first moment after `date` that matches, in this value's calendar and zone or else the
  /// user's; nil when there is none.
  func nextMatch(after date: Date) -> Date? {
    var calendar = calendar ?? .current
    if let timeZone { calendar.timeZone = timeZone }
    return calendar.nextDate(after: date, matching: self, matchingPolicy: .nextTime)
  }
}
