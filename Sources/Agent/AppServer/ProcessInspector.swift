import Foundation
import Glibc
import System
import Transport

/// An inspector that determines the identity of a connected process (linux-parts 13).
///
/// Outside a sandbox, it can distinguish apps, but it does not protect the processes of one user from each other.
enum ProcessInspector {
  /// Namespaces that a sandbox does not share with the agent.
  private static let namespaces = ["user", "mnt", "pid"]

  /// Returns the identity of the process at the other end of a new connection.
  ///
  /// If the process has already exited or cannot be inspected, the identity contains the reason instead of a guess.
  static func inspect(
    _ stream: ByteStream, _ credentials: Socket.PeerCredentials, _ flatpak: FlatpakInstances
  ) -> ProcessIdentity {
    var identity = ProcessIdentity(pid: credentials.pid, uid: credentials.uid)
    do {
      inspect(&identity, try stream.peerProcess(), flatpak)
    } catch {
      identity.obstacle = .ended
    }
    return identity
  }

  /// Returns the identity of the process that currently has this number.
  static func inspect(process number: Int32, _ flatpak: FlatpakInstances) -> ProcessIdentity {
    var identity = ProcessIdentity(pid: number, uid: .max)
    do {
      let process = try PeerProcess(pid: number)
      identity.uid = try FileSystem.owner(of: "/proc/\(number)")
      inspect(&identity, process, flatpak)
    } catch {
      identity.obstacle = .ended
    }
    return identity
  }

  /// Inspects a process; if that fails, the identity contains only the reason.
  private static func inspect(
    _ identity: inout ProcessIdentity, _ process: borrowing PeerProcess,
    _ flatpak: FlatpakInstances
  ) {
    let (pid, uid) = (identity.pid, identity.uid)
    do {
      try inspect(&identity, flatpak)
    } catch {
      identity = ProcessIdentity(pid: pid, uid: uid)
      // While a process is exiting, the link to its program can disappear before the process becomes a zombie.
      if case .call(_, ENOENT, _) = error {
        identity.obstacle = .ended
      } else {
        identity.obstacle = .unreadable(what: Self.words(error))
      }
    }
    // Trust the values only if the process is still running, because another process might have reused its process ID.
    if !process.isRunning { identity.obstacle = .ended }
  }

  private static func inspect(
    _ identity: inout ProcessIdentity, _ flatpak: FlatpakInstances
  ) throws(SystemFailure) {
    let folder = "/proc/\(identity.pid)"
    let executable = try FileSystem.target(ofLink: folder + "/exe")
    identity.isSandboxed = try isSandboxed(folder)
    // In a sandbox, the path of an app's program can refer to a different file.
    if FileSystem.isSameFile(folder + "/exe", executable) {
      identity.executable = executable
    } else if !identity.isSandboxed {
      identity.executable = replaced(executable, by: folder + "/exe")
    }
    let groups = try text(folder + "/cgroup")
    identity.unitApp = groups.flatMap(unitName)
    if let claim = try bytes(folder + "/root/.flatpak-info") {
      let app = flatpak.app(claimedBy: claim, of: identity.pid)
      // If systemd reports a Flatpak sandbox for the process, the name must match.
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

  /// Returns the program's path if an upgrade has replaced the file since the process started; otherwise nil.
  ///
  /// To have run another file under this path, a user must be able to write to the program's folder, and could
  /// therefore also replace the program itself. The running file must have the same owner as the file that is now at
  /// the path.
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

  /// Returns true if the program file of a running process was replaced or deleted since the process started.
  static func hasOutdatedProgram(_ process: Int32) -> Bool {
    let link = "/proc/\(process)/exe"
    guard let target = try? FileSystem.target(ofLink: link), target.hasSuffix(" (deleted)") else {
      return false
    }
    // The name of a file can have the same ending.
    return !FileSystem.isSameFile(link, target)
  }

  /// Returns the file that could not be read and the reason, without advice that applies only to the user's own files.
  private static func words(_ failure: SystemFailure) -> String {
    guard case .call(_, let number, let path) = failure else { return failure.description }
    return "\(path): \(SystemFailure.message(number))"
  }

  /// Returns true if a process is more confined than the agent itself.
  private static func isSandboxed(_ folder: String) throws(SystemFailure) -> Bool {
    for name in namespaces {
      // Some kernels do not support every kind of namespace.
      guard let own = try? FileSystem.target(ofLink: "/proc/self/ns/" + name) else { continue }
      if try FileSystem.target(ofLink: folder + "/ns/" + name) != own { return true }
    }
    if try FileSystem.target(ofLink: folder + "/root") != "/" { return true }
    if try bytes(folder + "/root/.flatpak-info") != nil { return true }
    if try filters(folder) > filters("/proc/self") { return true }
    // This file contains the process's AppArmor label. Without AppArmor, the file is missing or contains another kind
    // of label.
    let label = try? text(folder + "/attr/current")
    let own = try? text("/proc/self/attr/current")
    return label?.contains("(enforce)") == true && label != own
  }

  /// Returns the number of system call filters (seccomp(2)) that a process has.
  private static func filters(_ folder: String) throws(SystemFailure) -> Int {
    let prefix = "Seccomp_filters:"
    let line = try text(folder + "/status")?.split(separator: "\n")
      .first { $0.hasPrefix(prefix) }
    return line.flatMap { Int($0.dropFirst(prefix.count).trimmingCharacters(in: .whitespaces)) }
      ?? 0
  }

  /// The absolute path of this program.
  static var ownExecutable: String? { try? FileSystem.target(ofLink: "/proc/self/exe") }

  /// Returns the `.app` folder that contains a program, or nil if no such folder contains it.
  static func bundlePath(of executable: String) -> String? {
    var parts = executable.split(separator: "/")
    while let last = parts.popLast() {
      if last.hasSuffix(".app") { return "/" + (parts + [last]).joined(separator: "/") }
    }
    return nil
  }

  /// Returns the ID of the app in a unit's name: `app[-launcher]-ID[@RANDOM|-RANDOM].(service|scope)`.
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
    // IDs contain a dot, and launcher names do not; systemd escapes the hyphens of an ID.
    guard let part = name.split(separator: "-").first(where: { $0.contains(".") }) else {
      return nil
    }
    return String(part).replacingOccurrences(of: "\\x2d", with: "-")
  }

  /// Returns the contents of a small text file, or nil if it does not exist.
  private static func text(_ path: String) throws(SystemFailure) -> String? {
    try bytes(path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the bytes of a small file, or nil if it does not exist.
  private static func bytes(_ path: String) throws(SystemFailure) -> [UInt8]? {
    do throws(SystemFailure) {
      // The process might have replaced the file with a pipe, which would block on opening.
      return try FileSystem.readRegularFile(path, limit: FlatpakInstances.fileBytesMax)
    } catch .call(_, ENOENT, _) {
      return nil
    }
  }
}
