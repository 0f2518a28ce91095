package import Scheduling

/// The times at which a campaign can reach a device: not before a start time and not during quiet hours, both according
/// to the device's own clock.
package struct SendTime: Sendable, Equatable {
  /// The time before which nothing is sent.
  enum Start: Sendable, Equatable {
    /// The same time for all devices, in seconds since 1970.
    case instant(Int)
    /// A wall-clock time, in seconds since 1970-01-01T00:00 on the device's clock.
    case wall(Int)
  }

  /// The quiet hours, in minutes since midnight.
  ///
  /// If the end is before the beginning, the end is on the next day.
  struct QuietHours: Sendable, Equatable {
    let from: Int
    let to: Int

    /// Returns the seconds from a wall time until the end of the quiet hours that contain it, or nil outside the quiet
    /// hours.
    func secondsLeft(atWall wall: Int) -> Int? {
      let second = Gregorian.floorRemainder(wall, Gregorian.secondsPerDay)
      let (start, end) = (from * 60, to * 60)
      assert(start != end, "quiet hours do not start and end at the same time")
      if start < end {
        return second >= start && second < end ? end - second : nil
      }
      if second < end { return end - second }
      return second >= start ? end + Gregorian.secondsPerDay - second : nil
    }
  }

  var start: Start?
  var quietHours: QuietHours?

  /// True if devices in different zones can have different times.
  package var dependsOnZone: Bool {
    if case .wall? = start { return true }
    return quietHours != nil
  }

  /// Returns the earliest start time among devices in these zones, in seconds since 1970, or nil if there is no start
  /// time.
  ///
  /// Quiet hours are not considered. Without zones, UTC applies.
  func firstStart(in zones: [Zone]) -> Int? {
    switch start {
    case nil: nil
    case .instant(let moment)?: moment
    case .wall(let wall)?:
      (zones.isEmpty ? [.utc] : zones).map { $0.firstInstant(ofWall: wall) }.min()
    }
  }

  /// Returns true if the start has already passed for a device in a zone.
  func isPast(at now: Int, in zone: Zone) -> Bool {
    firstStart(in: [zone]).map { $0 < now } ?? false
  }

  /// Returns true if the start has passed for the devices in all of these zones.
  ///
  /// A start that passed within the last minute counts as the current time. Without zones, the result is false for a
  /// wall-clock time.
  func isPast(at now: Int, inAll zones: [Zone]) -> Bool {
    switch start {
    case nil: false
    case .instant(let moment)?: now - moment >= Limits.sendTimeGraceSeconds
    case .wall(let wall)?:
      !zones.isEmpty
        && zones.allSatisfy { now - $0.firstInstant(ofWall: wall) >= Limits.sendTimeGraceSeconds }
    }
  }

  /// Returns true if the start has arrived for a device in a zone, or there is no start.
  func hasStarted(at now: Int, in zone: Zone) -> Bool {
    firstStart(in: [zone]).map { $0 <= now } ?? true
  }

  /// Returns the first time at or after `now` at which a device in a zone can be reached, in seconds since 1970.
  package func earliest(from now: Int, in zone: Zone) -> Int {
    var moment = now
    switch start {
    case .instant(let instant)?: moment = max(moment, instant)
    case .wall(let wall)?: moment = max(moment, zone.firstInstant(ofWall: wall))
    case nil: break
    }
    guard let quietHours, let left = quietHours.secondsLeft(atWall: zone.wall(at: moment)) else {
      return moment
    }
    // Compute the end in wall time, so that the quiet hours end at the specified hour even if the clocks change before
    // then.
    let end = zone.firstInstant(ofWall: zone.wall(at: moment) + left)
    assert(end >= moment, "quiet hours do not end before the moment within them")
    return max(end, moment)
  }

  // MARK: Reading

  /// Parses `2026-11-22T18:00[:00]` as a wall time or, if `Z` or an offset follows, as an instant.
  ///
  /// Returns nil for anything else.
  static func start(_ text: String) -> Start? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 16, bytes[10] == UInt8(ascii: "T") || bytes[10] == 0x20,
      bytes[4] == 0x2D, bytes[7] == 0x2D, bytes[13] == 0x3A,
      let year = number(bytes, 0..<4, 1970...9999), let month = number(bytes, 5..<7, 1...12),
      let day = number(bytes, 8..<10, 1...Gregorian.length(ofMonth: month, year)),
      let hour = number(bytes, 11..<13, 0...23), let minute = number(bytes, 14..<16, 0...59)
    else { return nil }
    var rest = bytes[16...]
    var second = 0
    if rest.first == 0x3A {
      guard let given = number(Array(rest.dropFirst()), 0..<2, 0...59) else { return nil }
      second = given
      rest = rest.dropFirst(3)
    }
    let wall =
      Gregorian.day(year, month, day) * Gregorian.secondsPerDay + hour * 3_600 + minute * 60
      + second
    if rest.isEmpty { return .wall(wall) }
    guard let offset = offset(Array(rest)) else { return nil }
    return .instant(wall - offset)
  }

  /// Returns the problem with a text that `start` can't parse; nil if the text is a time.
  package static func problem(in text: String) -> RequestProblem? {
    if let date = impossibleDate(text) {
      return RequestProblem(
        "at", "\(date) is not a date",
        do: "expected a date that exists, such as 2026-11-30T09:00")
    }
    guard start(text) == nil else { return nil }
    return RequestProblem(
      "at", "invalid value '\(RequestProblem.excerpt(text))'",
      do: "expected a date and time, such as 2026-11-25T09:00; for a fixed time, add Z or a UTC "
        + "offset")
  }

  /// Returns the date of a time, such as `2026-11-31`, if the calendar does not have this date; otherwise nil.
  static func impossibleDate(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 10, bytes[4] == 0x2D, bytes[7] == 0x2D,
      let year = number(bytes, 0..<4, 1970...9999), let month = number(bytes, 5..<7, 0...99),
      let day = number(bytes, 8..<10, 0...99)
    else { return nil }
    let exists =
      (1...12).contains(month)
      && (1...Gregorian.length(ofMonth: month, year)).contains(day)
    return exists ? nil : String(decoding: bytes[..<10], as: UTF8.self)
  }

  /// Parses a time of day such as `22:00` and returns the minutes since midnight, or nil for anything else.
  static func minutes(_ text: String) -> Int? {
    let bytes = Array(text.utf8)
    guard bytes.count == 5, bytes[2] == 0x3A, let hour = number(bytes, 0..<2, 0...23),
      let minute = number(bytes, 3..<5, 0...59)
    else { return nil }
    return hour * 60 + minute
  }

  private static func offset(_ bytes: [UInt8]) -> Int? {
    if bytes == [UInt8(ascii: "Z")] { return 0 }
    guard bytes.count == 6, bytes[3] == 0x3A, bytes[0] == 0x2B || bytes[0] == 0x2D,
      let hours = number(bytes, 1..<3, 0...23), let minutes = number(bytes, 4..<6, 0...59)
    else { return nil }
    return (hours * 3_600 + minutes * 60) * (bytes[0] == 0x2D ? -1 : 1)
  }

  private static func number(
    _ bytes: [UInt8], _ range: Range<Int>, _ values: ClosedRange<Int>
  ) -> Int? {
    guard range.upperBound <= bytes.count,
      bytes[range].allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    let value = bytes[range].reduce(0) { $0 * 10 + Int($1 - 0x30) }
    return values.contains(value) ? value : nil
  }
}
