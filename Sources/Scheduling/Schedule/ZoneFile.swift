/// A time-zone file from the system (TZif, RFC 9636 versions 1 to 4), parsed as untrusted bytes.
public enum ZoneFile {
  /// The error for a file that does not contain a usable zone.
  public enum Failure: Error, Equatable, Sendable {
    /// The file is larger than `ScheduleLimits.zoneFileBytes`.
    case tooLarge
    /// The file is truncated, or does not start like a time-zone file.
    case malformed
    /// Counts or indices contradict each other, or there are more transitions than allowed.
    case inconsistent
    /// The file counts leap seconds, so its times differ from those of POSIX clocks.
    case leapSeconds
    /// An offset is outside the range of RFC 9636 section 3.2.
    case offsetOutOfRange
    /// The rule at the end of the file is not a POSIX `TZ` string.
    case malformedRule
  }

  /// Parses a time-zone file.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - name: The zone's name, for example `Europe/Paris`.
  /// - Returns: The time zone.
  /// - Throws: The error in the bytes.
  public static func read(_ bytes: Span<UInt8>, name: String) throws(Failure) -> Zone {
    guard bytes.count <= ScheduleLimits.zoneFileBytes else { throw .tooLarge }
    let first = try Header(bytes, at: 0)
    guard first.version >= 2 else {
      return try zone(bytes, first, timeBytes: 4, name: name, rule: nil)
    }
    let second = try Header(bytes, at: Header.length + first.bodyLength(timeBytes: 4))
    let footer = second.start + Header.length + second.bodyLength(timeBytes: 8)
    let rule = try rule(bytes, from: footer)
    return try zone(bytes, second, timeBytes: 8, name: name, rule: rule)
  }

  /// The header at the beginning of a data block, with the block's six counts.
  private struct Header {
    static let length = 44

    let start: Int
    let version: Int
    let universalFlags: Int
    let standardFlags: Int
    let leaps: Int
    let times: Int
    let types: Int
    let characters: Int

    init(_ bytes: Span<UInt8>, at start: Int) throws(Failure) {
      guard start >= 0, start <= bytes.count, bytes.count - start >= Self.length,
        bytes[start] == UInt8(ascii: "T"), bytes[start + 1] == UInt8(ascii: "Z"),
        bytes[start + 2] == UInt8(ascii: "i"), bytes[start + 3] == UInt8(ascii: "f")
      else { throw .malformed }
      self.start = start
      let digit = bytes[start + 4]
      version = digit == 0 ? 1 : Int(digit) - 0x30
      universalFlags = bytes.unsigned(at: start + 20)
      standardFlags = bytes.unsigned(at: start + 24)
      leaps = bytes.unsigned(at: start + 28)
      times = bytes.unsigned(at: start + 32)
      types = bytes.unsigned(at: start + 36)
      characters = bytes.unsigned(at: start + 40)
      guard version >= 1, types >= 1, types <= 256, times <= ScheduleLimits.zoneTransitions
      else { throw .inconsistent }
      // The sum of the 32-bit counts cannot overflow. It must not exceed the number of remaining bytes.
      guard bodyLength(timeBytes: 4) <= bytes.count - start - Self.length else { throw .malformed }
    }

    func bodyLength(timeBytes: Int) -> Int {
      times * (timeBytes + 1) + types * 6 + characters + leaps * (timeBytes + 4) + standardFlags
        + universalFlags
    }
  }

  private static func rule(_ bytes: Span<UInt8>, from start: Int) throws(Failure) -> ZoneRule? {
    guard start < bytes.count, bytes[start] == 0x0A else { throw .malformed }
    var end = start + 1
    while end < bytes.count, bytes[end] != 0x0A { end += 1 }
    guard end < bytes.count else { throw .malformed }
    guard end > start + 1 else { return nil }
    guard end - start <= ScheduleLimits.zoneRuleBytes else { throw .malformedRule }
    var text: [UInt8] = []
    for index in (start + 1)..<end { text.append(bytes[index]) }
    guard let rule = ZoneRule(text) else { throw .malformedRule }
    guard ScheduleLimits.zoneOffsetSeconds.contains(rule.offset),
      ScheduleLimits.zoneOffsetSeconds.contains(rule.daylight?.offset ?? 0)
    else { throw .offsetOutOfRange }
    return rule
  }

  private static func zone(
    _ bytes: Span<UInt8>, _ header: Header, timeBytes: Int, name: String, rule: ZoneRule?
  ) throws(Failure) -> Zone {
    let body = header.start + Header.length
    guard header.bodyLength(timeBytes: timeBytes) <= bytes.count - body else { throw .malformed }
    guard header.leaps == 0 else { throw .leapSeconds }
    let indices = body + header.times * timeBytes
    let records = indices + header.times

    var types: [Int] = []
    var first: Int?
    types.reserveCapacity(header.types)
    for index in 0..<header.types {
      let offset = bytes.signed(at: records + index * 6)
      guard ScheduleLimits.zoneOffsetSeconds.contains(offset) else { throw .offsetOutOfRange }
      if first == nil, bytes[records + index * 6 + 4] == 0 { first = offset }
      types.append(offset)
    }

    var table = ZoneTable(before: first ?? types[0])
    var last = Int.min
    for index in 0..<header.times {
      let position = body + index * timeBytes
      let time = timeBytes == 8 ? bytes.signed64(at: position) : bytes.signed(at: position)
      let type = Int(bytes[indices + index])
      guard time > last || index == 0, type < types.count else { throw .inconsistent }
      last = time
      table.append(time, types[type])
    }
    return Zone(name: name, table: table, until: last, rule: rule)
  }
}

extension Span<UInt8> {
  /// Reads four big-endian bytes.
  ///
  /// The caller must check that the bytes exist.
  fileprivate func unsigned(at position: Int) -> Int {
    var value = 0
    for index in position..<(position + 4) { value = value << 8 | Int(self[index]) }
    return value
  }

  fileprivate func signed(at position: Int) -> Int {
    Int(Int32(truncatingIfNeeded: unsigned(at: position)))
  }

  fileprivate func signed64(at position: Int) -> Int {
    unsigned(at: position) << 32 | unsigned(at: position + 4)
  }
}
