import Scheduling
import Foundation
import Testing

/// Zones from this machine's database, and zones constructed by the tests.
enum TestZones {
  static func system(_ name: String) throws -> Zone {
    let data = try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/\(name)"))
    return try ZoneFile.read([UInt8](data).span, name: name)
  }

  /// Returns a version 2 file that contains only a single type and a rule.
  static func file(rule: String, offset: Int32 = 0, version: Character = "2") -> [UInt8] {
    file(rule: rule, types: [(offset, false)], version: version)
  }

  /// Returns a version 2 file with types and a rule; transitions and leap seconds are only in the second block.
  static func file(
    rule: String, types: [(offset: Int32, isDaylight: Bool)],
    transitions: [(instant: Int, type: UInt8)] = [], leapSeconds: Int = 0, version: Character = "2"
  ) -> [UInt8] {
    block(version, types, timeBytes: 4)
      + block(version, types, transitions, leapSeconds: leapSeconds, timeBytes: 8)
      + Array("\n\(rule)\n".utf8)
  }

  /// Returns a header and its data, as in a version 1 file.
  ///
  /// Times have four bytes in a version 1 block, and eight bytes in the second block of a later version.
  static func block(
    _ version: Character, _ types: [(offset: Int32, isDaylight: Bool)],
    _ transitions: [(instant: Int, type: UInt8)] = [], leapSeconds: Int = 0, timeBytes: Int
  ) -> [UInt8] {
    var bytes = Array("TZif\(version)".utf8) + [UInt8](repeating: 0, count: 15)
    for count in [0, 0, leapSeconds, transitions.count, types.count, 4] {
      bytes += bigEndian(count, bytes: 4)
    }
    for transition in transitions { bytes += bigEndian(transition.instant, bytes: timeBytes) }
    bytes += transitions.map(\.type)
    for type in types {
      bytes += bigEndian(Int(type.offset), bytes: 4) + [type.isDaylight ? 1 : 0, 0]
    }
    bytes += Array("ABC\0".utf8)
    return bytes + [UInt8](repeating: 0, count: leapSeconds * (timeBytes + 4))
  }

