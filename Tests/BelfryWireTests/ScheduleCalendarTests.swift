import Scheduling
import Foundation
import Testing

/// Returns the seconds since 1970 for a string such as `2026-03-29T01:00:00Z`.
func instant(_ text: String) throws -> Int {
  Int(try Date(text, strategy: .iso8601).timeIntervalSince1970)
}

/// Returns the next dates of a match, as strings.
func moments(_ matching: String, after: String, zone: String, count: Int) throws -> [String] {
  let match = try CalendarMatch(matching: matching)
  let zone = zone == "UTC" ? Zone.utc : try TestZones.system(zone)
  var at = try instant(after)
  var found: [String] = []
  while found.count < count, let next = match.next(after: at, in: zone) {
    found.append(Date(timeIntervalSince1970: Double(next)).formatted(.iso8601))
    at = next
  }
  return found
}

@Suite struct ScheduleCalendarTests {
  @Test func `days and dates are each other's inverse over 20,000 years`() {
    var expected = Gregorian.days.lowerBound
    var weekday = Gregorian.weekday(expected)
    var wrong: [Int] = []
    for year in ScheduleLimits.years {
      for month in 1...12 {
        let length = Gregorian.length(ofMonth: month, year)
        for day in [1, length] {
          let number = expected + day - 1
          let date = Gregorian.Date(year: year, month: month, day: day)
          if Gregorian.day(year, month, day) != number || Gregorian.date(number) != date {
            wrong.append(number)
          }
        }
        if Gregorian.weekday(expected) != weekday { wrong.append(expected) }
        weekday = (weekday - 1 + length) % 7 + 1
        expected += length
      }
    }
    #expect(wrong == [])
    #expect(Gregorian.day(1970, 1, 1) == 0)
    #expect(Gregorian.weekday(0) == 5)
    #expect(Gregorian.day(2000, 3, 1) == 11_017)
  }

  @Test func `weeks are numbered as ISO 8601 numbers them`() {
    for (text, year, week) in [
      ((2021, 1, 3), 2020, 53), ((2021, 1, 4), 2021, 1), ((2018, 12, 31), 2019, 1),
      ((2024, 12, 29), 2024, 52), ((2024, 12, 30), 2025, 1), ((2026, 12, 31), 2026, 53),
    ] {
      let day = Gregorian.day(text.0, text.1, text.2)
      #expect(WeekRule.iso8601.week(of: day, year: text.0) == (year, week))
    }
  }

