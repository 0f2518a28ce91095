import Agent
import AppWire
import Scheduling
import System

/// The trigger of a notification from `belfry notify`, parsed from its options.
enum NotifyTrigger {
  /// Parses the options.
  ///
  /// `now` returns the agent's time, in milliseconds since 1970.
  static func read(
    _ options: CommandLineOptions, now: () throws -> Int64
  ) throws -> NotificationTrigger? {
    let given = ["in", "at", "matching", "near"].filter { options.value($0) != nil }
    guard given.count <= 1 else {
      throw UsageError(
        "--\(given.joined(separator: " and --")) cannot be combined: use one of them")
    }
    if options.has("repeat"), given.isEmpty || given == ["at"] {
      throw UsageError("--repeat requires --in, --matching or --near; use --every with --at")
    }
    if options.value("every") != nil, given.isEmpty || given == ["near"] {
      throw UsageError("--every requires --at, --in or --matching")
    }
    if options.value("every") != nil, options.has("repeat") {
      throw UsageError("--repeat and --every cannot be combined: use one of them")
    }
    if options.value("zone") != nil, given != ["at"] {
      throw UsageError("--zone requires --at; use zone=NAME in --matching")
    }
    if options.value("on") != nil, given != ["near"] {
      throw UsageError("--on requires --near")
    }
    switch given.first {
    case "in": return try interval(options, now: now)
    case "at": return try moment(options)
    case "matching": return try matching(options)
    case "near": return try region(options)
    default: return nil
    }
  }

  private static func interval(
    _ options: CommandLineOptions, now: () throws -> Int64
  ) throws -> NotificationTrigger {
    let text = try options.required("in")
    guard let seconds = DurationText.seconds(text), seconds > 0, seconds <= secondsMax else {
      throw CommandLineOptions.Problem.badValue(
        key: "in", value: text, wanted: "\(DurationText.wanted), above 0 and up to 3,000 years")
    }
    guard !options.has("repeat") || seconds >= Double(ScheduleLimits.shortestRepeatSeconds)
    else {
      throw CommandLineOptions.Problem.badValue(
        key: "in", value: text,
        wanted: "at least \(ScheduleLimits.shortestRepeatSeconds) seconds with --repeat")
    }
    guard let recurrence = try every(options, zone: nil) else {
      return .interval(seconds: seconds, repeats: options.has("repeat"))
    }
    // Repeat at the time of day of the first date, for example, every day or every week.
    let milliseconds = Int64((seconds * 1_000).rounded())
    return .date(
      unixMilliseconds: try now() + milliseconds, zone: nil, recurrence: recurrence,
      recurrenceCalendar: nil)
  }

  /// The maximum number of seconds (about 3,000 years): more than any user needs, but small enough not to overflow when
  /// converted to milliseconds.
  static let secondsMax = 1e11

  private static func matching(_ options: CommandLineOptions) throws -> NotificationTrigger {
    let text = try options.required("matching")
    let match: CalendarMatch
    do {
      match = try CalendarMatch(matching: text)
    } catch {
      throw UsageError("--matching: \(error)")
    }
    if let word = try options.choice("every", of: Period.words), word != match.repetitionWord {
      throw UsageError(
        "--matching '\(text)' repeats every \(match.repetitionWord ?? "match"): use --repeat")
    }
    let repeats = options.has("repeat") || options.value("every") != nil
    return .calendar(MatchingComponents(match), repeats: repeats)
  }

  private static func region(_ options: CommandLineOptions) throws -> NotificationTrigger {
    let text = try options.required("near")
    let numbers = text.split(separator: ",").compactMap { Double($0) }
    func require(_ isValid: Bool, _ wanted: String) throws(CommandLineOptions.Problem) {
      guard isValid else { throw .badValue(key: "near", value: text, wanted: wanted) }
    }
    try require(numbers.count == 3, "LAT,LON,RADIUS_M, such as 48.858,2.294,200")
    try require(abs(numbers[0]) <= 90, "a latitude (LAT) from -90 to 90")
    try require(abs(numbers[1]) <= 180, "a longitude (LON) from -180 to 180")
    try require(
      numbers[2] > 0 && numbers[2].isFinite, "a radius in meters (RADIUS_M) greater than 0")
    let isExit = try options.choice("on", of: ["entry", "exit"]) == "exit"
    return .region(
      NotificationRegion(
        id: text,
        shape: .circle(latitude: numbers[0], longitude: numbers[1], radius: numbers[2]),
        notifiesOnEntry: !isExit, notifiesOnExit: isExit), repeats: options.has("repeat"))
  }

  // MARK: - Dates and times

  private static func moment(_ options: CommandLineOptions) throws -> NotificationTrigger {
    let text = try options.required("at")
    let zone = options.value("zone").flatMap { $0 == "floating" ? nil : $0 }
    if let time = TimeOfDay(text) { return try next(time, zone: zone, options) }
    guard let (wall, offset) = parse(text) else {
      throw CommandLineOptions.Problem.badValue(
        key: "at", value: text,
        wanted: validDays(text)
          ?? "a time such as 18:00, 2026-11-21T18:00, 2026-11-21T18:00:30+01:00 or …Z")
    }
    let known = zone.flatMap { ZoneDatabase.system.zone(named: $0) }
    if let zone, known == nil {
      throw CommandLineOptions.Problem.badValue(
        key: "zone", value: zone, wanted: "floating or a zone such as Europe/Paris")
    }
    if let offset {
      // A time with an offset is the same instant in every zone; its repetitions keep the wall time at that offset.
      return .date(
        unixMilliseconds: (wall - offset) * 1_000, zone: nil,
        recurrence: try every(options, zone: ZoneDatabase.name(ofOffset: Int(offset))),
        recurrenceCalendar: nil)
    }
    let recurrence = try every(options, zone: zone)
    guard let known else {
      // Fire at the wall time that this instant has in UTC, in whichever time zone the device is.
      return .date(
        unixMilliseconds: wall * 1_000, zone: "UTC", recurrence: recurrence,
        recurrenceCalendar: nil)
    }
    return .date(
      unixMilliseconds: Int64(known.firstInstant(ofWall: Int(wall))) * 1_000, zone: nil,
      recurrence: recurrence, recurrenceCalendar: nil)
  }

