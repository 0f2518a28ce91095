public import BelfryWire

/// The machine's time-zone database, read file by file and remembered.
public struct ZoneFolder: ScheduleWorld {
  /// The zones read so far, shared by copies of the value.
  private final class Memory {
    var zones: [String: Zone?] = [:]
    var calendars: [String: (any CalendarSystem)?] = [:]
  }

  /// The zone that the device is in.
  public let deviceZone: Zone
  private let database: ZoneDatabase
  private let memory = Memory()
  private let makeCalendar: (String) -> (any CalendarSystem)?

  /// The database as it is now.
  ///
  /// - Parameters:
  ///   - database: Where zones are read.
  ///   - deviceZone: Where the device is.
  ///   - makeCalendar: Gives calendars other than the Gregorian.
  init(
    _ database: ZoneDatabase, deviceZone: Zone,
    makeCalendar: @escaping (String) -> (any CalendarSystem)?
  ) {
    self.database = database
    self.deviceZone = deviceZone
    self.makeCalendar = makeCalendar
  }

  /// A zone of the database; nil when it has none of that name.
  public func zone(named name: String) -> Zone? {
    if let known = memory.zones[name] { return known }
    let zone = database.zone(named: name)
    // Apps choose the names: only so many of those that do not exist are remembered.
    if zone != nil || memory.zones.count < Limits.zonesRemembered { memory.zones[name] = zone }
    return zone
  }

  /// How often its calendars were asked.
  public var calendarLookUps: Int { memory.calendars.values.reduce(0) { $0 + ($1?.lookUps ?? 0) } }

  /// A calendar other than the Gregorian; nil when this machine does not know it.
  public func calendar(named name: String) -> (any CalendarSystem)? {
    if let known = memory.calendars[name] { return known }
    let calendar = makeCalendar(name)
    if calendar != nil { memory.calendars[name] = calendar }
    return calendar
  }
}