  @Test func `a date that does not exist is skipped, never moved to the 1st`() throws {
    #expect(
      try moments("day=31 hour=9", after: "2026-04-01T00:00:00Z", zone: "UTC", count: 3)
        == ["2026-05-31T09:00:00Z", "2026-07-31T09:00:00Z", "2026-08-31T09:00:00Z"])
    #expect(
      try moments("month=2 day=29", after: "2026-01-01T00:00:00Z", zone: "UTC", count: 2)
        == ["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"])
    #expect(
      try moments("month=2 day=29", after: "2096-03-01T00:00:00Z", zone: "UTC", count: 1)
        == ["2104-02-29T00:00:00Z"])
    #expect(
      try moments("month=4 day=31", after: "2026-01-01T00:00:00Z", zone: "UTC", count: 1) == [])
  }

  @Test func `a skipped time fires after the gap, a doubled one the first time`() throws {
    let angeles = "America/Los_Angeles"
    #expect(
      try moments("hour=2 minute=30", after: "2026-03-07T12:00:00Z", zone: angeles, count: 2)
        == ["2026-03-08T10:00:00Z", "2026-03-09T09:30:00Z"])
    #expect(
      try moments("hour=1 minute=30", after: "2026-11-01T00:00:00Z", zone: angeles, count: 2)
        == ["2026-11-01T08:30:00Z", "2026-11-02T09:30:00Z"])
    // If midnight is skipped, the day begins at one o'clock.
    #expect(
      try moments("day=24 month=4", after: "2026-04-01T00:00:00Z", zone: "Africa/Cairo", count: 1)
        == ["2026-04-23T22:00:00Z"])
    #expect(
      try moments(
        "weekday=6 weekdayOrdinal=4 month=4 hour=0 minute=15", after: "2026-04-01T00:00:00Z",
        zone: "Africa/Cairo", count: 1) == ["2026-04-23T22:00:00Z"])
    // This is the day that Samoa skipped.
    #expect(
      try moments("day=30 hour=9", after: "2011-12-01T00:00:00Z", zone: "Pacific/Apia", count: 1)
        == ["2011-12-30T10:00:00Z"])
  }

  @Test func `next is strictly after now`() throws {
    #expect(
      try moments("hour=9", after: "2026-01-05T09:00:00Z", zone: "UTC", count: 1)
        == ["2026-01-06T09:00:00Z"])
    #expect(
      try moments("hour=9", after: "2026-01-05T08:59:59Z", zone: "UTC", count: 1)
        == ["2026-01-05T09:00:00Z"])
  }

  @Test func `finer components are at their beginning, others are wild`() throws {
    #expect(
      try moments("month=3", after: "2026-01-01T00:00:00Z", zone: "UTC", count: 2)
        == ["2026-03-01T00:00:00Z", "2027-03-01T00:00:00Z"])
    #expect(
      try moments("month=3 hour=9", after: "2026-01-01T00:00:00Z", zone: "UTC", count: 2)
        == ["2026-03-01T09:00:00Z", "2026-03-02T09:00:00Z"])
    #expect(
      try moments("weekOfYear=10", after: "2026-01-01T00:00:00Z", zone: "UTC", count: 1)
        == ["2026-03-01T00:00:00Z"])
    #expect(
      try moments("second=30", after: "2026-01-01T00:00:00Z", zone: "UTC", count: 2)
        == ["2026-01-01T00:00:30Z", "2026-01-01T00:01:30Z"])
    #expect(
      try moments(
        "weekdayOrdinal=2 weekday=3 hour=8", after: "2026-01-01T00:00:00Z", zone: "UTC", count: 2)
        == ["2026-01-13T08:00:00Z", "2026-02-10T08:00:00Z"])
    #expect(
      try moments("quarter=2", after: "2026-04-01T00:00:00Z", zone: "UTC", count: 1)
        == ["2027-04-01T00:00:00Z"])
    #expect(CalendarMatch().next(after: 0, in: .utc) == nil)
  }

  @Test func `a year in the past never matches again`() throws {
    #expect(
      try moments("year=2020 month=1 day=1", after: "2026-01-01T00:00:00Z", zone: "UTC", count: 1)
        == [])
    #expect(try moments("era=0", after: "2026-01-01T00:00:00Z", zone: "UTC", count: 1) == [])
    #expect(
      try moments("year=9000", after: "2026-01-01T00:00:00Z", zone: "UTC", count: 1)
        == ["9000-01-01T00:00:00Z"])
  }

  @Test func `values that no date has match nothing and do no harm`() {
    var dice = Dice(seed: 3)
    for _ in 0..<2_000 {
      var match = CalendarMatch()
      for component in CalendarMatch.Component.allCases where Bool.random(using: &dice) {
        match[component] = [-1, 0, 3, 64, 127, 300, Int.max, Int.min].randomElement(using: &dice)
      }
      for after in [0, Int.max, Int.min, 1_700_000_000] {
        if let next = match.next(after: after, in: .utc), next <= after { Issue.record("\(next)") }
      }
    }
  }

  @Test func `a match is read from its text`() throws {
    let text =
      "month=3 weekdayOrdinal=1 weekday=2 hour=9 firstWeekday=2 minimumDays=4 zone=Asia/Tokyo"
    let match = try CalendarMatch(matching: text)
    var expected = CalendarMatch()
    expected.weeks = WeekRule(firstWeekday: 2, minimumDays: 4)
    expected[.month] = 3
    expected[.weekdayOrdinal] = 1
    expected[.weekday] = 2
    expected[.hour] = 9
    expected.zone = .named("Asia/Tokyo")
    #expect(match == expected)
    var early = CalendarMatch()
    early[.hour] = 9
    early[.minute] = 5
    #expect(
      try CalendarMatch(matching: "hour=9, minute=5\tzone=floating calendar=gregorian") == early)
    early.calendar = .other("hebrew")
    #expect(try CalendarMatch(matching: "calendar=hebrew hour=9 minute=5") == early)
    let longest = "hour=9".padding(ScheduleLimits.matchingTextBytes)
    #expect(try CalendarMatch(matching: longest)[.hour] == 9)
    #expect(throws: CalendarMatch.TextFailure.tooLong) {
      try CalendarMatch(matching: longest + " ")
    }
  }

  @Test(
    arguments: [
      ("month=3 day=1", "year"), ("quarter=1", "year"), ("weekOfYear=9 weekday=2", "year"),
      ("weekOfMonth=1", "month"), ("weekday=2 weekdayOrdinal=1", "month"), ("day=5", "month"),
      ("weekday=2 hour=9", "week"), ("hour=9", "day"), ("era=1 hour=9", "day"),
      ("minute=5", "hour"),
      ("second=5", "minute"), ("year=2026 month=3", nil), ("yearForWeekOfYear=2026", nil),
    ] as [(String, String?)])
  func `a match repeats with the unit above its coarsest component`(text: String, word: String?)
    throws
  {
    #expect(try CalendarMatch(matching: text).repetitionWord == word)
  }

  @Test(arguments: [
    ("", "no component"), ("zone=UTC", "no component"), ("hour", "write name=value"),
    ("hours=9", "unknown component 'hours'"), ("hour=9 hour=10", "only be given once"),
    ("hour=x", "expected a whole number from 0 to 23"),
    ("weekday=Monday", "expected a whole number from 1 to 7, where 1 is Sunday"),
    ("hour=24", "expected 0 to 23"), ("day=0", "expected 1 to 31"), ("hour=", "no value"),
    ("hour=99999999999999999999", "expected a whole number"),
    ("weekday=8", "expected 1 to 7, where 1 is Sunday"),
    ("firstWeekday=0", "expected 1 to 7, where 1 is Sunday"),
  ])
  func `a text that cannot be meant is refused with what to do`(text: String, message: String) {
    let failure = #expect(throws: CalendarMatch.TextFailure.self) {
      try CalendarMatch(matching: text)
    }
    #expect(failure?.description.contains(message) == true, "\(String(describing: failure))")
  }
}

extension String {
  /// Returns the string padded with trailing spaces to `bytes` bytes.
  fileprivate func padding(_ bytes: Int) -> String {
    self + String(repeating: " ", count: bytes - utf8.count)
  }
}