  /// Returns the valid days of the month if a time begins with a day that the month does not have; nil for any other
  /// error.
  private static func validDays(_ text: String) -> String? {
    let parts = text.prefix(10).split(separator: "-", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part -> Int? in
      part.allSatisfy { $0.isASCII && $0.isNumber } ? Int(part) : nil
    }
    guard parts.map(\.count) == [4, 2, 2], numbers.count == 3, (1...12).contains(numbers[1]) else {
      return nil
    }
    let last = Gregorian.length(ofMonth: numbers[1], numbers[0])
    return (1...last).contains(numbers[2])
      ? nil : "a day from 01 to \(last) in \(parts[0])-\(parts[1])"
  }

  /// Returns a trigger for the next occurrence of a time of day, in the given time zone or, without one, in the zone
  /// that the device is in at that time.
  private static func next(
    _ time: TimeOfDay, zone: String?, _ options: CommandLineOptions
  ) throws -> NotificationTrigger {
    if let zone, ZoneDatabase.system.zone(named: zone) == nil {
      throw CommandLineOptions.Problem.badValue(
        key: "zone", value: zone, wanted: "floating or a zone such as Europe/Paris")
    }
    let every = try options.choice("every", of: Period.words)
    guard every == nil || every == "day" else {
      throw UsageError("--at \(time.text) repeats every day: use --every day, or add a date")
    }
    let components = MatchingComponents(
      [.hour: time.hour, .minute: time.minute, .second: time.second], zone: zone)
    return .calendar(components, repeats: every != nil)
  }

  private static func every(_ options: CommandLineOptions, zone: String?) throws
    -> NotificationTrigger.Recurrence?
  {
    guard let word = try options.choice("every", of: Period.words) else { return nil }
    let units: [String: (MatchingComponents.Unit, Int64)] = [
      "minute": (.minute, 1), "hour": (.hour, 1), "day": (.day, 1), "week": (.day, 7),
      "month": (.month, 1), "quarter": (.month, 3), "year": (.year, 1),
    ]
    guard let (unit, count) = units[word] else { return nil }
    return .components(MatchingComponents([unit: count], zone: zone))
  }

  /// Parses an instant and returns it in milliseconds since 1970, or nil if the text doesn't contain an offset.
  static func instant(_ text: String) -> Int64? {
    guard let (wall, offset) = parse(text), let offset else { return nil }
    return (wall - offset) * 1_000
  }

  /// Parses a time; returns the wall time, in seconds since 1970-01-01T00:00, and the offset if the text contains one.
  private static func parse(_ text: String) -> (wall: Int64, offset: Int64?)? {
    var rest = text[...]
    func number(_ digits: Int, after separator: Character?) -> Int? {
      if let separator {
        guard rest.first == separator else { return nil }
        rest.removeFirst()
      }
      let word = rest.prefix(digits)
      guard word.count == digits, word.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
      rest = rest.dropFirst(digits)
      return Int(word)
    }
    guard let year = number(4, after: nil), let month = number(2, after: "-"),
      let day = number(2, after: "-")
    else { return nil }
    if let separator = rest.first, separator == "t" || separator == " " {
      rest = "T" + rest.dropFirst()
    }
    // The hour can have one digit, as in 9:00.
    if rest.first == "T", rest.dropFirst(2).first == ":" { rest = "T0" + rest.dropFirst() }
    guard let hour = number(2, after: "T"), let minute = number(2, after: ":") else { return nil }
    var second = 0
    if rest.first == ":" {
      guard let given = number(2, after: ":") else { return nil }
      second = given
    }
    guard (1...12).contains(month), day >= 1, day <= Gregorian.length(ofMonth: month, year),
      hour < 24, minute < 60, second < 60
    else { return nil }
    let wall = Int64(
      Gregorian.day(year, month, day) * Gregorian.secondsPerDay + hour * 3_600 + minute * 60
        + second)
    switch rest.first {
    case nil: return (wall, nil)
    case "Z", "z": return rest.count == 1 ? (wall, 0) : nil
    case let sign? where sign == "+" || sign == "-":
      guard let hours = number(2, after: sign), let minutes = number(2, after: ":"), rest.isEmpty,
        hours < 24, minutes < 60
      else { return nil }
      let offset = Int64(hours * 3_600 + minutes * 60)
      return (wall, sign == "-" ? -offset : offset)
    default: return nil
    }
  }
}

/// A time of day, such as `18:00` or `7:05:30`.
private struct TimeOfDay {
  let text: String
  let hour: Int64
  let minute: Int64
  let second: Int64

  init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part -> Int64? in
      part.count <= 2 && part.allSatisfy { $0.isASCII && $0.isNumber } ? Int64(part) : nil
    }
    guard (2...3).contains(parts.count), numbers.count == parts.count,
      parts.dropFirst().allSatisfy({ $0.count == 2 }), numbers[0] < 24,
      numbers.dropFirst().allSatisfy({ $0 < 60 })
    else { return nil }
    self.text = text
    (hour, minute, second) = (numbers[0], numbers[1], numbers.count > 2 ? numbers[2] : 0)
  }
}
