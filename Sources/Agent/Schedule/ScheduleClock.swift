import BelfryWire
import System

/// The source of the schedule's time and zones.
protocol ScheduleClock: AnyObject {
  /// Called with each event of the clock.
  var onEvent: ((ScheduleClockEvent) -> Void)? { get set }
  /// Both clocks, now.
  var now: ScheduleMoment { get }
  /// The zone that the device is in.
  var zone: Zone { get }
  /// Where zones are read.
  var zones: ZoneDatabase { get }
  /// Reports `due` at the earlier of two moments, replacing earlier requests; nil stands for none.
  func wake(atWall wall: Int64?, elapsed: Int64?)
  /// Returns the clock's record if it has to be written; nil when it is unchanged.
  func changedRecord() -> [UInt8]?
  func close()
}

/// An event of a clock.
enum ScheduleClockEvent: Hashable, Sendable {
  /// A requested moment has come.
  case due
  case clockWasSet
  /// The device is in another zone, or the database of zones was updated.
  case zonesChanged
}

extension ScheduleClock {
  /// Whether it moves only by command.
  var isManual: Bool { self is ManualClock }

  var zones: ZoneDatabase { .system }
}
