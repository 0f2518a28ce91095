import CLinux
import Glibc

/// The owner of a folder in which a root process works; the process assumes the owner's privileges for that work.
///
/// A user can exploit path-based operations that root performs in the user's folder: between two system calls, the user
/// can replace a folder or a file with a link. With the owner's privileges, the process can do only what the owner
/// could do, and the files that it creates belong to the owner from the start.
public struct FolderOwner: Sendable, Equatable {
  /// The duration for which the process relinquishes root's privileges.
  public enum Extent: Sendable {
    /// Permanently, except for the right to listen on ports below 1,024.
    case forGood
    /// Until `returnToRoot()` restores root's privileges, for access to root's own files.
    case untilReturn
  }

  /// The user ID of the owner.
  public let user: UInt32
  /// The user's primary group; `nogroup` if the machine no longer has this user.
  ///
  /// The folder's own group is not suitable: if the folder has the set-group-ID bit, the user might not be a member of
  /// that group.
  let group: UInt32
  private let name: String?

  /// Determines the owner of the folder at `path`.
  ///
  /// Returns nil if this process does not need to act as another user: the process is not root, it is not allowed to
  /// change its user, or root owns the folder. If the path does not exist and `includingParents` is true, the owner of
  /// the nearest existing parent is used. A link that root does not own is refused, because the link's owner controls
  /// its target and might not own the target folder.
  public init?(of path: String, includingParents: Bool = false) throws(SystemFailure) {
    guard geteuid() == 0, Self.mayChangeUser else { return nil }
    guard let owner = try Self.owner(of: path, includingParents: includingParents), owner != 0
    else {
      return nil
    }
    assert(owner != 0, "the owner of the folder is not root")
    user = owner
    let entry = Self.entry(of: owner)
    group = entry?.group ?? Self.noGroup
    name = entry?.name
  }

  /// Assumes the privileges of the owner of the folder at `path`, if this process is root and the folder belongs to
  /// another user.
  ///
  /// Call this method before the first access to the folder, and after reading all files that only root can read.
  @discardableResult
  public static func act(
    in path: String, _ extent: Extent = .forGood, includingParents: Bool = false
  ) throws(SystemFailure) -> FolderOwner? {
    guard let owner = try FolderOwner(of: path, includingParents: includingParents) else {
      return nil
    }
    try owner.takeOn(extent)
    return owner
  }

  /// Restores root's privileges, which the process relinquished with `untilReturn`.
  public static func returnToRoot() throws(SystemFailure) {
    guard setresuid(.max, 0, .max) == 0 else { throw .last("setresuid", "0") }
    guard setresgid(.max, 0, .max) == 0 else { throw .last("setresgid", "0") }
    guard setgroups(0, nil) == 0 else { throw .last("setgroups") }
  }

  private func takeOn(_ extent: Extent) throws(SystemFailure) {
    let kept = belfry_effective_capabilities() & Self.keptCapabilities
    // Change the groups first, because the right to do so is lost afterward.
    if let name {
      guard unsafe initgroups(name, group) == 0 else { throw .last("initgroups", name) }
    } else {
      guard setgroups(0, nil) == 0 else { throw .last("setgroups") }
    }
    switch extent {
    case .untilReturn:
      guard setresgid(.max, group, .max) == 0 else { throw .last("setresgid", "\(group)") }
      guard setresuid(.max, user, .max) == 0 else { throw .last("setresuid", "\(user)") }
      precondition(geteuid() == user && getegid() == group, "the process acts as the owner")
    case .forGood:
      _ = belfry_keep_permitted(1)
      guard setresgid(group, group, group) == 0 else { throw .last("setresgid", "\(group)") }
      guard setresuid(user, user, user) == 0 else { throw .last("setresuid", "\(user)") }
      guard belfry_keep_capabilities(kept) == 0 else { throw .last("capset") }
      _ = belfry_keep_permitted(0)
      precondition(setresuid(0, 0, 0) != 0, "root's privileges cannot be regained")
    }
  }

  // MARK: Identity

  /// `CAP_SETGID` and `CAP_SETUID`: without them, root in a container cannot change its user.
  private static var mayChangeUser: Bool {
    let needed: UInt32 = 1 << 6 | 1 << 7
    return belfry_effective_capabilities() & needed == needed
  }

  /// The bit of `CAP_NET_BIND_SERVICE`.
  private static let keptCapabilities: UInt32 = 1 << 10
  /// Debian's `nogroup`, which owns no files.
  private static let noGroup: gid_t = 65_534
  /// The maximum number of consecutive links, all owned by root, that are followed.
  private static let linksMax = 40
  /// The maximum number of bytes in a user's entry in the user database.
  private static let entryBytesMax = 1 << 16

  /// Returns the owner of a file by its descriptor, so that the file cannot be replaced between two checks.
  private static func owner(
    of path: String, includingParents: Bool
  ) throws(SystemFailure) -> uid_t? {
    var path = path
    for _ in 0..<linksMax {
      let descriptor = unsafe belfry_open(path, belfry_path_flags, 0)
      if descriptor < 0, errno == ENOENT {
        let above = FileSystem.parent(of: path)
        guard includingParents, above != path else { return nil }
        path = above
        continue
      }
      guard descriptor >= 0 else { throw .last("open", path) }
      defer { Glibc.close(descriptor) }
      var status = stat()
      guard unsafe fstat(descriptor, &status) == 0 else { throw .last("fstat", path) }
      guard status.st_mode & S_IFMT == S_IFLNK else { return status.st_uid }
      guard status.st_uid == 0 else {
        throw .unusable(
          text: path,
          reason: "it is a symbolic link owned by user \(status.st_uid): use the folder's own path")
      }
      let target = try target(ofLinkAt: descriptor, path)
      path = target.hasPrefix("/") ? target : "\(FileSystem.parent(of: path))/\(target)"
    }
    throw .call(name: "open", errno: ELOOP, subject: path)
  }

  private static func target(
    ofLinkAt descriptor: Int32, _ path: String
  ) throws(SystemFailure) -> String {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe buffer.withUnsafeMutableBytes { bytes in
      guard let start = unsafe bytes.bindMemory(to: CChar.self).baseAddress else { return -1 }
      return unsafe readlinkat(descriptor, "", start, bytes.count)
    }
    guard count >= 0 else { throw .last("readlink", path) }
    return String(decoding: buffer[..<count], as: UTF8.self)
  }

  private static func entry(of user: uid_t) -> (name: String, group: gid_t)? {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: entryBytesMax) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      var entry = unsafe passwd()
      var found: UnsafeMutablePointer<passwd>?
      guard unsafe getpwuid_r(user, &entry, start, buffer.count, &found) == 0,
        unsafe found != nil, let name = unsafe entry.pw_name
      else { return nil }
      return unsafe (String(cString: name), entry.pw_gid)
    }
  }
}
