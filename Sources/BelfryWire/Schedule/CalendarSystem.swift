/// A calendar other than the Gregorian; `Agent` implements it with Foundation.
public protocol CalendarSystem: AnyObject {
  /// The next match strictly after an instant, in seconds since 1970; nil when none lies ahead.
  func next(matching match: CalendarMatch, after instant: Int, in zone: Zone) -> Int?

  /// The `count`-th repeat of a day, `months` and `days` further on for each; nil beyond the calendar's range. Days
  /// are counted from 1970-01-01.
  ///
  /// A later repeat never has an earlier day.
  func repeatedDay(_ count: Int, from day: Int, months: Int, days: Int) -> RepeatedDay?

  /// How often the calendar was asked: one look-up may take a millisecond.
  var lookUps: Int { get }
}

/// A repeat of a day.
public struct RepeatedDay: Equatable, Sendable {
  /// The day, or the last one before it where the month does not have it.
  public var day: Int
  /// Whether the month has the day.
  public var exists: Bool

  /// A repeat of a day.
  public init(day: Int, exists: Bool) {
    self.day = day
    self.exists = exists
  }
}

/// The zones and calendars that the schedule uses.
public protocol ScheduleWorld {
  /// The zone that the device is in.
  var deviceZone: Zone { get }
  /// A zone of the system's database; nil when it has none of that name.
  func zone(named name: String) -> Zone?
  /// A calendar other than the Gregorian; nil when this machine does not know it.
  func calendar(named name: String) -> (any CalendarSystem)?
  /// How often its calendars were asked.
  var calendarLookUps: Int { get }
}

extension ScheduleWorld {
  /// A world without other calendars.
  public var calendarLookUps: Int { 0 }

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
