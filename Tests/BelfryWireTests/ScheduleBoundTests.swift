import Testing

@testable import Scheduling

/// Tests of the values at and just beyond the schedule's limits.
@Suite struct ScheduleBoundTests {
  private func rule(_ text: String) -> ZoneRule? { ZoneRule(Array(text.utf8)) }

  @Test func `times are clamped to the first and last moment of the supported years`() {
    let last = 253_402_300_799  // 9999-12-31T23:59:59Z
    let first = Gregorian.day(ScheduleLimits.years.lowerBound, 1, 1) * Gregorian.secondsPerDay
    for (time, clamped) in [
      (.max, last), (last + 1, last), (last, last), (0, 0), (first, first), (first - 1, first),
      (.min, first),
    ] as [(Int, Int)] {
      #expect(Gregorian.clampedSeconds(time) == clamped)
    }
    let (lowest, highest) = (Int64(first) * 1_000, Int64(last) * 1_000 + 999)
    for (time, clamped) in [
      (.max, highest), (highest, highest), (0, 0), (lowest, lowest), (.min, lowest),
    ] as [(Int64, Int64)] {
      #expect(Gregorian.clampedMilliseconds(time) == clamped)
    }
  }

  @Test
  func `a rule's days are those of a year`() {
    #expect(rule("AAA0BBB,J1,J365") != nil)
    #expect(rule("AAA0BBB,J0,J365") == nil)
    #expect(rule("AAA0BBB,J1,J366") == nil)
    #expect(rule("AAA0BBB,0,365") != nil)
    #expect(rule("AAA0BBB,M1.1.0,M12.5.6") != nil)
    for wrong in ["M0.1.0", "M13.1.0", "M1.0.0", "M1.6.0", "M1.1.7"] {
      #expect(rule("AAA0BBB,\(wrong),J2") == nil, "\(wrong)")
    }
  }

  @Test
  func `a rule of the longest is read, and no longer one`() {
    let rest = "0"
    let name = String(repeating: "A", count: ScheduleLimits.zoneRuleBytes - rest.utf8.count)
    #expect(rule(name + rest) != nil)
    #expect(rule("A" + name + rest) == nil)
  }

  @Test
  func `an interval is positive, and not longer than the longest`() {
    struct World: ScheduleWorld {
      var deviceZone: Zone { .utc }
      func zone(named name: String) -> Zone? { nil }
      func calendar(named name: String) -> (any CalendarSystem)? { nil }
    }
    let most = ScheduleLimits.longestIntervalMilliseconds
    for good in [1, most] {
      #expect(throws: Never.self) {
        try Trigger.interval(milliseconds: good, repeats: false).check(in: World())
      }
    }
    for bad in [0, -1, most + 1] {
      #expect(throws: Trigger.Refusal.intervalOutOfRange) {
        try Trigger.interval(milliseconds: bad, repeats: false).check(in: World())
      }
    }
  }

  @Test func `a period without a length is once`() {
    for none: Period.Length in [
      .weekYears(0), .weekYears(-1), .span(months: 0, days: 0, seconds: 0),
      .span(months: -1, days: 1, seconds: 1), .span(months: 1, days: -1, seconds: 1),
      .span(months: 1, days: 1, seconds: -1),
    ] {
      #expect(Period(none) == .once)
    }
    for one: Period.Length in [
      .weekYears(1), .span(months: 1, days: 0, seconds: 0), .span(months: 0, days: 1, seconds: 0),
      .span(months: 0, days: 0, seconds: 1),
    ] {
      #expect(Period(one).length == one)
    }
  }

  @Test func `a name that is longer than the bytes that follow is damage`() throws {
    let trigger = Trigger.calendar(try CalendarMatch(matching: "hour=9"), repeats: true)
    let bytes = trigger.bytes
    #expect(bytes.last == 0, "the zone's name has the length 0")
    // These bytes encode the lengths 1 and -1.
    for length: UInt8 in [2, 1] {
      let damaged = Array(bytes.dropLast()) + [length]
      #expect(Trigger(bytes: damaged.span) == nil)
    }
  }

  @Test func `transitions before all years that are counted are the last of them`() {
    var table = ZoneTable(before: 0)
    table.append(.min, 10)
    table.append(.min + 1, 20)
    let segment = table.segment(at: 0)
    #expect(segment.offset == 20)
    #expect(segment.start == table.last)
    #expect(segment.end == .max)
    #expect(table.segment(at: segment.start - 1).offset == 0)
  }

  @Test func `weeks are the calendar's own where an app says nothing of them`() {
    for (identifier, name, weeks) in [
      (nil, .gregorian, .sunday), ("gregorian", .gregorian, .sunday),
      ("iso8601", .gregorian, .iso8601), ("hebrew", .other("hebrew"), .sunday),
    ] as [(String?, CalendarName, WeekRule)] {
      let found = CalendarName.named(identifier, firstWeekday: nil, minimumDays: nil)
      #expect(found.0 == name)
      #expect(found.1 == weeks)
    }
    let chosen = CalendarName.named("iso8601", firstWeekday: 7, minimumDays: 1)
    #expect(chosen.1 == WeekRule(firstWeekday: 7, minimumDays: 1))
  }

  @Test func `the last week of a week-year is found in the next year`() throws {
    let match = "yearForWeekOfYear=2026 weekOfYear=53 weekday=7 firstWeekday=2 minimumDays=4"
    #expect(
      try moments(match, after: "2027-01-01T12:00:00Z", zone: "UTC", count: 2)
        == ["2027-01-02T00:00:00Z"])
  }
}
