/// A calendar other than the Gregorian; `Agent` implements it with Foundation.
public protocol CalendarSystem: AnyObject {
  /// The next match strictly after an instant, in seconds since 1970; nil when none lies ahead.
  func next(matching match: CalendarMatch, after instant: Int, in zone: Zone) -> Int?

  /// The date on which the `count`-th repeat of a day falls: `months` and `days` further on for
  /// each; nil when that date does not exist. Days are counted from 1970-01-01.
  func day(from day: Int, months: Int, days: Int) -> Int?
}

/// The zones and calendars that the schedule uses.
public protocol ScheduleWorld {
  /// The zone that the device is in.
  var deviceZone: Zone { get }
  /// A zone of the system's database; nil when it has none of that name.
  func zone(named name: String) -> Zone?
  /// A calendar other than the Gregorian; nil when this machine does not know it.
  func calendar(named name: String) -> (any CalendarSystem)?
}

extension ScheduleWorld {
  /// The zone of a choice.
  ///
  /// Where the database no longer has a zone, the device's is used: a notification at the wrong hour
  /// is noticed, one that never comes is not.
  func resolve(_ choice: ZoneChoice) -> Zone {
    switch choice {
    case .floating: deviceZone
    case .named(let name): zone(named: name) ?? deviceZone
    }
  }
}
