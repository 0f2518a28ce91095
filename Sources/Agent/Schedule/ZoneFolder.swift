public import BelfryWire
import Glibc
import System

/// The machine's time-zone database, read file by file and remembered.
public struct ZoneFolder: ScheduleWorld {
  /// What was read; shared by the copies of one world.
  private final class Memory {
    var zones: [String: Zone?] = [:]
    var calendars: [String: (any CalendarSystem)?] = [:]
  }

  /// Where distributions keep the database.
  static let systemFolder = "/usr/share/zoneinfo"

  /// The zone that the device is in.
  public let deviceZone: Zone
  private let memory = Memory()
  private let makeCalendar: (String) -> (any CalendarSystem)?

  /// The database as it is now.
  ///
  /// - Parameters:
  ///   - deviceZone: Where the device is.
  ///   - makeCalendar: Gives calendars other than the Gregorian.
  init(deviceZone: Zone, makeCalendar: @escaping (String) -> (any CalendarSystem)?) {
    self.deviceZone = deviceZone
    self.makeCalendar = makeCalendar
  }

  /// A zone of the database; nil when it has none of that name.
  public func zone(named name: String) -> Zone? {
    if let known = memory.zones[name] { return known }
    let zone = Self.zone(named: name)
    // Apps choose the names: only so many of those that do not exist are remembered.
    if zone != nil || memory.zones.count < Limits.zonesRemembered { memory.zones[name] = zone }
    return zone
  }

  /// A calendar other than the Gregorian; nil when this machine does not know it.
  public func calendar(named name: String) -> (any CalendarSystem)? {
    if let known = memory.calendars[name] { return known }
    let calendar = makeCalendar(name)
    if calendar != nil { memory.calendars[name] = calendar }
    return calendar
  }

  /// Reads one zone from the machine's database; names cannot lead out of its folder.
  public static func zone(named name: String) -> Zone? {
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
    return read("\(systemFolder)/\(name)", name: name)
  }

  /// The zone that the device is in: `TZ` where that names one, else `localtime` in the folder of
  /// the machine's settings, else UTC.
  static func deviceZone(settings: String, environment: String?) -> Zone {
    if let name = environment?.drop(while: { $0 == ":" }), let zone = zone(named: String(name)) {
      return zone
    }
    let link = settings + "/localtime"
    return read(link, name: name(ofLink: link) ?? "localtime") ?? .utc
  }

  private static func read(_ path: String, name: String) -> Zone? {
    guard let bytes = try? FileSystem.read(path, limit: ScheduleLimits.zoneFileBytes) else {
      return nil
    }
    return try? ZoneFile.read(bytes.span, name: name)
  }

  /// The zone's name in the target of a link into the database.
  private static func name(ofLink path: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: 1_024)
    let count = unsafe buffer.withUnsafeMutableBytes { bytes in
      guard let start = unsafe bytes.bindMemory(to: CChar.self).baseAddress else { return 0 }
      return unsafe readlink(path, start, bytes.count)
    }
    guard count > 0 else { return nil }
    let parts = String(decoding: buffer[..<count], as: UTF8.self).split(separator: "/")
    guard let start = parts.lastIndex(of: "zoneinfo") else { return nil }
    return parts[(start + 1)...].joined(separator: "/")
  }
}
