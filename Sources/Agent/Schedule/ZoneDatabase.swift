public import Scheduling
import Foundation
import Glibc
import System

/// A folder of compiled time zones, as created by `zic`.
public struct ZoneDatabase: Sendable {
  /// The machine's database: `TZDIR` if it is set, as for other programs, otherwise the folder that distributions use.
  public static let system = ZoneDatabase(
    folder: ProcessInfo.processInfo.environment["TZDIR"].flatMap {
      $0.hasPrefix("/") ? $0 : nil
    } ?? "/usr/share/zoneinfo")

  /// The absolute path of the folder.
  public let folder: String

  /// Returns a time zone as the database currently defines it; nil if the zone does not exist.
  ///
  /// A name cannot refer to a file outside the folder.
  public func zone(named name: String) -> Zone? {
    if name == "UTC" || name == "GMT" { return .utc }
    let isPlain = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
        UInt8(ascii: "+"), UInt8(ascii: "/"):
        true
      default: false
      }
    }
    guard isPlain, !name.isEmpty, !name.hasPrefix("/"), name.utf8.count < 128 else { return nil }
    return Self.read("\(folder)/\(name)", name: name) ?? Self.fixedZone(named: name)
  }

  /// Returns the name of the zone with a fixed offset of the given number of seconds east of UTC, in Foundation's form:
  /// `GMT+0530`.
  ///
  /// The offset must be in whole minutes.
  public static func name(ofOffset seconds: Int) -> String {
    assert(
      seconds % 60 == 0 && abs(seconds) < 86_400,
      "an offset is in whole minutes and less than a day")
    guard seconds != 0 else { return "UTC" }
    let minutes = abs(seconds) / 60
    func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "GMT\(seconds < 0 ? "-" : "+")\(digits(minutes / 60))\(digits(minutes % 60))"
  }

  private static func fixedZone(named name: String) -> Zone? {
    let digits = Array(name.utf8.dropFirst(4))
    guard name.hasPrefix("GMT+") || name.hasPrefix("GMT-"), digits.count == 4,
      let number = Int(name.dropFirst(4)), digits.allSatisfy({ (0x30...0x39).contains($0) }),
      number / 100 < 24, number % 100 < 60
    else { return nil }
    let seconds = (number / 100 * 60 + number % 100) * 60
    return Zone(name: name, fixedOffset: name.hasPrefix("GMT-") ? -seconds : seconds)
  }

  /// Returns the device's time zone: `TZ` if it specifies a zone; otherwise, `localtime` in the folder of the machine's
  /// settings; otherwise, UTC.
  func deviceZone(settings: String, environment: String?) -> Zone {
    if let name = environment?.drop(while: { $0 == ":" }), let zone = zone(named: String(name)) {
      return zone
    }
    let link = settings + "/localtime"
    return Self.read(link, name: name(ofLink: link) ?? "localtime") ?? .utc
  }

  private static func read(_ path: String, name: String) -> Zone? {
    guard let bytes = try? FileSystem.readRegularFile(path, limit: ScheduleLimits.zoneFileBytes)
    else {
      return nil
    }
    return try? ZoneFile.read(bytes.span, name: name)
  }

  /// Returns the zone's name from the target of a link into the database.
  private func name(ofLink path: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: 1_024)
    let count = unsafe buffer.withUnsafeMutableBytes { bytes in
      guard let start = unsafe bytes.bindMemory(to: CChar.self).baseAddress else { return 0 }
      return unsafe readlink(path, start, bytes.count)
    }
    guard count > 0 else { return nil }
    let target = String(decoding: buffer[..<count], as: UTF8.self)
    if target.hasPrefix(folder + "/") { return String(target.dropFirst(folder.count + 1)) }
    let parts = target.split(separator: "/")
    guard let start = parts.lastIndex(of: "zoneinfo") else { return nil }
    return parts[(start + 1)...].joined(separator: "/")
  }
}
