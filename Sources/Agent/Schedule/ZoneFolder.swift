public import Scheduling

/// The machine's time-zone database, read file by file and cached.
public struct ZoneFolder: ScheduleWorld {
  /// The zones read so far, shared by copies of the value.
  private final class Memory {
    var zones: [String: Zone?] = [:]
    var calendars: [String: (any CalendarSystem)?] = [:]
  }

  /// The time zone of the device.
  public let deviceZone: Zone
  private let database: ZoneDatabase
  private let memory = Memory()
  /// A function that returns a non-Gregorian calendar by its name; nil if there is no such calendar.
  package typealias MakeCalendar = (String) -> (any CalendarSystem)?

  private let makeCalendar: MakeCalendar

  /// Creates a view of the database in its current state.
  ///
  /// - Parameters:
  ///   - database: The database from which zones are read.
  ///   - deviceZone: The time zone of the device.
  ///   - makeCalendar: Returns non-Gregorian calendars by name.
  package init(
    _ database: ZoneDatabase, deviceZone: Zone,
    makeCalendar: @escaping MakeCalendar
  ) {
    self.database = database
    self.deviceZone = deviceZone
    self.makeCalendar = makeCalendar
  }

  /// Returns a zone of the database, or nil if the database contains no zone with that name.
  public func zone(named name: String) -> Zone? {
    if let known = memory.zones[name] { return known }
    let zone = database.zone(named: name)
    // Apps choose the names, so the number of remembered nonexistent names is limited.
    if zone != nil || memory.zones.count < Limits.zonesRemembered { memory.zones[name] = zone }
    return zone
  }

  /// The number of lookups that the calendars have performed.
  public var calendarLookUps: Int { memory.calendars.values.reduce(0) { $0 + ($1?.lookUps ?? 0) } }

  /// Returns a non-Gregorian calendar, or nil if this machine does not support it.
  public func calendar(named name: String) -> (any CalendarSystem)? {
    if let known = memory.calendars[name] { return known }
    let calendar = makeCalendar(name)
    if calendar != nil { memory.calendars[name] = calendar }
    return calendar
  }
}
