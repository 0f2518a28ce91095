internal import BelfryWire

/// The encoding of persisted triggers: a version, a kind, and then numbers and names.
///
/// Numbers are zigzag varints. A name consists of its length and its UTF-8 bytes. The decoder treats the bytes as
/// untrusted.
extension Trigger {
  private static let version: UInt8 = 1

  /// The encoded bytes, which `init(bytes:)` decodes.
  public var bytes: [UInt8] {
    var writer = TriggerWriter()
    writer.bytes.append(Self.version)
    switch self {
    case .interval(let milliseconds, let repeats):
      writer.put(0, milliseconds, repeats ? 1 : 0)
    case .calendar(let match, let repeats):
      writer.put(1, repeats ? 1 : 0)
      writer.put(match)
    case .moment(let start, let period):
      switch start {
      case .instant(let milliseconds): writer.put(2, milliseconds)
      case .wall(let seconds, let zone):
        writer.put(3, Int64(seconds))
        writer.put(zone)
      }
      switch period.length {
      case .none: writer.put(0)
      case .span(let months, let days, let seconds):
        writer.put(1, Int64(months), Int64(days), Int64(seconds))
      case .weekYears(let years): writer.put(2, Int64(years))
      }
      writer.put(period.weeks, period.calendar, period.zone)
    }
    return writer.bytes
  }

  /// Decodes ``bytes``.
  ///
  /// Returns nil for bytes that are not a valid encoding.
  public init?(bytes: Span<UInt8>) {
    guard bytes.count > 1, bytes[0] == Self.version else { return nil }
    var reader = TriggerReader(bytes.copied(), from: 1)
    switch reader.number() {
    case 0:
      self = .interval(milliseconds: reader.number(), repeats: reader.number() != 0)
    case 1:
      let repeats = reader.number() != 0
      self = .calendar(reader.match(), repeats: repeats)
    case 2:
      let start = Start.instant(reader.number())
      self = .moment(start, every: reader.period())
    case 3:
      let seconds = Int(reader.number())
      let start = Start.wall(seconds, reader.zone())
      self = .moment(start, every: reader.period())
    default: return nil
    }
    guard reader.isWhole else { return nil }
  }
}

private struct TriggerWriter {
  var bytes: [UInt8] = []

  mutating func put(_ numbers: Int64...) {
    for number in numbers {
      var rest = UInt64(bitPattern: (number << 1) ^ (number >> 63))
      while rest >= 0x80 {
        bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
      }
      bytes.append(UInt8(rest))
    }
  }

  mutating func put(_ name: String) {
    put(Int64(name.utf8.count))
    bytes.append(contentsOf: name.utf8)
  }

  mutating func put(_ zone: ZoneChoice) {
    switch zone {
    case .floating: put("")
    case .named(let name): put(name)
    }
  }

  mutating func put(_ weeks: WeekRule, _ calendar: CalendarName, _ zone: ZoneChoice) {
    put(Int64(weeks.firstWeekday), Int64(weeks.minimumDays))
    switch calendar {
    case .gregorian: put("")
    case .other(let name): put(name)
    }
    put(zone)
  }

  /// Writes a bit set of the components that are present, then their values in order.
  mutating func put(_ match: CalendarMatch) {
    var present: Int64 = 0
    for component in CalendarMatch.Component.allCases where match[component] != nil {
      present |= 1 << component.rawValue
    }
    put(present)
    for component in CalendarMatch.Component.allCases {
      if let value = match[component] { put(Int64(value)) }
    }
    put(match.isLeapMonth.map { $0 ? 2 : 1 } ?? 0)
    put(match.weeks, match.calendar, match.zone)
  }
}

/// A reader that treats damaged bytes as zeros, continues to read, and records the damage.
private struct TriggerReader {
  private let bytes: [UInt8]
  private var position: Int
  private var isDamaged = false

  init(_ bytes: [UInt8], from position: Int) {
    self.bytes = bytes
    self.position = position
  }

  /// True if all bytes were read and were valid.
  var isWhole: Bool { !isDamaged && position == bytes.count }

  mutating func number() -> Int64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard position < bytes.count else { break }
      let byte = bytes[position]
      position += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return Int64(bitPattern: (value >> 1)) ^ -Int64(bitPattern: value & 1) }
    }
    isDamaged = true
    return 0
  }

  mutating func name() -> String {
    let count = number()
    guard count >= 0, count <= bytes.count - position else {
      isDamaged = true
      return ""
    }
    let end = position + Int(count)
    defer { position = end }
    return String(decoding: bytes[position..<end], as: UTF8.self)
  }

  mutating func zone() -> ZoneChoice {
    let name = name()
    return name.isEmpty ? .floating : .named(name)
  }

  mutating func shared() -> (WeekRule, CalendarName, ZoneChoice) {
    let weeks = WeekRule(firstWeekday: Int(number()), minimumDays: Int(number()))
    let calendar = name()
    return (weeks, calendar.isEmpty ? .gregorian : .other(calendar), zone())
  }

  mutating func match() -> CalendarMatch {
    var match = CalendarMatch()
    let present = number()
    for component in CalendarMatch.Component.allCases
    where present & (1 << component.rawValue) != 0 {
      match[component] = Int(number())
    }
    switch number() {
    case 1: match.isLeapMonth = false
    case 2: match.isLeapMonth = true
    default: break
    }
    (match.weeks, match.calendar, match.zone) = shared()
    return match
  }

  mutating func period() -> Period {
    var period: Period
    switch number() {
    case 1:
      period = Period(
        .span(months: Int(number()), days: Int(number()), seconds: Int(number())))
    case 2: period = Period(.weekYears(Int(number())))
    default: period = .once
    }
    (period.weeks, period.calendar, period.zone) = shared()
    return period
  }
}
