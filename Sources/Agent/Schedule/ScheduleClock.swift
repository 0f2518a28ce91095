package import Scheduling
import System

/// The source of the schedule's time and time zones.
package protocol ScheduleClock: AnyObject {
  /// Called with each event of the clock.
  var onEvent: ((ScheduleClockEvent) -> Void)? { get set }
  /// The current time on both clocks.
  var now: ScheduleMoment { get }
  /// The time zone of the device.
  var zone: Zone { get }
  /// The database from which time zones are read.
  var zones: ZoneDatabase { get }
  /// Reports `due` at the earlier of two times, replacing earlier requests; nil requests no report on that clock.
  func wake(atWall wall: Int64?, elapsed: Int64?)
  /// Returns the clock's record if it must be written, or nil if it is unchanged.
  func changedRecord() -> [UInt8]?
  func close()
}

/// An event of a clock.
package enum ScheduleClockEvent: Hashable, Sendable {
  /// A requested time has been reached.
  case due
  case clockWasSet
  /// The device's time zone changed, or the time-zone database was updated.
  case zonesChanged
}

extension ScheduleClock {
  /// True if the clock moves only by command.
  var isManual: Bool { self is ManualClock }

  package var zones: ZoneDatabase { .system }
}
