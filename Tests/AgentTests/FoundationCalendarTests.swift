import Scheduling
import Foundation
import TestSupport
import Testing

@testable import Agent

@Suite("Other calendars")
struct FoundationCalendarTests {
  /// Parses a match in the syntax of `--matching`.
  private func match(_ words: String, isLeapMonth: Bool? = nil) throws -> CalendarMatch {
    var match = try CalendarMatch(matching: words)
    match.isLeapMonth = isLeapMonth
    return match
  }

  /// Returns the next date according to a slow search that examines every day.
  private func slow(
    _ name: String, _ words: [(Calendar.Component, Int)], from first: Int, days: Int
  )
    throws -> Int?
  {
    let identifier: Calendar.Identifier =
      switch name {
      case "hebrew": .hebrew
      case "chinese": .chinese
      case "japanese": .japanese
      default: .persian
      }
    var calendar = Calendar(identifier: identifier)
    calendar.timeZone = .gmt
    for day in first..<(first + days) {
      let noon = Date(timeIntervalSince1970: Double(day) * 86_400 + 43_200)
      if words.allSatisfy({ calendar.component($0.0, from: noon) == $0.1 }) { return day }
    }
    return nil
  }

  @Test(arguments: ["hebrew", "chinese", "japanese", "persian"])
  func `the search skips only dates that cannot match`(name: String) throws {
    let calendar = try #require(FoundationCalendar(named: name))
    for (words, parts) in [
      ("day=30 hour=12", [(Calendar.Component.day, 30)]),
      ("month=2 day=29 hour=12", [(.month, 2), (.day, 29)]),
      ("weekday=6 day=13 hour=12", [(.weekday, 6), (.day, 13)]),
      ("weekday=2 month=7 hour=12", [(.weekday, 2), (.month, 7)]),
      ("weekday=3 weekdayOrdinal=5 hour=12", [(.weekday, 3), (.weekdayOrdinal, 5)]),
      ("quarter=3 day=1 hour=12", [(.quarter, 3), (.day, 1)]),
    ] {
      for first in stride(from: 20_000, to: 20_400, by: 97) {
        let expected = try slow(name, parts, from: first, days: 4_000)
        guard let expected else { continue }
        let found = calendar.next(matching: try match(words), after: first * 86_400, in: .utc)
        #expect(found == expected * 86_400 + 43_200, "\(name) \(words) after \(first)")
      }
    }
  }

  @Test(arguments: ["hebrew", "chinese", "islamic", "japanese", "ethiopic"])
  func `a date that does not exist is found so without looking at each day of a century`(
    name: String
  )
    throws
  {
    for words in ["day=31 month=2", "day=31", "year=1 month=1", "weekday=2 day=31 month=6"] {
      let calendar = try #require(FoundationCalendar(named: name))
      _ = calendar.next(matching: try match(words + " hour=12"), after: 1_764_000_000, in: .utc)
      #expect(calendar.lookUps < 4_000, "\(name) \(words)")
    }
    var sixth = try match("weekday=1 hour=12")
    sixth[.weekdayOrdinal] = 6
    let calendar = try #require(FoundationCalendar(named: name))
    #expect(calendar.next(matching: sixth, after: 1_764_000_000, in: .utc) == nil)
    #expect(calendar.lookUps == 0)
  }

  @Test(arguments: ["hebrew", "chinese", "islamic", "japanese", "ethiopic"])
  func `a repeated search does not look up the same dates in Foundation again`(name: String) throws
  {
    let calendar = try #require(FoundationCalendar(named: name))
    let rare: [(String, Bool?)] = [
      ("day=29 month=2 weekday=1", true), ("day=31 month=2", nil),
      ("day=30 month=12 weekday=3", nil),
    ]
    for (words, isLeap) in rare {
      let wanted = try match(words, isLeapMonth: isLeap)
      _ = calendar.next(matching: wanted, after: 1_764_000_000, in: .utc)
    }
    let before = calendar.lookUps
    for number in 0..<64 {
      for (words, isLeap) in rare {
        let words = words + " hour=\(number % 24) minute=\(number % 60)"
        let wanted = try match(words, isLeapMonth: isLeap)
        _ = calendar.next(matching: wanted, after: 1_764_000_000, in: .utc)
      }
    }
    #expect(calendar.lookUps - before < 64 * 3 * 60, "\(calendar.lookUps - before)")
  }

