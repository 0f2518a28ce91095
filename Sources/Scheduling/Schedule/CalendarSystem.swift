/// A calendar other than the Gregorian calendar.
///
/// The `Agent` module implements this protocol with Foundation.
public protocol CalendarSystem: AnyObject {
  /// Returns the next match strictly after an instant, in seconds since 1970, or nil if no later match exists.
  func next(matching match: CalendarMatch, after instant: Int, in zone: Zone) -> Int?

  /// Returns repetition `count` of a day that advances by `months` and `days` each time, or nil if the repetition is
  /// beyond the calendar's range.
  ///
  /// Days are counted from 1970-01-01. A later repetition never falls on an earlier day.
  func repeatedDay(_ count: Int, from day: Int, months: Int, days: Int) -> RepeatedDay?

  /// The number of lookups in the calendar so far; a lookup can take a millisecond.
  var lookUps: Int { get }
}

/// A repetition of a day, which some months might not have.
public struct RepeatedDay: Equatable, Sendable {
  /// The day of the repetition; the last day of the month if the month does not have the original day.
  public var day: Int
  /// True if the month has the original day.
  public var exists: Bool

  /// Creates a repetition of a day.
  public init(day: Int, exists: Bool) {
    self.day = day
    self.exists = exists
  }
}

/// The time zones and calendars that the schedule uses.
public protocol ScheduleWorld {
  /// The device's current time zone.
  var deviceZone: Zone { get }
  /// Returns a time zone in the system's database, or nil if the database has no zone with this name.
  func zone(named name: String) -> Zone?
  /// Returns a calendar other than the Gregorian calendar, or nil if this machine does not support it.
  func calendar(named name: String) -> (any CalendarSystem)?
  /// The number of lookups in calendars other than the Gregorian calendar so far.
  var calendarLookUps: Int { get }
}

extension ScheduleWorld {
  /// The number of lookups in other calendars: 0, because a world that does not define this property has no other
  /// calendars.
  public var calendarLookUps: Int { 0 }

  /// Returns the time zone for a choice.
  ///
  /// If the database no longer contains the zone, the device's zone is used. A user notices a notification at the wrong
  /// hour, but does not notice that a notification is missing.
  func resolve(_ choice: ZoneChoice) -> Zone {
    switch choice {
    case .floating: deviceZone
    case .named(let name): zone(named: name) ?? deviceZone
    }
  }
}
