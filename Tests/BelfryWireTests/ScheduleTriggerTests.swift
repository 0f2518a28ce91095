import AppWire
import Scheduling
import Foundation
import Testing

/// A world with the system's time zones; the device is in one of them.
struct SystemZones: ScheduleWorld {
  var deviceZone: Zone

  init(_ name: String) throws { deviceZone = name == "UTC" ? .utc : try TestZones.system(name) }

  func zone(named name: String) -> Zone? {
    name == "UTC" ? .utc : try? TestZones.system(name)
  }
  func calendar(named name: String) -> (any CalendarSystem)? { nil }
}

@Suite struct ScheduleTriggerTests {
  private func texts(
    _ trigger: Trigger, after: String, device: String, count: Int = 1
  ) throws -> [String] {
    let world = try SystemZones(device)
    var now = Int64(try instant(after)) * 1_000
    var found: [String] = []
    while found.count < count, let next = trigger.next(after: now, anchor: now, in: world) {
      found.append(Date(timeIntervalSince1970: Double(next) / 1_000).formatted(.iso8601))
      now = next
    }
    return found
  }

  @Test(arguments: ["America/Los_Angeles", "America/New_York", "Asia/Tokyo"])
  func `A date without a zone is universal time: 297896400`(device: String) throws {
    let date = Date(timeIntervalSinceReferenceDate: 297_896_400).timeIntervalSince1970
    let trigger = Trigger.moment(.instant(Int64(date) * 1_000), every: .once)
    #expect(
      try texts(trigger, after: "2010-06-01T00:00:00Z", device: device) == ["2010-06-10T21:00:00Z"])
  }

  @Test(arguments: [
    ("America/Los_Angeles", "2010-06-10T16:00:00Z"), ("America/New_York", "2010-06-10T13:00:00Z"),
    ("Europe/Paris", "2010-06-10T07:00:00Z"),
  ])
  func `A date with a zone is wall time: 297878400 is 9 AM wherever the device is`(
    device: String, expected: String
  ) throws {
    let date = Date(timeIntervalSinceReferenceDate: 297_878_400).timeIntervalSince1970
    let request = NotificationTrigger.date(
      unixMilliseconds: Int64(date) * 1_000, zone: "US/Pacific", recurrence: nil,
      recurrenceCalendar: nil)
    let trigger = try #require(try Trigger(request, in: SystemZones(device)))
    #expect(try texts(trigger, after: "2010-06-01T00:00:00Z", device: device) == [expected])
  }

  @Test func `A trigger has words for the interval at which it repeats`() {
    func date(every recurrence: NotificationTrigger.Recurrence?) -> NotificationTrigger {
      .date(unixMilliseconds: 0, zone: nil, recurrence: recurrence, recurrenceCalendar: nil)
    }
    let expected: [(NotificationTrigger, String?)] = [
      (.interval(seconds: 60, repeats: true), "minute"),
      (.interval(seconds: 5_400, repeats: true), "90 minutes"),
      (.interval(seconds: 90.5, repeats: true), "90.5 seconds"),
      (.interval(seconds: 60, repeats: false), nil),
      (.calendar(MatchingComponents([.hour: 9, .minute: 30]), repeats: true), "day"),
      (.calendar(MatchingComponents([.weekday: 2, .hour: 9]), repeats: true), "week"),
      (.calendar(MatchingComponents([.hour: 9]), repeats: false), nil),
      (date(every: .components(MatchingComponents([.day: 7]))), "week"),
      (date(every: .components(MatchingComponents([.month: 3]))), "quarter"),
      (date(every: .components(MatchingComponents([.year: 2]))), "2 years"),
      (date(every: .components(MatchingComponents([.month: 1, .day: 1]))), nil),
      (date(every: .unit(16)), "day"), (date(every: nil), nil),
    ]
    for (trigger, words) in expected {
      #expect(trigger.repetitionInterval == words, "\(trigger)")
    }
  }

  @Test func `an interval of nothing never fires`() throws {
    for repeats in [false, true] {
      let trigger = Trigger.interval(milliseconds: 0, repeats: repeats)
      #expect(try texts(trigger, after: "2026-03-02T14:00:00Z", device: "UTC").isEmpty)
    }
  }

  @Test func `each repeat by days and hours is computed from the previous one`() throws {
    let start = Int64(try instant("2026-03-02T14:00:00Z")) * 1_000
    let trigger = Trigger.moment(
      .instant(start), every: Period(.span(months: 0, days: 1, seconds: 3_600)))
    #expect(
      try texts(trigger, after: "2026-03-02T14:00:00Z", device: "UTC", count: 3)
        == ["2026-03-03T15:00:00Z", "2026-03-04T16:00:00Z", "2026-03-05T17:00:00Z"])
  }

  @Test func `A weekly repeat keeps its weekday and local time, even across a clock change`()
    throws
  {
    let start = Int64(try instant("2026-03-02T14:00:00Z")) * 1_000  // Monday, 9 AM in New York
    for unit: UInt in [256, 4_096, 8_192, 1_024] {
      let trigger = Trigger.moment(.instant(start), every: Period(calendarUnit: unit))
      #expect(
        try texts(trigger, after: "2026-03-02T14:00:00Z", device: "America/New_York", count: 2)
          == ["2026-03-09T13:00:00Z", "2026-03-16T13:00:00Z"])
    }
  }

  @Test(
    arguments: [
      (4, ["2027-01-31T12:00:00Z", "2028-01-31T12:00:00Z"]),
      (8, ["2026-03-31T12:00:00Z", "2026-05-31T12:00:00Z"]),
      (16, ["2026-02-01T12:00:00Z", "2026-02-02T12:00:00Z"]),
      (32, ["2026-01-31T13:00:00Z", "2026-01-31T14:00:00Z"]),
      (64, ["2026-01-31T12:01:00Z", "2026-01-31T12:02:00Z"]),
      (256, ["2026-02-07T12:00:00Z", "2026-02-14T12:00:00Z"]),
      (512, ["2026-02-01T12:00:00Z", "2026-02-02T12:00:00Z"]),
      (1_024, ["2026-02-07T12:00:00Z", "2026-02-14T12:00:00Z"]),
      (2_048, ["2026-07-31T12:00:00Z", "2026-10-31T12:00:00Z"]),
      (4_096, ["2026-02-07T12:00:00Z", "2026-02-14T12:00:00Z"]),
      (8_192, ["2026-02-07T12:00:00Z", "2026-02-14T12:00:00Z"]),
      (16_384, ["2027-01-30T12:00:00Z", "2028-01-29T12:00:00Z"]),
      (65_536, ["2026-02-01T12:00:00Z", "2026-02-02T12:00:00Z"]),
      (0, []), (2, []), (128, []), (32_768, []), (1 << 20, []), (1 << 21, []), (24, []),
    ] as [(UInt, [String])])
  func `every NSCalendar.Unit has its repeat, and one under a minute or without length fires once`(
    unit: UInt, expected: [String]
  ) throws {
    let start = Int64(try instant("2026-01-31T12:00:00Z")) * 1_000
    let trigger = Trigger.moment(.instant(start), every: Period(calendarUnit: unit))
    // S0-10 part 2 of 2: daily, weekly, monthly and all other units
    #expect(trigger.repeats == !expected.isEmpty)
    #expect(
      try texts(trigger, after: "2026-01-01T00:00:00Z", device: "UTC") == ["2026-01-31T12:00:00Z"])
    #expect(
      try texts(trigger, after: "2026-01-31T12:00:00Z", device: "UTC", count: 2) == expected)
  }

  @Test func `a week-year's repeat keeps week and weekday, and skips years without a week 53`()
    throws
  {
    let start = Int64(try instant("2020-12-31T12:00:00Z")) * 1_000  // Thursday of week 53
    let period = Period(calendarUnit: 16_384, weeks: .iso8601)
    #expect(
      try texts(
        .moment(.instant(start), every: period), after: "2020-12-31T12:00:00Z", device: "UTC",
        count: 2) == ["2026-12-31T12:00:00Z", "2032-12-30T12:00:00Z"])
  }

  @Test func `a week-year among the components is the repeat`() throws {
    let start = Int64(try instant("2020-12-31T12:00:00Z")) * 1_000  // Thursday of week 53
    let request = NotificationTrigger.date(
      unixMilliseconds: start, zone: nil,
      recurrence: .components(MatchingComponents([.yearForWeekOfYear: 1], calendar: "iso8601")),
      recurrenceCalendar: nil)
    let trigger = try #require(try Trigger(request, in: SystemZones("UTC")))
    #expect(
      try texts(trigger, after: "2020-12-31T12:00:00Z", device: "UTC", count: 2)
        == ["2026-12-31T12:00:00Z", "2032-12-30T12:00:00Z"])
  }

  @Test func `a date repeats once a minute at most`() throws {
    func repeats(everySeconds seconds: Int64) throws -> Bool? {
      let request = NotificationTrigger.date(
        unixMilliseconds: 0, zone: nil,
        recurrence: .components(MatchingComponents([.second: seconds])), recurrenceCalendar: nil)
      return try Trigger(request, in: SystemZones("UTC"))?.repeats
    }
    #expect(try repeats(everySeconds: 60) == true)
    #expect(throws: Trigger.Refusal.repeatsTooOften) { try repeats(everySeconds: 59) }
  }

  @Test func `components can be the repeat: every ten days, every month and a day`() throws {
    let start = Int64(try instant("2026-01-01T09:00:00Z")) * 1_000
    let request = NotificationTrigger.date(
      unixMilliseconds: start, zone: nil,
      recurrence: .components(MatchingComponents([.day: 3, .weekOfYear: 1])),
      recurrenceCalendar: nil)
    let trigger = try #require(try Trigger(request, in: SystemZones("UTC")))
    #expect(
      try texts(trigger, after: "2026-01-05T00:00:00Z", device: "UTC", count: 2)
        == ["2026-01-11T09:00:00Z", "2026-01-21T09:00:00Z"])
    let mixed = Trigger.moment(
      .instant(start), every: Period(.span(months: 1, days: 1, seconds: 0)))
    #expect(
      try texts(mixed, after: "2026-01-01T09:00:00Z", device: "UTC", count: 2)
        == ["2026-02-02T09:00:00Z", "2026-03-03T09:00:00Z"])
  }

  @Test(arguments: [
    Period(.span(months: 0, days: 3_000_000, seconds: 0)), Period(.weekYears(7_976)),
  ])
  func `a repeat after the last supported year never fires`(period: Period) throws {
    let start = Int64(try instant("2023-12-31T22:13:20Z")) * 1_000
    let trigger = Trigger.moment(.instant(start), every: period)
    #expect(trigger.next(after: start, anchor: start, in: try SystemZones("UTC")) == nil)
  }

  @Test func `an interval repeats every so long from its start`() throws {
    let trigger = Trigger.interval(milliseconds: 90_000, repeats: true)
    let world = try SystemZones("UTC")
    #expect(trigger.next(after: 1_000, anchor: 1_000, in: world) == 91_000)
    #expect(trigger.next(after: 91_000, anchor: 1_000, in: world) == 181_000)
    #expect(trigger.next(after: 1_000_000, anchor: 1_000, in: world) == 1_081_000)
    let once = Trigger.interval(milliseconds: 500, repeats: false)
    #expect(once.next(after: 0, anchor: 0, in: world) == 500)
    #expect(once.next(after: 500, anchor: 0, in: world) == nil)
  }

  @Test func `invalid intervals, intervals that repeat too often, and unknown zones are refused`()
    throws
  {
    let world = try SystemZones("UTC")
    #expect(throws: Trigger.Refusal.intervalOutOfRange) {
      try Trigger(.interval(seconds: 0, repeats: false), in: world)
    }
    #expect(throws: Trigger.Refusal.intervalOutOfRange) {
      try Trigger(.interval(seconds: .nan, repeats: false), in: world)
    }
    #expect(throws: Trigger.Refusal.intervalOutOfRange) {
      try Trigger(.interval(seconds: .infinity, repeats: false), in: world)
    }
    #expect(throws: Trigger.Refusal.repeatsTooOften) {
      try Trigger(.interval(seconds: 59.9, repeats: true), in: world)
    }
    #expect(
      try Trigger(.interval(seconds: 60, repeats: true), in: world)
        == .interval(milliseconds: 60_000, repeats: true))
    #expect(throws: Trigger.Refusal.unknownZone("Mars/Olympus")) {
      try Trigger(
        .calendar(MatchingComponents([.hour: 9], zone: "Mars/Olympus"), repeats: true), in: world)
    }
    #expect(throws: Trigger.Refusal.unknownCalendar("martian")) {
      try Trigger(
        .calendar(MatchingComponents([.hour: 9], calendar: "martian"), repeats: true), in: world)
    }
  }

  @Test func `a stored trigger is read back unchanged, and corrupt data is rejected or harmless`()
    throws
  {
    var dice = Dice(seed: 11)
    let zones: [ZoneChoice] = [
      .floating, .named("Europe/Paris"), .named("America/Argentina/Ushuaia"),
    ]
    for _ in 0..<3_000 {
      let trigger: Trigger
      switch Int.random(in: 0..<3, using: &dice) {
      case 0:
        trigger = .interval(
          milliseconds: .random(in: 1...(1 << 40), using: &dice), repeats: .random(using: &dice))
      case 1:
        var match = CalendarMatch()
        for component in CalendarMatch.Component.allCases where Bool.random(using: &dice) {
          match[component] = .random(in: 0...60, using: &dice)
        }
        match.zone = zones.randomElement(using: &dice) ?? .floating
        match.weeks = WeekRule(firstWeekday: .random(in: 1...7, using: &dice), minimumDays: 4)
        match.isLeapMonth = [nil, true, false].randomElement(using: &dice) ?? nil
        match.calendar = .random(using: &dice) ? .gregorian : .other("hebrew")
        trigger = .calendar(match, repeats: .random(using: &dice))
      default:
        let start: Trigger.Start =
          .random(using: &dice)
          ? .instant(.random(in: (-1 << 50)...(1 << 50), using: &dice))
          : .wall(
            .random(in: 0...(1 << 40), using: &dice), zones.randomElement(using: &dice) ?? .floating
          )
        trigger = .moment(
          start,
          every: Period(
            calendarUnit: 1 << UInt.random(in: 0..<16, using: &dice),
            zone: zones.randomElement(using: &dice) ?? .floating))
      }
      var bytes = trigger.bytes
      #expect(Trigger(bytes: bytes.span) == trigger)
      #expect(Trigger(bytes: Array(bytes.dropLast()).span) == nil)
      #expect(Trigger(bytes: (bytes + [0]).span) == nil)
      bytes[.random(in: 0..<bytes.count, using: &dice)] = .random(in: 0...255, using: &dice)
      let world = OneZone(deviceZone: .utc)
      _ = Trigger(bytes: bytes.span)?.next(after: 0, anchor: .max, in: world)
      _ = Trigger(bytes: bytes.span)?.next(after: .max, anchor: .min, in: world)
    }
  }
}
