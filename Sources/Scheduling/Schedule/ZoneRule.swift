/// The rule at the end of a time-zone file, which applies after the last transition in the file.
///
/// The rule is a POSIX `TZ` string with the extensions of RFC 9636 section 3.3.1 (hours from -167 to 167).
struct ZoneRule: Equatable, Sendable {
  /// The part of the year in which daylight saving time is in effect.
  struct Daylight: Equatable, Sendable {
    var offset: Int
    var begins: Change
    var ends: Change
  }

  /// A yearly change of the clocks, expressed in the wall time that applies just before the change.
  struct Change: Equatable, Sendable {
    enum Day: Equatable, Sendable {
      /// `Jn`: day 1 to 365; February 29 is never counted.
      case dayWithoutLeap(Int)
      /// `n`: day 0 to 365; February 29 is counted.
      case dayOfYear(Int)
      /// `Mm.w.d`: the w-th weekday d (0 is Sunday) of month m; week 5 is the last week of the month.
      case weekday(month: Int, week: Int, weekday: Int)
    }
    var day: Day
    var seconds: Int

    /// Returns the wall time of the change in a year, in seconds since 1970.
    func wall(in year: Int) -> Int {
      let first = Gregorian.day(year, 1, 1)
      let found: Int
      switch day {
      case .dayWithoutLeap(let number):
        found = first + number - 1 + (Gregorian.isLeap(year) && number >= 60 ? 1 : 0)
      case .dayOfYear(let number):
        found = first + number
      case .weekday(let month, let week, let weekday):
        let start = Gregorian.day(year, month, 1)
        let into = Gregorian.floorRemainder(weekday + 1 - Gregorian.weekday(start), 7)
        let last = start + Gregorian.length(ofMonth: month, year) - 1
        var candidate = start + into + (week - 1) * 7
        if candidate > last { candidate -= 7 }
        found = candidate
      }
      return found * Gregorian.secondsPerDay + seconds
    }
  }

  var offset: Int
  var daylight: Daylight?

  /// Returns the changes in a year: each instant, and the offset that applies after it.
  func changes(in year: Int) -> [(instant: Int, offset: Int)] {
    guard let daylight else { return [] }
    return [
      (daylight.ends.wall(in: year) - daylight.offset, offset),
      (daylight.begins.wall(in: year) - offset, daylight.offset),
    ]
  }
}

extension ZoneRule {
  /// Parses a rule, for example `CET-1CEST,M3.5.0,M10.5.0/3`.
  ///
  /// Returns nil for any other text.
  init?(_ text: [UInt8]) {
    guard text.count <= ScheduleLimits.zoneRuleBytes else { return nil }
    var reader = RuleReader(text)
    guard reader.skipName(), let west = reader.time(hours: 24) else { return nil }
    // POSIX counts offsets westward, so the sign is inverted.
    self.init(offset: -west, daylight: nil)
    guard !reader.atEnd else { return }
    guard reader.skipName() else { return nil }
    var daylightOffset = offset + 3_600
    if !reader.atEnd, reader.peek != UInt8(ascii: ",") {
      guard let west = reader.time(hours: 24) else { return nil }
      daylightOffset = -west
    }
    guard reader.skip(","), let begins = reader.change(), reader.skip(","),
      let ends = reader.change(), reader.atEnd
    else { return nil }
    daylight = Daylight(offset: daylightOffset, begins: begins, ends: ends)
  }
}

/// A reader of a rule's bytes that checks for the end of the bytes at every step.
private struct RuleReader {
  private let text: [UInt8]
  private var position = 0

  init(_ text: [UInt8]) { self.text = text }

  var atEnd: Bool { position >= text.count }
  var peek: UInt8? { position < text.count ? text[position] : nil }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard peek == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  /// Skips a name: at least three letters, or letters, digits, and signs in angle brackets.
  mutating func skipName() -> Bool {
    if skip("<") {
      let start = position
      while let byte = peek, byte != UInt8(ascii: ">") {
        guard isLetter(byte) || isDigit(byte) || byte == 0x2B || byte == 0x2D else { return false }
        position += 1
      }
      return position > start && skip(">")
    }
    let start = position
    while let byte = peek, isLetter(byte) { position += 1 }
    return position - start >= 3
  }

  /// Reads a number of at most three digits, up to a bound.
  mutating func number(upTo bound: Int) -> Int? {
    var value = 0
    let start = position
    while let byte = peek, isDigit(byte), position - start < 3 {
      value = value * 10 + Int(byte) - 0x30
      position += 1
    }
    return position > start && value <= bound ? value : nil
  }

  /// Reads a time in the form `[+-]hh[:mm[:ss]]` and returns it in seconds.
  mutating func time(hours bound: Int) -> Int? {
    var sign = 1
    if skip("-") { sign = -1 } else { _ = skip("+") }
    guard let hours = number(upTo: bound) else { return nil }
    var seconds = hours * 3_600
    if skip(":") {
      guard let minutes = number(upTo: 59) else { return nil }
      seconds += minutes * 60
      if skip(":") {
        guard let rest = number(upTo: 59) else { return nil }
        seconds += rest
      }
    }
    return sign * seconds
  }

  mutating func change() -> ZoneRule.Change? {
    let day: ZoneRule.Change.Day
    if skip("M") {
      guard let month = number(upTo: 12), month >= 1, skip("."),
        let week = number(upTo: 5), week >= 1, skip("."), let weekday = number(upTo: 6)
      else { return nil }
      day = .weekday(month: month, week: week, weekday: weekday)
    } else if skip("J") {
      guard let number = number(upTo: 365), number >= 1 else { return nil }
      day = .dayWithoutLeap(number)
    } else {
      guard let number = number(upTo: 365) else { return nil }
      day = .dayOfYear(number)
    }
    guard skip("/") else { return ZoneRule.Change(day: day, seconds: 7_200) }
    guard let seconds = time(hours: 167) else { return nil }
    return ZoneRule.Change(day: day, seconds: seconds)
  }

  private func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A }
  private func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
}
