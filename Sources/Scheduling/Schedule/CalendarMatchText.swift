/// A parser for the text of `belfry notify --matching`: `weekday=2 hour=9`, with the names of `DateComponents`.
extension CalendarMatch {
  /// The error for text that is not a valid match.
  public enum TextFailure: Error, Equatable, Sendable {
    /// The text contains no components, or is longer than `ScheduleLimits.matchingTextBytes`.
    case empty, tooLong
    /// A word is not of the form `name=value`.
    case notAPair(String)
    /// `DateComponents` does not define the name.
    case unknownName(String)
    /// The name occurs twice.
    case repeated(String)
    /// The value is not an integer.
    case notANumber(name: String, value: String, range: ClosedRange<Int>)
    /// The value is outside the range of the component.
    case outOfRange(name: String, value: Int, range: ClosedRange<Int>)
    /// The value is empty, but a name is required.
    case missingValue(name: String)
  }

  /// Parses `name=value` pairs separated by spaces or commas.
  ///
  /// In addition to the components, the text can contain `zone` (a name, or `floating`), `calendar`, `firstWeekday` and
  /// `minimumDays` (1 to 7).
  ///
  /// - Parameter text: The text, for example `weekday=2 hour=9 zone=Europe/Paris`.
  /// - Throws: The first error in the text.
  public init(matching text: String) throws(TextFailure) {
    guard text.utf8.count <= ScheduleLimits.matchingTextBytes else { throw .tooLong }
    self.init()
    var seen: [Substring] = []
    for word in text.split(whereSeparator: { $0.isWhitespace || $0 == "," }) {
      guard let equals = word.firstIndex(of: "=") else { throw .notAPair(String(word)) }
      let name = word[..<equals]
      let value = word[word.index(after: equals)...]
      guard !seen.contains(name) else { throw .repeated(String(name)) }
      seen.append(name)
      try read(name, value)
    }
    guard constrainsDate || constrainsTime else { throw .empty }
  }

  private mutating func read(_ name: Substring, _ value: Substring) throws(TextFailure) {
    guard !value.isEmpty else { throw .missingValue(name: String(name)) }
    switch name {
    case "zone":
      zone = value == "floating" ? .floating : .named(String(value))
    case "calendar":
      calendar = value == "gregorian" ? .gregorian : .other(String(value))
    case "firstWeekday":
      weeks = WeekRule(
        firstWeekday: try number(name, value, in: 1...7), minimumDays: Int(weeks.minimumDays))
    case "minimumDays":
      weeks = WeekRule(
        firstWeekday: Int(weeks.firstWeekday), minimumDays: try number(name, value, in: 1...7))
    default:
      guard let component = Component(name: name) else { throw .unknownName(String(name)) }
      self[component] = try number(name, value, in: Self.range(of: component))
    }
  }

  private func number(
    _ name: Substring, _ value: Substring, in range: ClosedRange<Int>
  ) throws(TextFailure) -> Int {
    guard let number = Int(value) else {
      throw .notANumber(name: String(name), value: String(value), range: range)
    }
    guard range.contains(number) else {
      throw .outOfRange(name: String(name), value: number, range: range)
    }
    return number
  }

  /// The interval at which the match repeats, as a word in `Period.words`; nil if the match occurs only once.
  ///
  /// The coarsest specified component determines the interval.
  public var repetitionWord: String? {
    switch Component.allCases.first(where: { $0 != .era && self[$0] != nil }) {
    case .quarter, .month, .weekOfYear: "year"
    case .weekOfMonth, .weekdayOrdinal, .day: "month"
    case .weekday: "week"
    case .hour: "day"
    case .minute: "hour"
    case .second: "minute"
    case .era, .year, .yearForWeekOfYear, nil: nil
    }
  }
}

extension CalendarMatch.Component {
  /// Creates the component with this `DateComponents` name, for example `weekOfYear`.
  public init?(name: some StringProtocol) {
    guard let found = Self.allCases.first(where: { "\($0)" == name }) else { return nil }
    self = found
  }
}

extension CalendarMatch.TextFailure: CustomStringConvertible {
  /// A description of the error and its remedy.
  public var description: String {
    switch self {
    case .empty: "no component to match: add at least one, for example hour=9"
    case .tooLong: "more than \(ScheduleLimits.matchingTextBytes) bytes: give each component once"
    case .notAPair(let word): "'\(word)' is not a component: write name=value"
    case .unknownName(let name):
      "unknown component '\(name)': use "
        + CalendarMatch.Component.allCases.map { "\($0)" }.joined(separator: " ")
        + " zone calendar firstWeekday minimumDays"
    case .repeated(let name): "'\(name)' can only be given once"
    case .notANumber(let name, let value, let range):
      "invalid value '\(value)' for \(name): expected a whole number from "
        + Self.values(of: name, in: range)
    case .outOfRange(let name, let value, let range):
      "invalid value '\(value)' for \(name): expected " + Self.values(of: name, in: range)
    case .missingValue(let name): "\(name)= has no value: write \(name)=VALUE"
    }
  }

  /// Describes the range of a component, and the numbers of the days of the week.
  private static func values(of name: String, in range: ClosedRange<Int>) -> String {
    let isDay = ["weekday", "firstWeekday"].contains(name)
    return "\(range.lowerBound) to \(range.upperBound)" + (isDay ? ", where 1 is Sunday" : "")
  }
}