  @Test(arguments: ["hebrew", "chinese", "islamic", "japanese", "ethiopic", "persian", "indian"])
  func `a search finds the same, whatever was searched for before`(name: String) throws {
    let warm = try #require(FoundationCalendar(named: name))
    var random = SeededGenerator(seed: 29)
    for _ in 0..<60 {
      var wanted = try match("hour=12")
      let parts: [(CalendarMatch.Component, ClosedRange<Int>)] = [
        (.day, 1...31), (.month, 1...13), (.weekday, 1...7), (.year, 1...60),
        (.weekdayOrdinal, 0...6),
      ]
      for (component, range) in parts where Bool.random(using: &random) {
        wanted[component] = Int.random(in: range, using: &random)
      }
      wanted.isLeapMonth = [nil, nil, true, false].randomElement(using: &random) ?? nil
      let moment = Int.random(in: 0...4_000_000_000, using: &random)
      let cold = try #require(FoundationCalendar(named: name))
      #expect(
        warm.next(matching: wanted, after: moment, in: .utc)
          == cold.next(matching: wanted, after: moment, in: .utc), "\(wanted) \(moment)")
    }
  }

  /// The calendars to test, including those with lunar months (Chinese, Hebrew, and Islamic), and those whose years
  /// have thirteen months (Coptic and Ethiopic).
  private static let calendars = [
    "chinese", "hebrew", "islamic", "islamicUmmAlQura", "coptic", "ethiopic", "indian", "persian",
    "japanese",
  ]

  private func world(_ calendar: FoundationCalendar) -> ZoneFolder {
    ZoneFolder(.system, deviceZone: .utc, makeCalendar: { _ in calendar })
  }

  @Test(arguments: calendars, [4, 8, 2_048] as [UInt])
  func `a repeat is found with a few look-ups, however far the clock is ahead`(
    name: String, unit: UInt
  ) throws {
    let calendar = try #require(FoundationCalendar(named: name))
    let trigger = Trigger.moment(
      .instant(-128), every: Period(calendarUnit: unit, calendar: .other(name)))
    let day: Int64 = 86_400_000
    for days in [40, 800, 20_400, 200_000, 1_000_000, 2_500_000] as [Int64] {
      let now = days * day
      let before = calendar.lookUps
      let found = try #require(trigger.next(after: now, anchor: now, in: world(calendar)))
      #expect(calendar.lookUps - before <= 24, "\(days) days: \(calendar.lookUps - before)")
      #expect(found > now)
      // The next date can be years away, because not every year has the month, and not every month has the day.
      #expect(found - now < 8 * 385 * day)
      #expect(trigger.next(after: found - 1, anchor: now, in: world(calendar)) == found)
    }
  }

  @Test(arguments: calendars, [4, 8, 2_048] as [UInt])
  func `the repeat that is found is the first one after the moment`(
    name: String, unit: UInt
  ) throws {
    let calendar = try #require(FoundationCalendar(named: name))
    let months = unit == 4 ? 12 : unit == 8 ? 1 : 3
    for start in [-1, 28, 10_957, 11_016] {
      let trigger = Trigger.moment(
        .instant(Int64(start) * 86_400_000),
        every: Period(calendarUnit: unit, calendar: .other(name)))
      for after in stride(from: start + 3, to: start + 9_000, by: 1_777) {
        let expected = (1...700).lazy
          .compactMap { calendar.repeatedDay($0, from: start, months: months, days: 0) }
          .first { $0.exists && $0.day > after }
        let now = Int64(after) * 86_400_000
        let found = trigger.next(after: now, anchor: now, in: world(calendar))
        #expect(found.map { Int($0 / 86_400_000) } == expected?.day, "\(start) \(after)")
      }
    }
  }

  @Test func `four quarters are twelve months, and no year where years may have thirteen`() throws {
    let calendar = try #require(FoundationCalendar(named: "chinese"))
    var last = -1
    for count in 1...200 {
      let next = try #require(calendar.repeatedDay(count, from: -1, months: 3, days: 0))
      #expect(
        (87...90).contains(next.day - last), "repeat \(count) is \(next.day - last) days later")
      last = next.day
    }
  }

  @Test func `dates in other calendars are computed in slices, with the same result`() throws {
    let calendar = try #require(FoundationCalendar(named: "chinese"))
    let bound = 100
    let mostPerSearch = 24
    let now = ScheduleMoment(wall: 90_000 * 86_400_000, elapsed: 0)
    let entries = (0..<300).map { number in
      ScheduleEntry(
        key: ScheduleKey(app: "org.example.a\(number % 10)", id: "\(number)"),
        trigger: .moment(
          .instant(Int64(number) * 86_400_000),
          every: Period(calendarUnit: 8, calendar: .other("chinese"))),
        since: 0, handled: now.wall, order: UInt64(number))
    }
    var sliced = Schedule(policy: SchedulePolicy(calendarLookUps: bound), world: world(calendar))
    #expect(sliced.restore(entries, at: now).lost.isEmpty)
    #expect(calendar.lookUps <= bound + mostPerSearch)
    var slices = 0
    while let wall = sliced.wakeUp.wall, wall <= now.wall, slices < 1_000 {
      let before = calendar.lookUps
      #expect(sliced.step(at: now) == .rest)
      #expect(calendar.lookUps - before <= bound + mostPerSearch)
      sliced.checkInvariants()
      slices += 1
    }
    #expect(slices > 5)
    var whole = Schedule(policy: SchedulePolicy(calendarLookUps: .max), world: world(calendar))
    #expect(whole.restore(entries, at: now).lost.isEmpty)
    #expect(sliced.pending(at: now) == whole.pending(at: now))
    #expect(sliced.wakeUp == whole.wakeUp)
  }
}
