import BelfryWire
import Foundation

/// A calendar other than the Gregorian, from Foundation: it says what date a day has; which days
/// match is decided here by the same rule as for the Gregorian.
final class FoundationCalendar: CalendarSystem {
  private var calendar: Calendar

  /// A calendar by the identifier of `Calendar.Identifier` or its BCP 47 name; nil for others.
  init?(named name: String) {
    guard let identifier = Self.identifiers[name] else { return nil }
    calendar = Calendar(identifier: identifier)
    calendar.timeZone = .gmt
  }

  private static let identifiers: [String: Calendar.Identifier] = [
    "buddhist": .buddhist, "chinese": .chinese, "coptic": .coptic,
    "ethiopicAmeteMihret": .ethiopicAmeteMihret, "ethiopic": .ethiopicAmeteMihret,
    "ethiopicAmeteAlem": .ethiopicAmeteAlem, "ethiopic-amete-alem": .ethiopicAmeteAlem,
    "hebrew": .hebrew, "indian": .indian, "islamic": .islamic, "islamicCivil": .islamicCivil,
    "islamic-civil": .islamicCivil, "islamicTabular": .islamicTabular,
    "islamic-tbla": .islamicTabular, "islamicUmmAlQura": .islamicUmmAlQura,
    "islamic-umalqura": .islamicUmmAlQura, "japanese": .japanese, "persian": .persian,
    "republicOfChina": .republicOfChina, "roc": .republicOfChina,
  ]

  func next(matching match: CalendarMatch, after instant: Int, in zone: Zone) -> Int? {
    calendar.firstWeekday = Int(match.weeks.firstWeekday)
    calendar.minimumDaysInFirstWeek = Int(match.weeks.minimumDays)
    return match.next(after: instant, in: zone) { nextDay(match, from: $0) }
  }

  private func nextDay(_ match: CalendarMatch, from first: Int) -> Int? {
    guard match.constrainsDate || match.isLeapMonth != nil else { return first }
    // Where only a week or longer is singled out, its first day is meant.
    let wantsFirst = !match.constrainsDay && !match.constrainsTime
    var matchedBefore = wantsFirst && matches(match, first - 1)
    for day in first..<(first + Limits.calendarSearchDays) {
      let matches = matches(match, day)
      if matches, !matchedBefore { return day }
      matchedBefore = wantsFirst && matches
    }
    return nil
  }

  private func matches(_ match: CalendarMatch, _ day: Int) -> Bool {
    let date = calendar.dateComponents(Self.units, from: Self.noon(day))
    func holds(_ component: CalendarMatch.Component, _ value: Int?) -> Bool {
      guard let wanted = match[component] else { return true }
      return wanted == value
    }
    guard match.isLeapMonth == nil || match.isLeapMonth == (date.isLeapMonth ?? false) else {
      return false
    }
    return holds(.day, date.day) && holds(.month, date.month) && holds(.weekday, date.weekday)
      && holds(.year, date.year) && holds(.era, date.era) && holds(.quarter, date.quarter)
      && holds(.weekdayOrdinal, date.weekdayOrdinal) && holds(.weekOfMonth, date.weekOfMonth)
      && holds(.weekOfYear, date.weekOfYear)
      && holds(.yearForWeekOfYear, date.yearForWeekOfYear)
  }

  func day(from day: Int, months: Int, days: Int) -> Int? {
    let start = calendar.dateComponents([.day, .month], from: Self.noon(day))
    // Years of some calendars have a month more than others: twelve months are asked for as a year.
    let isYears = months % 12 == 0
    guard
      let moved = calendar.date(
        byAdding: isYears ? .year : .month, value: isYears ? months / 12 : months,
        to: Self.noon(day))
    else { return nil }
    let end = calendar.dateComponents([.day, .month], from: moved)
    // Foundation moves a date that does not exist to the last day before it.
    guard end.day == start.day, !isYears || end.month == start.month else { return nil }
    return Int((moved.timeIntervalSince1970 / 86_400).rounded(.down)) + days
  }

  private static let units: Set<Calendar.Component> = [
    .era, .year, .quarter, .month, .day, .weekday, .weekdayOrdinal, .weekOfMonth, .weekOfYear,
    .yearForWeekOfYear, .isLeapMonth,
  ]

  private static func noon(_ day: Int) -> Date {
    Date(timeIntervalSince1970: Double(day) * 86_400 + 43_200)
  }
}
