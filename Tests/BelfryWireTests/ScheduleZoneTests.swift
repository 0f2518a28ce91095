import BelfryWire
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

  /// Returns a version 2 file that contains only types and a rule.
  static func file(
    rule: String, types: [(offset: Int32, isDaylight: Bool)], version: Character = "2"
  ) -> [UInt8] {
    block(version, types) + block(version, types) + Array("\n\(rule)\n".utf8)
  }

  private static func block(
    _ version: Character, _ types: [(offset: Int32, isDaylight: Bool)]
  ) -> [UInt8] {
    var bytes = Array("TZif\(version)".utf8) + [UInt8](repeating: 0, count: 15)
    for count in [0, 0, 0, 0, UInt32(types.count), 4] {
      bytes += withUnsafeBytes(of: count.bigEndian) { Array($0) }
    }
    for type in types {
      bytes += withUnsafeBytes(of: type.offset.bigEndian) { Array($0) }
      bytes += [type.isDaylight ? 1 : 0, 0]
    }
    return bytes + Array("ABC\0".utf8)
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
    ("<+0330>-3:30", 12_600, 12_600),
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
        // On average, half of the changes damage the counts.
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
    // By 01:30 PST, the clock has already shown 01:59:59.
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
