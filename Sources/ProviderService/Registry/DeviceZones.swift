public import Scheduling
internal import Synchronization
internal import System

/// The machine's time zones by name.
///
/// The zone file of each name is read only once.
public final class DeviceZones: Sendable {
  private let folder: String
  private let zones = Mutex<[String: Zone]>([:])

  /// Creates the zones of a folder with compiled zone files.
  public init(folder: String = "/usr/share/zoneinfo") { self.folder = folder }

  /// Returns the zone with this name, or nil if it does not exist.
  ///
  /// A name cannot refer to a file outside the folder.
  public func zone(named name: String) -> Zone? {
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
    if name == "UTC" || name == "GMT" { return .utc }
    if let known = zones.withLock({ $0[name] }) { return known }
    guard
      let bytes = try? FileSystem.readRegularFile(
        "\(folder)/\(name)", limit: ScheduleLimits.zoneFileBytes),
      let zone = try? ZoneFile.read(bytes.span, name: name)
    else { return nil }
    zones.withLock { if $0.count < Limits.zonesRemembered { $0[name] = zone } }
    return zone
  }
}
