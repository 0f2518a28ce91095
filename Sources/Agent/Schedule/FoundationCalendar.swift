import Scheduling
import Foundation

/// A non-Gregorian calendar from Foundation.
///
/// Foundation converts days to dates. This class finds the days that match, by the same rule as for the Gregorian
/// calendar.
package final class FoundationCalendar: CalendarSystem {
  private var calendar: Calendar
  /// The months that searches have skipped, keyed by their first day.
  ///
  /// The months are cached because Foundation needs microseconds for each month.
  private var months: [Int: Month] = [:]

  /// The values that all days of a month have in common.
  private struct Month {
    let era: Int?
    let year: Int?
    let number: Int?
    let isLeap: Bool
    let length: Int

    /// Returns the number of days at the beginning of the month that cannot match.
    func daysToSkip(_ match: CalendarMatch) -> Int {
      func holds(_ component: CalendarMatch.Component, _ value: Int?) -> Bool {
        match[component].map { $0 == value } ?? true
      }
      guard holds(.month, number), holds(.year, year), holds(.era, era),
        match.isLeapMonth.map({ $0 == isLeap }) ?? true
      else { return length }
      guard let day = match[.day] else { return 0 }
      return min(max(0, day - 1), length)
    }
  }

  /// Creates a calendar from the identifier of `Calendar.Identifier` or its BCP 47 name; nil for any other name.
  package init?(named name: String) {
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
    guard isPossible(match) else { return nil }
    // A match that specifies only a week or a longer unit refers to the first day of that unit.
    let wantsFirst = !match.constrainsDay && !match.constrainsTime
    var matchedBefore = wantsFirst && mismatch(match, first - 1) == nil
    var day = first
    while day < first + Limits.calendarSearchDays {
      if let skipped = months[day]?.daysToSkip(match), skipped > 0 {
        day += skipped
        matchedBefore = false
      } else if let mismatch = mismatch(match, day) {
        // Skip only days that cannot match.
        day += step(over: mismatch, match, from: day)
        matchedBefore = false
      } else {
        if !matchedBefore { return day }
        day += 1
      }
    }
    return nil
  }

  /// The number of times that Foundation was queried for a day: the cost of a search.
  private(set) var lookUps = 0

  /// The component in which a day does not match.
  private enum Mismatch {
    case month, week, weekday, day, other
  }

  /// Returns false if, according to Foundation's bounds, no date of the calendar can match.
  ///
  /// The bounds can be too wide, so true does not guarantee that such a date exists.
  private func isPossible(_ match: CalendarMatch) -> Bool {
    func holds(_ component: CalendarMatch.Component, _ unit: Calendar.Component) -> Bool {
      guard let wanted = match[component], let range = calendar.maximumRange(of: unit) else {
        return true
      }
      return range.contains(wanted)
    }
    // No month has more than 35 days, so each weekday occurs at most five times in a month.
    if let ordinal = match[.weekdayOrdinal], !(1...5).contains(ordinal) { return false }
    return holds(.day, .day) && holds(.month, .month) && holds(.weekday, .weekday)
      && holds(.weekOfMonth, .weekOfMonth) && holds(.weekOfYear, .weekOfYear)
  }

  /// Returns the component in which a day does not match, checking the longest period first; nil if the day matches.
  private func mismatch(_ match: CalendarMatch, _ day: Int) -> Mismatch? {
    lookUps += 1
    let date = calendar.dateComponents(Self.units, from: Self.noon(day))
    func holds(_ component: CalendarMatch.Component, _ value: Int?) -> Bool {
      guard let wanted = match[component] else { return true }
      return wanted == value
    }
    let isMonth =
      holds(.month, date.month) && holds(.year, date.year) && holds(.era, date.era)
      && holds(.quarter, date.quarter)
      && (match.isLeapMonth == nil || match.isLeapMonth == (date.isLeapMonth ?? false))
    if !isMonth { return .month }
    if !holds(.day, date.day) { return .day }
    let isWeek =
      holds(.weekOfMonth, date.weekOfMonth) && holds(.weekOfYear, date.weekOfYear)
      && holds(.yearForWeekOfYear, date.yearForWeekOfYear)
    // A week can be split by the end of a month, so its days are checked one by one.
    if !isWeek { return match[.weekOfMonth] == nil ? .week : .other }
    if !holds(.weekday, date.weekday) { return .weekday }
    return holds(.weekdayOrdinal, date.weekdayOrdinal) ? nil : .other
  }

  /// Returns the number of days to the next day that could match.
  private func step(over mismatch: Mismatch, _ match: CalendarMatch, from day: Int) -> Int {
    let date = calendar.dateComponents(
      [.era, .year, .month, .day, .weekday, .isLeapMonth], from: Self.noon(day))
    guard let number = date.day, let weekday = date.weekday else { return 1 }
    switch mismatch {
    case .other: return 1
    case .weekday:
      guard let wanted = match[.weekday] else { return 1 }
      return max(1, (wanted - weekday + 7) % 7)
    case .week:
      let left = (calendar.firstWeekday - weekday + 7) % 7
      return left == 0 ? 7 : left
    case .month, .day:
      if case .day = mismatch, let wanted = match[.day], wanted > number { return wanted - number }
      guard let days = calendar.range(of: .day, in: .month, for: Self.noon(day))?.count else {
        return 1
      }
      let rest = days - number + 1
      guard rest > 0 else { return 1 }
      // Japan's eras can begin on any day, and the year number changes with them.
      guard calendar.component(.era, from: Self.noon(day + rest)) == date.era else { return 1 }
      // A full cache suggests that the clock was set to a distant time, which makes the cached months useless.
      if months.count >= Limits.calendarMonths { months = [:] }
      if number == 1 {
        months[day] = Month(
          era: date.era, year: date.year, number: date.month, isLeap: date.isLeapMonth ?? false,
          length: rest)
      }
      return rest
    }
  }

  func repeatedDay(_ count: Int, from day: Int, months: Int, days: Int) -> RepeatedDay? {
    lookUps += 1
    let start = calendar.dateComponents([.day, .month], from: Self.noon(day))
    // Some calendars have years with an additional month, so a period of twelve months counts as one year. Four periods
    // of three months do not.
    let isYears = months.isMultiple(of: 12)
    guard
      let moved = calendar.date(
        byAdding: isYears ? .year : .month, value: count * (isYears ? months / 12 : months),
        to: Self.noon(day))
    else { return nil }
    let end = calendar.dateComponents([.day, .month], from: moved)
    // Foundation moves a date that does not exist to the last day before it.
    return RepeatedDay(
      day: Int((moved.timeIntervalSince1970 / 86_400).rounded(.down)) + count * days,
      exists: end.day == start.day && (!isYears || end.month == start.month))
  }

  private static let units: Set<Calendar.Component> = [
    .era, .year, .quarter, .month, .day, .weekday, .weekdayOrdinal, .weekOfMonth, .weekOfYear,
    .yearForWeekOfYear, .isLeapMonth,
  ]

  private static func noon(_ day: Int) -> Date {
    Date(timeIntervalSince1970: Double(day) * 86_400 + 43_200)
  }
}
