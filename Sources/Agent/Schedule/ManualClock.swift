package import Scheduling

/// A clock that starts at 1970-01-01T00:00:00Z, in the UTC time zone, and that only `belfry clock` moves.
///
/// The clock's time is stored, so that a restart of the agent does not change it.
package final class ManualClock: ScheduleClock {
  package var onEvent: ((ScheduleClockEvent) -> Void)?
  package private(set) var now: ScheduleMoment
  package private(set) var zone: Zone
  private var isChanged = false

  /// Restores the stored time; a record of another kind of clock is ignored.
  package init(kept: [UInt8]?) {
    now = ScheduleMoment(wall: 0, elapsed: 0)
    zone = .utc
    let words = String(decoding: kept ?? [], as: UTF8.self).split(separator: " ")
    guard words.count == 4, words[0] == "manual", let wall = Int64(words[1]),
      let elapsed = Int64(words[2]), wall == Gregorian.clampedMilliseconds(wall),
      elapsed == Gregorian.clampedMilliseconds(elapsed)
    else { return }
    now = ScheduleMoment(wall: wall, elapsed: elapsed)
    zone = ZoneDatabase.system.zone(named: String(words[3])) ?? .utc
  }

  /// Advances the time, or sets the clock back; no time elapses when the clock is set back.
  func move(toWall wall: Int64) {
    now.elapsed += max(wall - now.wall, 0)
    now.wall = wall
    isChanged = true
  }

  /// Moves the device to another time zone.
  func move(to zone: Zone) {
    self.zone = zone
    isChanged = true
  }

  /// Does nothing: a manual clock never fires on its own.
  package func wake(atWall wall: Int64?, elapsed: Int64?) {}

  package func changedRecord() -> [UInt8]? {
    guard isChanged else { return nil }
    isChanged = false
    return Array("manual \(now.wall) \(now.elapsed) \(zone.name)".utf8)
  }

  package func close() { onEvent = nil }
}
