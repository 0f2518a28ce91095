import BelfryWire
import System

/// Where the schedule has its time and its zones from.
protocol ScheduleClock: AnyObject {
  /// Told of what happens to the clock; set by the schedule's scheduler.
  var onEvent: ((ScheduleClockEvent) -> Void)? { get set }
  /// Both clocks, now.
  var now: ScheduleMoment { get }
  /// The zone that the device is in.
  var zone: Zone { get }
  /// Where zones are read.
  var zones: ZoneDatabase { get }
  /// Tells `due` at the earlier of two moments, in place of earlier ones; nil is none.
  func wake(atWall wall: Int64?, elapsed: Int64?)
  /// What is to be kept on disk of the clock; nil while nothing of it has changed.
  func changedRecord() -> [UInt8]?
  func close()
}

/// What happens to a clock.
enum ScheduleClockEvent: Hashable, Sendable {
  /// A moment that was asked for has come.
  case due
  case clockWasSet
  /// The device is in another zone, or the database of zones was updated.
  case zonesChanged
}

extension ScheduleClock {
  /// Whether it moves by command alone.
  var isManual: Bool { self is ManualClock }

  var zones: ZoneDatabase { .system }
}
