/// A calendar other than the Gregorian, behind a seam: `Agent` fills it from Foundation.
public protocol CalendarSystem: AnyObject {
  /// The next match strictly after an instant, in seconds since 1970; nil when none lies ahead.
  func next(matching match: CalendarMatch, after instant: Int, in zone: Zone) -> Int?

  /// The date on which the `count`-th repeat of a day falls: `months` and `days` further on for
  /// each; nil when that date does not exist. Days are counted from 1970-01-01.
  func day(from day: Int, months: Int, days: Int) -> Int?
}

/// What the schedule needs to know about where it is: zones, and calendars of other kinds.
public protocol ScheduleWorld {
  /// The zone that the device is in.
  var deviceZone: Zone { get }
  /// A zone of the system's database; nil when it has none of that name.
  func zone(named name: String) -> Zone?
  /// A calendar other than the Gregorian; nil when this machine does not know it.
  func calendar(named name: String) -> (any CalendarSystem)?
}

extension ScheduleWorld {
  /// The zone that a choice means now.
  ///
  /// A zone that has gone from the database follows the device: a notification at the wrong hour is
  /// found, one that never comes is not.
  func resolve(_ choice: ZoneChoice) -> Zone {
    switch choice {
    case .floating: deviceZone
    case .named(let name): zone(named: name) ?? deviceZone
    }
  }
}
