import BelfryWire
import Foundation
import TestSupport
import Testing

@testable import Agent

@Suite("Other calendars")
struct FoundationCalendarTests {
  /// A match from the words of `--matching`.
  private func match(_ words: String, isLeapMonth: Bool? = nil) throws -> CalendarMatch {
    var match = try CalendarMatch(matching: words)
    match.isLeapMonth = isLeapMonth
    return match
  }

  /// What a search that looks at each day finds.
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
  func `what is skipped over could not have matched`(name: String) throws {
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
  func `what was searched through once is not asked of Foundation again`(name: String) throws {
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
}
