import Foundation
import Glibc
import System

/// Looks at what a connected process is (linux-parts 13).
///
/// Outside a sandbox this tells apps apart; it is no wall between processes of one user.
enum ProcessInspector {
  /// What is known of the process at the other end of a connection.
  static func inspect(_ credentials: Socket.PeerCredentials) -> ProcessIdentity {
    var identity = ProcessIdentity(pid: credentials.pid, uid: credentials.uid)
    let folder = "/proc/\(credentials.pid)"
    identity.executable = link(folder + "/exe")
    identity.sandboxedApp = text(folder + "/root/.flatpak-info").flatMap(flatpakName)
    identity.unitApp = text(folder + "/cgroup").flatMap(unitName)
    if let bundle = identity.executable.flatMap(bundlePath) {
      identity.bundlePath = bundle
      identity.bundleApp = AppManifest.read(folder: bundle)?.id
    }
    return identity
  }

  /// This program, absolute.
  static var ownExecutable: String? { link("/proc/self/exe") }

  /// The `.app` folder that holds a program; nil outside of one.
  static func bundlePath(of executable: String) -> String? {
    var parts = executable.split(separator: "/")
    while let last = parts.popLast() {
      if last.hasSuffix(".app") { return "/" + (parts + [last]).joined(separator: "/") }
    }
    return nil
  }

  /// `name=` of the `[Application]` group.
  static func flatpakName(_ text: String) -> String? {
    var isInGroup = false
    for line in text.split(separator: "\n") {
      if line.hasPrefix("[") { isInGroup = line == "[Application]" }
      if isInGroup, line.hasPrefix("name=") { return String(line.dropFirst(5)) }
    }
    return nil
  }

  /// The app in a unit's name: `app[-launcher]-ID[@RANDOM|-RANDOM].(service|scope)`.
  static func unitName(_ cgroups: String) -> String? {
    guard let unit = cgroups.split(separator: "/").last(where: { $0.hasPrefix("app-") }) else {
      return nil
    }
    var name = unit.trimmingCharacters(in: .whitespacesAndNewlines)
    if name.hasSuffix(".scope") {
      name = String(name.dropLast(6))
      guard let end = name.lastIndex(of: "-") else { return nil }
      name = String(name[..<end])
    } else if name.hasSuffix(".service") {
      name = String(name.dropLast(8))
      if let end = name.lastIndex(of: "@") {
        name = String(name[..<end])
      } else if let end = name.lastIndex(of: "-"),
        name[name.index(after: end)...].allSatisfy(\.isNumber)
      {
        name = String(name[..<end])
      }
    } else {
      return nil
    }
    // Ids have a dot, launchers' names have none; systemd escapes the hyphens of an id.
    guard let part = name.split(separator: "-").first(where: { $0.contains(".") }) else {
      return nil
    }
    return String(part).replacingOccurrences(of: "\\x2d", with: "-")
  }

  private static func text(_ path: String) -> String? {
    guard let bytes = try? FileSystem.read(path, limit: 64 << 10) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func link(_ path: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe buffer.withUnsafeMutableBytes { bytes in
      guard let start = unsafe bytes.bindMemory(to: CChar.self).baseAddress else { return 0 }
      return unsafe readlink(path, start, bytes.count)
    }
    guard count > 0 else { return nil }
    return String(decoding: buffer[..<count], as: UTF8.self)
  }
}
