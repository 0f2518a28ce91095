import CLinux
import Glibc

/// The user whose folder root works in, and whose rights root's process takes on for that.
///
/// What root does by path in another user's folder is that user's to misuse: between two system calls the user puts a
/// link in the place of a folder or of a file. With the user's own rights the process can do nothing there that the
/// user could not do as well, and what it makes is the user's from the start.
public struct FolderOwner: Sendable, Equatable {
  /// The rights that root keeps.
  public enum Extent: Sendable {
    /// They are gone, but for listening on ports below 1,024.
    case forGood
    /// `returnToRoot()` brings them back, for files of root's own.
    case untilReturn
  }

  /// The user's id.
  public let user: UInt32
  /// The user's primary group; `nogroup` where the machine has no such user any more.
  ///
  /// The folder's own group says nothing: in a folder with the set-group-ID bit it is one that the user need not be in.
  let group: UInt32
  private let name: String?

  /// The owner of the folder at `path`; nil where this process need not act as another user: it is not root's, may not
  /// change its user, or root owns the folder.
  ///
  /// Where nothing is at the path and `includingParents` is set, the owner of the nearest folder above it counts. A
  /// link that is not root's own is refused: its owner says where it leads, not whose the folder there is.
  public init?(of path: String, includingParents: Bool = false) throws(SystemFailure) {
    guard geteuid() == 0, Self.mayChangeUser else { return nil }
    guard let owner = try Self.owner(of: path, includingParents: includingParents), owner != 0
    else {
      return nil
    }
    assert(owner != 0, "root acts as root in its own folder")
    user = owner
    let entry = Self.entry(of: owner)
    group = entry?.group ?? Self.noGroup
    name = entry?.name
  }

  /// Makes this process act as the owner of the folder at `path`, where it is root's and the folder another user's.
  ///
  /// Call it before the first look into the folder, and after everything that only root may read was read.
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

  /// Takes root's rights back that `untilReturn` left.
  public static func returnToRoot() throws(SystemFailure) {
    guard setresuid(.max, 0, .max) == 0 else { throw .last("setresuid", "0") }
    guard setresgid(.max, 0, .max) == 0 else { throw .last("setresgid", "0") }
    guard setgroups(0, nil) == 0 else { throw .last("setgroups") }
  }

  private func takeOn(_ extent: Extent) throws(SystemFailure) {
    let kept = belfry_effective_capabilities() & Self.keptCapabilities
    // The groups first: afterwards it may not change them any more.
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
      precondition(setresuid(0, 0, 0) != 0, "root's rights are gone for good")
    }
  }

  // MARK: Who it is

  /// `CAP_SETGID` and `CAP_SETUID`: without them root of a container has no power to lend.
  private static var mayChangeUser: Bool {
    let needed: UInt32 = 1 << 6 | 1 << 7
    return belfry_effective_capabilities() & needed == needed
  }

  /// `CAP_NET_BIND_SERVICE`.
  private static let keptCapabilities: UInt32 = 1 << 10
  /// Debian's `nogroup`, which owns nothing.
  private static let noGroup: gid_t = 65_534
  /// Links of root's that are followed one after the other.
  private static let linksMax = 40
  /// Bytes of one user's entry.
  private static let entryBytesMax = 1 << 16

  /// The user of what a descriptor holds, so that nothing is exchanged between two looks at it.
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
          reason: "it is a symbolic link of user \(status.st_uid): name the folder itself")
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