  private static func bigEndian(_ value: Int, bytes: Int) -> [UInt8] {
    (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }
}

@Suite struct ScheduleZoneTests {
  @Test func `every zone of the system is read and agrees with Foundation twice a month`() throws {
    var checked = 0
    for name in TimeZone.knownTimeZoneIdentifiers {
      guard let zone = try? TestZones.system(name), let other = TimeZone(identifier: name)
      else { continue }
      checked += 1
      // Start in 1980, because Foundation uses different rules for earlier years, in which clock time wasn't accurate
      // to the second.
      for instant in stride(from: 86_400 * 365 * 10, to: 86_400 * 365 * 67, by: 1_299_709) {
        let wanted = other.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant)))
        if zone.offset(at: instant) != wanted { Issue.record("\(name) at \(instant)") }
      }
    }
    #expect(checked > 300)
  }

  @Test func `a rule holds after the last transition, in either hemisphere`() throws {
    let paris = try ZoneFile.read(
      TestZones.file(rule: "CET-1CEST,M3.5.0,M10.5.0/3", offset: 3_600).span, name: "Paris")
    #expect(paris.offset(at: 4_078_429_200 - 1) == 3_600)  // 2099-03-29T01:00Z
    #expect(paris.offset(at: 4_078_429_200) == 7_200)
    #expect(paris.offset(at: 4_096_573_200) == 3_600)  // 2099-10-25T01:00Z
    let sydney = try ZoneFile.read(
      TestZones.file(rule: "AEST-10AEDT,M10.1.0,M4.1.0/3", offset: 36_000).span, name: "Sydney")
    #expect(sydney.offset(at: 1_767_225_600) == 39_600)  // 2026-01-01
    #expect(sydney.offset(at: 1_782_864_000) == 36_000)  // 2026-07-01
  }

  @Test func `without a rule and before any transition the first standard time holds`() throws {
    let types: [(Int32, Bool)] = [(7_200, true), (3_600, false), (1_800, false)]
    let zone = try ZoneFile.read(TestZones.file(rule: "", types: types).span, name: "Z")
    #expect(zone.offset(at: 0) == 3_600)
    let summer = try ZoneFile.read(TestZones.file(rule: "", types: [(7_200, true)]).span, name: "Z")
    #expect(summer.offset(at: 0) == 7_200)
  }

  @Test(arguments: [
    ("XXX3EDT4,0/0,J365/23", -14_400, -14_400),
    ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", -7_200, -3_600),
    ("IST-1GMT0,M10.5.0,M3.5.0/1", 0, 3_600),
    ("EST5EDT,J60/2,J300/2", -18_000, -14_400),
    ("EST5EDT,59/2,299/2", -18_000, -14_400),
    ("<+0330>-3:30", 12_600, 12_600), ("LMT-1:02:03", 3_723, 3_723),
  ])
  func `unusual rules are understood`(rule: String, january: Int, july: Int) throws {
    let zone = try ZoneFile.read(TestZones.file(rule: rule, version: "3").span, name: "Z")
    #expect(zone.offset(at: 1_768_000_000) == january)
    #expect(zone.offset(at: 1_783_000_000) == july)
  }

  @Test(arguments: [
    "CE-1", "CET", "CET-1CEST,M13.1.0,M10.5.0", "CET-1CEST,M3.5.0", "CET-1CEST,M3.6.0,M10.5.0",
    "CET-25", "CET-1CEST,M3.5.0/168,M10.5.0", "<CET-1", "CET-1 ", "CET-1CEST,J0,J5", "CET-1:60",
    "CET-1CEST", "<>-1", "CET-99999999999999999999",
  ])
  func `malformed rules are rejected`(rule: String) {
    #expect(throws: ZoneFile.Failure.malformedRule) {
      try ZoneFile.read(TestZones.file(rule: rule).span, name: "Z")
    }
  }

  @Test(arguments: [2_027, 2_028])
  func `the Julian days of a rule do not count February 29`(year: Int) throws {
    let zone = try ZoneFile.read(TestZones.file(rule: "EST5EDT,J59/2,J60/2").span, name: "Z")
    let first = try instant("\(year)-02-28T07:00:00Z")
    let second = try instant("\(year)-03-01T06:00:00Z")
    #expect(zone.offset(at: first - 1) == -18_000 && zone.offset(at: first) == -14_400)
    #expect(zone.offset(at: second - 1) == -14_400 && zone.offset(at: second) == -18_000)
  }

  @Test func `a file of version 1 is read to its last byte`() throws {
    let bytes = TestZones.block(
      "\0", [(0, false), (3_600, true)], [(1_000_000, 1)], timeBytes: 4)
    let zone = try ZoneFile.read(bytes.span, name: "Z")
    #expect(zone.offset(at: 999_999) == 0 && zone.offset(at: 1_000_000) == 3_600)
    #expect(throws: ZoneFile.Failure.malformed) {
      try ZoneFile.read(Array(bytes.dropLast()).span, name: "Z")
    }
  }

  @Test(arguments: ["\u{1}", "/", "0"] as [Character])
  func `a file with an invalid version is rejected`(version: Character) {
    #expect(throws: ZoneFile.Failure.inconsistent) {
      try ZoneFile.read(TestZones.file(rule: "CET-1", version: version).span, name: "Z")
    }
  }

  @Test func `a file has at most 256 types, as an index of one byte can distinguish`() throws {
    func file(_ count: Int32) -> [UInt8] {
      TestZones.file(
        rule: "", types: (0..<count).map { ($0, false) },
        transitions: [(0, UInt8(truncatingIfNeeded: count - 1))])
    }
    #expect(try ZoneFile.read(file(256).span, name: "Z").offset(at: 0) == 255)
    #expect(throws: ZoneFile.Failure.inconsistent) {
      try ZoneFile.read(file(257).span, name: "Z")
    }
  }

  @Test func `a transition to a type that the file does not contain is rejected`() throws {
    func file(_ type: UInt8) -> [UInt8] {
      TestZones.file(
        rule: "", types: [(0, false), (3_600, false)], transitions: [(1_000_000, type)])
    }
    #expect(try ZoneFile.read(file(1).span, name: "Z").offset(at: 1_000_000) == 3_600)
    #expect(throws: ZoneFile.Failure.inconsistent) { try ZoneFile.read(file(2).span, name: "Z") }
  }

  @Test func `a file that counts leap seconds is rejected for that reason`() {
    #expect(throws: ZoneFile.Failure.leapSeconds) {
      try ZoneFile.read(
        TestZones.file(rule: "CET-1", types: [(3_600, false)], leapSeconds: 2).span, name: "Z")
    }
  }

  @Test func `a rule without its final newline is rejected`() {
    let bytes = TestZones.file(rule: "CET-1")
    #expect(throws: ZoneFile.Failure.malformed) {
      try ZoneFile.read(Array(bytes.dropLast()).span, name: "Z")
    }
  }

  @Test func `at the instant of the last transition, the transition counts and not the rule`()
    throws
  {
    // The rule also changes the offset at this instant. The year is one for which the zone's table contains none of the
    // rule's changes.
    let change = try instant("2150-03-29T01:00:00Z")
    let zone = try ZoneFile.read(
      TestZones.file(
        rule: "CET-1CEST,M3.5.0,M10.5.0/3", types: [(3_600, false), (10_800, true)],
        transitions: [(change, 1)]
      ).span, name: "Z")
    #expect(zone.offset(at: change - 1) == 3_600 && zone.offset(at: change) == 10_800)
    #expect(zone.offset(at: try instant("2150-10-25T01:00:00Z")) == 3_600)
  }

  @Test func `a rule holds beyond the years that are counted ahead, in gaps and doubled hours too`()
    throws
  {
    let zone = try ZoneFile.read(
      TestZones.file(rule: "CET-1CEST,M3.5.0,M10.5.0/3", offset: 3_600).span, name: "Paris")
    for year in [2_050, 2_500] {
      // The last Sundays of March and October, at 1:00 universal time.
      let days = year == 2_050 ? (27, 30) : (28, 31)
      let spring = try instant("\(year)-03-\(days.0)T01:00:00Z")
      let autumn = try instant("\(year)-10-\(days.1)T01:00:00Z")
      #expect(zone.offset(at: spring - 1) == 3_600 && zone.offset(at: spring) == 7_200)
      #expect(zone.firstInstant(ofWall: spring + 3_600 + 1_800) == spring)
      #expect(zone.offset(at: autumn - 1) == 7_200 && zone.offset(at: autumn) == 3_600)
      #expect(zone.latestWall(at: autumn) == autumn - 1 + 7_200)
    }
  }

  @Test func `if both changes are at the same instant, daylight-saving time takes effect last`()
    throws
  {
    let zone = try ZoneFile.read(
      TestZones.file(rule: "EST5EDT,M3.1.0/2,M3.1.0/3", offset: -18_000).span, name: "Z")
    for year in [2_050, 2_500] {
      #expect(zone.offset(at: try instant("\(year)-06-01T00:00:00Z")) == -14_400)
      #expect(zone.offset(at: try instant("\(year)-02-01T00:00:00Z")) == -14_400)
    }
  }

  @Test func `no damaged file is believed or does harm`() throws {
    let good = [UInt8](
      try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/America/New_York")))
    for length in stride(from: 0, to: good.count, by: 7) {
      #expect(throws: ZoneFile.Failure.self) {
        try ZoneFile.read(Array(good[..<length]).span, name: "cut")
      }
    }
    var dice = Dice(seed: 7)
    for _ in 0..<3_000 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...8, using: &dice) {
        // On average, half of the changes damage the counts in the header.
        let end = Bool.random(using: &dice) ? 44 : bytes.count
        bytes[Int.random(in: 0..<end, using: &dice)] = .random(in: 0...255, using: &dice)
      }
      guard let zone = try? ZoneFile.read(bytes.span, name: "damaged") else { continue }
      for instant in [Int.min, -5_000_000_000, 0, 1_800_000_000, 9_000_000_000, Int.max] {
        let wall = zone.latestWall(at: instant)
        _ = zone.firstInstant(ofWall: wall)
      }
    }
    #expect(throws: ZoneFile.Failure.tooLarge) {
      try ZoneFile.read([UInt8](repeating: 0, count: 70_000).span, name: "large")
    }
  }

  @Test
  func `a skipped wall time belongs to the end of the gap, a doubled one to its first coming`()
    throws
  {
    let zone = try TestZones.system("America/Los_Angeles")
    let half = 1_772_937_000  // 2026-03-08T02:30 as a wall clock would count it
    #expect(zone.firstInstant(ofWall: half) == 1_772_964_000)  // 03:00 PDT
    #expect(zone.firstInstant(ofWall: 1_793_496_600) == 1_793_521_800)  // 1 November, 01:30 PDT
    // At 01:30 PST, the latest time that the clock has shown is still 01:59:59, from before it was set back.
    #expect(zone.latestWall(at: 1_793_521_800 + 3_600) == 1_793_498_399)
  }
}

/// A small generator of repeatable random numbers (SplitMix64).
struct Dice: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
