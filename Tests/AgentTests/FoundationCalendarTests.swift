import BelfryWire
import Foundation
import Testing

@testable import Agent

@Suite("Other calendars")
struct FoundationCalendarTests {
  /// A match from the words of `--matching`.
  private func match(_ words: String) throws -> CalendarMatch { try CalendarMatch(matching: words) }

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
  }
}
