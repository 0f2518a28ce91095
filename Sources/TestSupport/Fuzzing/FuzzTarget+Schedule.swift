import Scheduling

extension FuzzTarget {
  /// Checks that a parsed trigger is unchanged after it is written and parsed again, that its next date is in the
  /// future, and that the date after that is later.
  static func runSchedule(_ bytes: [UInt8]) {
    guard let trigger = Trigger(bytes: bytes.span) else { return }
    precondition(Trigger(bytes: trigger.bytes.span) == trigger)
    let world = OneZoneWorld()
    let accepted = (try? trigger.check(in: world)) != nil
    let now: Int64 = 1_700_000_000_000
    guard let next = trigger.next(after: now, anchor: now, in: world) else { return }
    precondition(next > now)
    if let later = trigger.next(after: next, anchor: now, in: world) { precondition(later > next) }
    guard accepted else { return }
    var schedule = Schedule(world: world)
    let key = ScheduleKey(app: "com.example.app", id: "fuzzed")
    let moment = ScheduleMoment(wall: now, elapsed: 0)
    _ = try? schedule.add(key, trigger, at: moment)
    schedule.checkInvariants()
    _ = schedule.moments(of: key, count: 3, at: moment)
  }

  /// Checks that a zone's conversions are consistent.
  ///
  /// - A wall time is the instant plus the offset.
  /// - The latest wall time up to an instant is not before that instant's wall time.
  /// - The first instant with a wall time is not after any other instant with that wall time.
  static func runZone(_ bytes: [UInt8]) {
    guard let zone = try? ZoneFile.read(bytes.span, name: "Fuzzed") else { return }
    for instant in [-5_000_000_000, -1, 0, 1_700_000_000, 4_102_444_800, 250_000_000_000] {
      let wall = zone.wall(at: instant)
      precondition(wall - instant == zone.offset(at: instant))
      precondition(zone.latestWall(at: instant) >= wall)
      precondition(zone.firstInstant(ofWall: wall) <= instant)
    }
  }

  /// Checks that a format string without a percent sign is returned unchanged, regardless of the arguments.
  static func runFormat(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: 0, maxSplits: 3, omittingEmptySubsequences: false)
    let texts = parts.map { String(decoding: $0, as: UTF8.self) }
    guard let format = texts.first else { return }
    let arguments = Array(texts.dropFirst())
    // The last part is the format string of every variable, so a format string can refer to itself.
    let form: [String: Any] = [
      "NSStringFormatSpecTypeKey": "NSStringPluralRuleType", "other": texts.last ?? "",
    ]
    let variables = PluralVariables(["n": form, "m": form])
    let limit = 512
    let filled = LocalizedFormat.fill(
      format, with: arguments, variables: variables, language: arguments.first ?? "en", limit: limit
    )
    precondition(filled.text.utf8.count <= limit)
    if !format.utf8.contains(UInt8(ascii: "%")), !filled.isCut {
      precondition(filled.text == format)
    }
    if format.utf8.count > limit, !format.utf8.contains(UInt8(ascii: "%")) {
      precondition(filled.isCut)
    }
    for tag in texts { _ = LanguageFolders.fallbacks(tag) }
  }
}

/// A schedule world that contains only UTC and the Gregorian calendar.
private struct OneZoneWorld: ScheduleWorld {
  var deviceZone: Zone { .utc }
  func zone(named name: String) -> Zone? { name == "UTC" ? .utc : nil }
  func calendar(named name: String) -> (any CalendarSystem)? { nil }
}
