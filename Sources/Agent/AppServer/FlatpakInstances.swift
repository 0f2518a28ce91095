import BelfryWire
import Foundation
import System

/// Flatpak's own records of its running sandboxes, which are stored outside the sandboxes (flatpak-run(1), linux-parts
/// 13).
///
/// A sandbox's own `/.flatpak-info` proves nothing: any process can create a user namespace and place a file there.
/// Flatpak keeps a folder for each sandbox in a place where no sandbox can write. The folder is named after the
/// `instance-id` in the sandbox's `/.flatpak-info`.
struct FlatpakInstances {
  /// The path of `$XDG_RUNTIME_DIR/.flatpak`.
  let folder: String
  /// The ID of the user who owns the folder.
  let userID: UInt32

  /// Creates a reader of the given folder, which contains the records of a user's sandboxes.
  init(folder: String, userID: UInt32) {
    self.folder = folder
    self.userID = userID
  }

  /// Creates a reader of the folder that, according to the environment, contains the records of a user's sandboxes.
  init(ofUser userID: UInt32) {
    let runtime = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"] ?? "/run/user/\(userID)"
    self.init(folder: runtime + "/.flatpak", userID: userID)
  }

  /// Returns the app whose sandbox contains `process`; nil if Flatpak did not start the sandbox, or if the sandbox is
  /// no longer running.
  ///
  /// `claim` is the content of `/.flatpak-info` as the process sees the file.
  func app(claimedBy claim: [UInt8], of process: Int32) -> String? {
    guard let number = Self.value("instance-id", in: "Instance", of: claim),
      (1...20).contains(number.count), number.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    let instance = "\(folder)/\(String(decoding: number, as: UTF8.self))"
    guard isOwn(folder), isOwn(instance),
      let info = read(instance + "/info"),
      let name = Self.value("name", in: "Application", of: info),
      name == Self.value("name", in: "Application", of: claim),
      let child = runningChild(of: instance), isTogether(process, with: child, of: instance)
    else { return nil }
    return String(decoding: name, as: UTF8.self)
  }

  /// Returns the first process of a sandbox, as bwrap reported it to Flatpak; nil once the process has exited.
  ///
  /// The process holds a lock on the folder's `.ref` during its lifetime. If a new process reuses the process ID, it
  /// does not hold the lock.
  private func runningChild(of instance: String) -> Int32? {
    guard let number = bwrapInfo(instance)?["child-pid"]?.integerValue,
      let child = Int32(exactly: number), child > 0,
      FileSystem.lockHolder(of: instance + "/.ref") == child
    else { return nil }
    return child
  }

  /// Returns true if a process is in the PID namespace that bwrap created for a sandbox.
  private func isTogether(_ process: Int32, with child: Int32, of instance: String) -> Bool {
    func namespace(_ process: String) -> String? {
      try? FileSystem.target(ofLink: "/proc/\(process)/ns/pid")
    }
    guard let own = namespace("self"), let its = namespace("\(process)"), its != own,
      its == namespace("\(child)")
    else { return false }
    // bwrap before 0.5 does not report the namespace.
    guard let told = bwrapInfo(instance)?["pid-namespace"]?.integerValue else { return true }
    return its == "pid:[\(told)]"
  }

  private func bwrapInfo(_ instance: String) -> JSONObject? {
    read(instance + "/bwrapinfo.json").flatMap { try? JSONValue(parsing: $0).objectValue }
  }

  /// Returns true if the folder belongs to the user and no other user can write to it.
  private func isOwn(_ folder: String) -> Bool {
    guard !FileSystem.isLink(folder), FileSystem.isDirectory(folder) else { return false }
    return (try? FileSystem.owner(of: folder)) == userID
      && ((try? FileSystem.mode(of: folder)) ?? 0o022) & 0o022 == 0
  }

  private func read(_ path: String) -> [UInt8]? {
    try? FileSystem.readRegularFile(path, limit: Self.fileBytesMax)
  }

  /// The maximum size in bytes of a file that Flatpak keeps about a sandbox.
  static let fileBytesMax = 65_536

  /// Returns the value of a key in a group of a key file.
  ///
  /// The value is returned as bytes, because a sandbox might have written it.
  static func value(_ key: String, in group: String, of text: [UInt8]) -> [UInt8]? {
    let head = Array("[\(group)]".utf8)
    let beginning = Array("\(key)=".utf8)
    var isInGroup = false
    for line in text.split(separator: 0x0A) {
      if line.first == 0x5B { isInGroup = line.elementsEqual(head) }
      if isInGroup, line.starts(with: beginning) { return Array(line.dropFirst(beginning.count)) }
    }
    return nil
  }
}
