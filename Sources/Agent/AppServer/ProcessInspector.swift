import Foundation
import Glibc
import System
import Transport

/// Looks at what a connected process is (linux-parts 13).
///
/// Outside a sandbox this tells apps apart; it is no wall between processes of one user.
enum ProcessInspector {
  /// Namespaces of which a sandbox has its own.
  private static let namespaces = ["user", "mnt", "pid"]

  /// What is known of the process at the other end of a connection, now that it has been made.
  ///
  /// A process that ended meanwhile, or that may not be looked at, is an obstacle: nothing is guessed.
  static func inspect(
    _ stream: ByteStream, _ credentials: Socket.PeerCredentials, _ flatpak: FlatpakInstances
  ) -> ProcessIdentity {
    var identity = ProcessIdentity(pid: credentials.pid, uid: credentials.uid)
    do {
      let process = try stream.peerProcess()
      do {
        try inspect(&identity, flatpak)
      } catch {
        identity = ProcessIdentity(pid: credentials.pid, uid: credentials.uid)
        identity.obstacle = .unreadable(what: Self.words(error))
      }
      // What was read is of this process if it is there still.
      if !process.isRunning { identity.obstacle = .ended }
    } catch {
      identity.obstacle = .ended
    }
    return identity
  }

  private static func inspect(
    _ identity: inout ProcessIdentity, _ flatpak: FlatpakInstances
  ) throws(SystemFailure) {
    let folder = "/proc/\(identity.pid)"
    let executable = try FileSystem.target(ofLink: folder + "/exe")
    identity.isSandboxed = try isSandboxed(folder)
    // In a sandbox another file may stand at the path of an app's program.
    if FileSystem.isSameFile(folder + "/exe", executable) {
      identity.executable = executable
    } else if !identity.isSandboxed {
      identity.executable = replaced(executable, by: folder + "/exe")
    }
    let groups = try text(folder + "/cgroup")
    identity.unitApp = groups.flatMap(unitName)
    if let claim = try bytes(folder + "/root/.flatpak-info") {
      let app = flatpak.app(claimedBy: claim, of: identity.pid)
      // systemd's name for a sandbox of Flatpak's, where there is one, has to agree.
      let unit = groups?.contains("/app-flatpak-") == true ? identity.unitApp : app
      if let app, app.utf8.elementsEqual((unit ?? "").utf8) {
        identity.sandboxedApp = app
      } else {
        identity.obstacle = .unknownSandbox
      }
    }
    if let bundle = identity.executable.flatMap(bundlePath) {
      identity.bundlePath = bundle
      identity.bundleApp = AppManifest.read(folder: bundle)?.id
    }
  }

  /// The program's path where an upgrade has put another file there since the process started; nil for any other.
  ///
  /// Only who may write in the program's folder can have run a file of that name there: who could as well replace the
  /// program. The file that runs has to be of the same owner as the one that is there now.
  private static func replaced(_ link: String, by running: String) -> String? {
    let ending = " (deleted)"
    guard link.utf8.count > ending.utf8.count, link.hasSuffix(ending) else { return nil }
    let path = String(link.dropLast(ending.count))
    guard FileSystem.isRegularFile(path), !FileSystem.isLink(path),
      let owner = try? FileSystem.owner(of: path), owner == (try? FileSystem.owner(of: running)),
      let mode = try? FileSystem.mode(of: path), mode & 0o111 != 0
    else { return nil }
    return path
  }

  /// What could not be read and why, without advice for a file of the person's own.
  private static func words(_ failure: SystemFailure) -> String {
    guard case .call(_, let number, let path) = failure else { return failure.description }
    return "\(path): \(SystemFailure.message(number))"
  }

  /// Whether a process is more confined than the agent itself.
  private static func isSandboxed(_ folder: String) throws(SystemFailure) -> Bool {
    for name in namespaces {
      // A kernel may lack a kind.
      guard let own = try? FileSystem.target(ofLink: "/proc/self/ns/" + name) else { continue }
      if try FileSystem.target(ofLink: folder + "/ns/" + name) != own { return true }
    }
    if try FileSystem.target(ofLink: folder + "/root") != "/" { return true }
    if try bytes(folder + "/root/.flatpak-info") != nil { return true }
    if try filters(folder) > filters("/proc/self") { return true }
    // AppArmor's; where there is none the file says nothing, or is not there.
    let label = try? text(folder + "/attr/current")
    let own = try? text("/proc/self/attr/current")
    return label?.contains("(enforce)") == true && label != own
  }

  /// The number of filters of system calls (seccomp(2)) that a process has.
  private static func filters(_ folder: String) throws(SystemFailure) -> Int {
    let prefix = "Seccomp_filters:"
    let line = try text(folder + "/status")?.split(separator: "\n")
      .first { $0.hasPrefix(prefix) }
    return line.flatMap { Int($0.dropFirst(prefix.count).trimmingCharacters(in: .whitespaces)) }
      ?? 0
  }

  /// This program, absolute.
  static var ownExecutable: String? { try? FileSystem.target(ofLink: "/proc/self/exe") }

  /// The `.app` folder that holds a program; nil outside of one.
  static func bundlePath(of executable: String) -> String? {
    var parts = executable.split(separator: "/")
    while let last = parts.popLast() {
      if last.hasSuffix(".app") { return "/" + (parts + [last]).joined(separator: "/") }
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

  /// A small file; nil where there is none.
  private static func text(_ path: String) throws(SystemFailure) -> String? {
    try bytes(path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The bytes of a small file; nil if it does not exist.
  private static func bytes(_ path: String) throws(SystemFailure) -> [UInt8]? {
    do throws(SystemFailure) {
      // The process may have made a pipe of it, at which opening would wait.
      return try FileSystem.readRegularFile(path, limit: FlatpakInstances.fileBytesMax)
    } catch .call(_, ENOENT, _) {
      return nil
    }
  }
}
