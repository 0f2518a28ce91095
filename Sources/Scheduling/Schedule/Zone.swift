/// A time zone, with its past, current, and future offsets from UTC.
///
/// Wall times are in seconds since 1970-01-01T00:00 on the zone's own clocks. If clocks jump forward, the skipped wall
/// times map to the first instant after the jump. If clocks are set back, a wall time that occurs twice maps to its
/// first occurrence (`docs/schedule.md`, rule 3).
public struct Zone: Equatable, Sendable {
  /// The name of the time zone, for example `Europe/Paris`; `UTC` for Coordinated Universal Time.
  public let name: String
  private let table: ZoneTable
  private let rule: ZoneRule?

  /// A period with a constant offset.
  struct Segment: Equatable {
    /// The first second of the period; `Int.min` if the period has no beginning.
    var start: Int
    /// The second after the last second of the period; `Int.max` if the period has no end.
    var end: Int
    var offset: Int
  }

  /// Creates a zone from a table and a rule.
  ///
  /// - Parameters:
  ///   - name: The zone's name.
  ///   - table: The transitions listed in the file.
  ///   - last: The instant of the last transition in the file; `Int.min` if the file lists no transitions.
  ///   - rule: The rule for later instants.
  init(name: String, table: ZoneTable, until last: Int, rule: ZoneRule?) {
    var table = table
    if let rule {
      if rule.daylight == nil {
        table.append(rule.offset)
      } else if last != .min {
        let last = Gregorian.clampedSeconds(last)
        let from = Gregorian.date(Gregorian.floorDivide(last, Gregorian.secondsPerDay)).year
        for year in stride(from: from, through: ScheduleLimits.zoneTableYear, by: 1) {
          for change in Self.sorted(rule.changes(in: year)) where change.instant > last {
            table.append(change.instant, change.offset)
          }
        }
      }
    }
    self.name = name
    self.table = table
    self.rule = rule?.daylight == nil ? nil : rule
  }

  /// Creates a zone with a constant offset.
  ///
  /// - Parameters:
  ///   - name: The zone's name.
  ///   - offset: Seconds east of UTC, clamped to the range of RFC 9636.
  public init(name: String, fixedOffset offset: Int) {
    let range = ScheduleLimits.zoneOffsetSeconds
    self.init(
      name: name, table: ZoneTable(before: min(max(offset, range.lowerBound), range.upperBound)),
      until: .min, rule: nil)
  }

  /// Coordinated Universal Time (UTC).
  public static let utc = Zone(name: "UTC", fixedOffset: 0)

  /// Returns the offset in seconds east of UTC at an instant, given in seconds since 1970.
  public func offset(at instant: Int) -> Int {
    segment(at: Gregorian.clampedSeconds(instant)).offset
  }

  /// Returns the wall time at an instant.
  public func wall(at instant: Int) -> Int {
    Gregorian.clampedSeconds(instant) + offset(at: instant)
  }

  /// Returns the latest wall time that clocks have shown by a given instant, including that instant.
  ///
  /// The result is greater than `wall(at:)` while an hour is repeated.
  public func latestWall(at instant: Int) -> Int {
    let instant = Gregorian.clampedSeconds(instant)
    var segment = segment(at: instant)
    var latest = instant + segment.offset
    // Earlier segments cannot have shown a later time, because no two offsets differ by more than 52 hours.
    while segment.start > instant - 190_000 {
      let before = segment.start - 1
      segment = self.segment(at: before)
      latest = max(latest, before + segment.offset)
    }
    return latest
  }

  /// Returns the first instant at which clocks show a given wall time or a later wall time.
  public func firstInstant(ofWall wall: Int) -> Int {
    let wall = Gregorian.clampedSeconds(wall)
    var segment = segment(at: wall - 93_600)
    while segment.end != .max, segment.end + segment.offset <= wall {
      segment = self.segment(at: segment.end)
    }
    let instant = max(segment.start, wall - segment.offset)
    assert(segment.end == .max || instant < segment.end, "the instant lies in its segment")
    return instant
  }

  func segment(at instant: Int) -> Segment {
    guard let rule, instant >= table.last ?? .min else { return table.segment(at: instant) }
    // After the end of the table, the most recent change applies. It can be in an adjacent year.
    let instant = Gregorian.clampedSeconds(instant)
    let year = Gregorian.date(Gregorian.floorDivide(instant, Gregorian.secondsPerDay)).year
    var segment = Segment(start: table.last ?? .min, end: .max, offset: table.lastOffset)
    for candidate in (year - 1)...(year + 1) {
      for change in Self.sorted(rule.changes(in: candidate))
      where change.instant > table.last ?? .min {
        if change.instant > instant {
          segment.end = change.instant
          return segment
        }
        segment.start = change.instant
        segment.offset = change.offset
      }
    }
    return segment
  }

  /// Orders the two changes of a year.
  ///
  /// If both occur at the same instant, the start of daylight saving time is sorted last.
  private static func sorted(
    _ changes: [(instant: Int, offset: Int)]
  ) -> [(instant: Int, offset: Int)] {
    guard changes.count == 2, changes[0].instant > changes[1].instant else { return changes }
    return [changes[1], changes[0]]
  }
}

/// The transitions in order, each with the offset that applies after it.
struct ZoneTable: Equatable, Sendable {
  private var instants: [Int] = []
  private var offsets: [Int]

  init(before offset: Int) { offsets = [offset] }

  var last: Int? { instants.last }
  var lastOffset: Int { offsets[offsets.count - 1] }

  /// Appends a transition, which must be later than all existing transitions.
  ///
  /// A transition to the same offset is omitted.
  mutating func append(_ instant: Int, _ offset: Int) {
    let instant = Gregorian.clampedSeconds(instant)
    guard offset != lastOffset else { return }
    if instants.last == instant {
      offsets[offsets.count - 1] = offset
    } else {
      instants.append(instant)
      offsets.append(offset)
    }
  }

  /// Sets the offset of a zone without transitions.
  mutating func append(_ offset: Int) {
    guard instants.isEmpty else { return }
    offsets[0] = offset
  }

  func segment(at instant: Int) -> Zone.Segment {
    assert(
      offsets.count == instants.count + 1, "there is one more offset than there are transitions")
    var low = 0
    var high = instants.count
    while low < high {
      let middle = (low + high) / 2
      if instants[middle] <= instant { low = middle + 1 } else { high = middle }
    }
    return Zone.Segment(
      start: low == 0 ? .min : instants[low - 1],
      end: low == instants.count ? .max : instants[low], offset: offsets[low])
  }
}
