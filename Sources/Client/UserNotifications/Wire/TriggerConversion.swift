package import AppWire
import BelfryClient
import CoreLocation
import Foundation

extension UNNotificationTrigger {
  /// The trigger in the agent's wire format; nil for a push trigger, which only the agent creates.
  var wire: AppWire.NotificationTrigger? {
    switch self {
    case let trigger as UNTimeIntervalNotificationTrigger:
      .interval(seconds: trigger.timeInterval, repeats: repeats)
    case let trigger as UNCalendarNotificationTrigger:
      .calendar(MatchingComponents(trigger.dateComponents), repeats: repeats)
    case let trigger as UNLocationNotificationTrigger:
      .region(NotificationRegion(trigger.region), repeats: repeats)
    default: nil
    }
  }

  /// Creates the trigger of a scheduled or delivered notification.
  static func make(
    _ trigger: AppWire.NotificationTrigger?, next: Int64?
  ) -> UNNotificationTrigger? {
    let date = next.map { Date(unixMilliseconds: $0) }
    switch trigger {
    case nil: return nil
    case .push: return UNPushNotificationTrigger()
    case .interval(let seconds, let repeats):
      return UNTimeIntervalNotificationTrigger(seconds: seconds, again: repeats, next: date)
    case .calendar(let components, let repeats):
      return UNCalendarNotificationTrigger(
        components: DateComponents(components), again: repeats, next: date)
    case .region(let region, let repeats):
      return CLRegion.make(region).map {
        UNLocationNotificationTrigger(region: $0, repeats: repeats)
      }
    case .date(let moment, let zone, let recurrence, let calendar):
      return legacy(moment, zone: zone, recurrence: recurrence, calendar: calendar)
    }
  }

  /// Creates a calendar trigger for a notification that an app scheduled with an older API.
  ///
  /// If the notification repeats, the trigger contains only the date components that are the same for all repetitions.
  private static func legacy(
    _ moment: Int64, zone: String?, recurrence: AppWire.NotificationTrigger.Recurrence?,
    calendar name: String?
  ) -> UNNotificationTrigger {
    var calendar = name.flatMap(Calendar.named) ?? .current
    if let zone = zone.flatMap(TimeZone.init(identifier:)) { calendar.timeZone = zone }
    var unit = NSCalendar.Unit()
    var repeats = false
    if case .unit(let raw)? = recurrence, raw != 0 {
      unit = NSCalendar.Unit(rawValue: UInt(raw))
      repeats = true
    }
    let components = calendar.dateComponents(
      unit.matchedComponents, from: Date(unixMilliseconds: moment))
    return UNCalendarNotificationTrigger(dateMatching: components, repeats: repeats)
  }
}

extension NSCalendar.Unit {
  /// The date components that stay the same if a date is repeated at intervals of this unit.
  fileprivate var matchedComponents: Set<Calendar.Component> {
    let time: Set<Calendar.Component> = [.hour, .minute, .second]
    if self == .year { return time.union([.month, .day]) }
    if self == .month { return time.union([.day]) }
    if self == .weekOfYear || self == .weekOfMonth || self == .weekdayOrdinal {
      return time.union([.weekday])
    }
    if self == .day || self == .weekday { return time }
    if self == .hour { return [.minute, .second] }
    if self == .minute { return [.second] }
    return time.union([.year, .month, .day])
  }
}

extension Date {
  package init(unixMilliseconds: Int64) {
    self.init(timeIntervalSince1970: Double(unixMilliseconds) / 1_000)
  }

  /// The milliseconds since 1970, clamped to the range that the app link supports.
  package var unixMilliseconds: Int64 {
    Int64(exactly: (timeIntervalSince1970 * 1_000).rounded())
      ?? (timeIntervalSince1970 < 0 ? .min : .max)
  }
}

extension MatchingComponents {
  /// Creates the components of a trigger in the agent's wire format.
  package init(_ components: DateComponents) {
    let given: [(Unit, Int?)] = [
      (.era, components.era), (.year, components.year), (.quarter, components.quarter),
      (.month, components.month), (.day, components.day), (.hour, components.hour),
      (.minute, components.minute), (.second, components.second),
      (.nanosecond, components.nanosecond), (.weekday, components.weekday),
      (.weekdayOrdinal, components.weekdayOrdinal), (.weekOfMonth, components.weekOfMonth),
      (.weekOfYear, components.weekOfYear),
      (.yearForWeekOfYear, components.yearForWeekOfYear),
    ]
    var values: [Unit: Int64] = [:]
    for (unit, value) in given { values[unit] = value.map(Int64.init) }
    self.init(
      values, isLeapMonth: components.isLeapMonth,
      zone: (components.timeZone ?? components.calendar?.explicitZone)?.identifier,
      calendar: components.calendar?.name)
    if let calendar = components.calendar {
      firstWeekday = Int64(calendar.firstWeekday)
      minimumDays = Int64(calendar.minimumDaysInFirstWeek)
    }
  }
}

extension Calendar {
  /// The calendar's time zone; nil if it is the same as the user's time zone.
  fileprivate var explicitZone: TimeZone? {
    timeZone.identifier == TimeZone.current.identifier ? nil : timeZone
  }
}

extension DateComponents {
  package init(_ matching: MatchingComponents) {
    func value(_ unit: MatchingComponents.Unit) -> Int? {
      matching.values[unit].flatMap { Int(exactly: $0) }
    }
    var calendar = matching.calendar.flatMap(Calendar.named)
    if let day = matching.firstWeekday { calendar?.firstWeekday = Int(clamping: day) }
    if let days = matching.minimumDays { calendar?.minimumDaysInFirstWeek = Int(clamping: days) }
    self.init(
      calendar: calendar,
      timeZone: matching.zone.flatMap(TimeZone.init(identifier:)), era: value(.era),
      year: value(.year), month: value(.month), day: value(.day), hour: value(.hour),
      minute: value(.minute), second: value(.second), nanosecond: value(.nanosecond),
      weekday: value(.weekday), weekdayOrdinal: value(.weekdayOrdinal), quarter: value(.quarter),
      weekOfMonth: value(.weekOfMonth), weekOfYear: value(.weekOfYear),
      yearForWeekOfYear: value(.yearForWeekOfYear))
    isLeapMonth = matching.isLeapMonth
  }
}
