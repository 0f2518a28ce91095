import CLinux
import Glibc

/// Operations on whole files and their properties.
///
/// After a crash, a written file has either its old content or its new content.
public enum FileSystem {
  /// Replaces the content of the file at `path` with `bytes`: writes a temporary file in the same folder, calls fsync,
  /// renames the file, and calls fsync on the folder.
  ///
  /// `mode` is set before the content is written. A device, pipe, socket, or folder at the path is left unchanged and
  /// causes an error.
  public static func write(
    _ bytes: [UInt8], to path: String, mode: UInt32 = 0o600
  ) throws(SystemFailure) {
    try ReservedFile(path, mode: mode).write(bytes)
  }

  /// Throws if a device, pipe, socket, or folder is at the path, because a file must not replace it.
  ///
  /// A symbolic link can be replaced; its target stays unchanged.
  public static func requireReplaceable(_ path: String) throws(SystemFailure) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return }
    guard [S_IFREG, S_IFLNK].contains(status.st_mode & S_IFMT) else {
      throw .unusable(text: path, reason: "it is not a regular file: choose another path")
    }
  }

  /// Reads a whole file of at most `limit` bytes.
  public static func read(_ path: String, limit: Int) throws(SystemFailure) -> [UInt8] {
    try read(path, O_RDONLY | O_CLOEXEC, limit: limit)
  }

  /// Reads a whole regular file of at most `limit` bytes.
  ///
  /// A pipe or device at the path, which could block the reader, causes an error.
  public static func readRegularFile(
    _ path: String, limit: Int
  ) throws(SystemFailure) -> [UInt8] {
    try read(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, limit: limit)
  }

  /// Reads the first `count` bytes of a regular file, or all of a shorter file.
  ///
  /// A pipe or device at the path causes an error.
  public static func beginning(
    ofRegularFile path: String, count: Int
  ) throws(SystemFailure) -> [UInt8] {
    assert(count > 0, "the number of bytes to read is positive")
    let descriptor = unsafe belfry_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0)
    guard descriptor >= 0 else { throw .last("open", path) }
    defer { Glibc.close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .last("fstat", path) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .call(name: "read", errno: EINVAL, subject: path)
    }
    var bytes = [UInt8](repeating: 0, count: count)
    let read = unsafe bytes.withUnsafeMutableBytes {
      unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
    }
    guard read >= 0 else { throw .last("read", path) }
    assert(read <= count, "no more bytes were read than requested")
    bytes.removeLast(count - read)
    return bytes
  }

  private static func read(
    _ path: String, _ flags: Int32, limit: Int
  ) throws(SystemFailure) -> [UInt8] {
    let descriptor = unsafe belfry_open(path, flags, 0)
    guard descriptor >= 0 else { throw .last("open", path) }
    defer { Glibc.close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .last("fstat", path) }
    guard flags & O_NONBLOCK == 0 || status.st_mode & S_IFMT == S_IFREG else {
      throw .unusable(text: path, reason: "it is not a regular file")
    }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      throw .call(name: "read", errno: EISDIR, subject: path)
    }
    guard Int(status.st_size) <= limit else { throw .tooLarge(path: path, limit: limit) }
    var bytes = [UInt8](repeating: 0, count: min(limit, max(Int(status.st_size), 4_096)) + 1)
    var filled = 0
    while true {
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe Glibc.read(
          descriptor, buffer.baseAddress.map { unsafe $0 + filled }, buffer.count - filled)
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw .last("read", path)
      }
      if count == 0 { break }
      filled += count
      guard filled <= limit else { throw .tooLarge(path: path, limit: limit) }
      if filled == bytes.count {
        bytes.append(contentsOf: repeatElement(0, count: min(bytes.count, limit + 1 - filled)))
      }
    }
    bytes.removeLast(bytes.count - filled)
    return bytes
  }

  /// Creates the folder and its missing parents, with mode 0700.
  public static func makeDirectories(_ path: String) throws(SystemFailure) {
    guard !path.isEmpty, !isDirectory(path) else { return }
    let above = parent(of: path)
    if above != path { try makeDirectories(above) }
    guard unsafe mkdir(path, 0o700) != 0 else { return }
    guard errno == EEXIST else { throw .last("mkdir", path) }
    guard isDirectory(path) else {
      throw .unusable(text: path, reason: "it is not a folder: choose another path")
    }
  }

  /// Returns true if a file of any kind exists at the path, including a dangling link.
  public static func exists(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0
  }

  /// Returns true if the process may write to the file or folder at `path`, with its effective user.
  public static func isWritable(_ path: String) -> Bool {
    unsafe faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0
  }

  /// Returns true if the file system that contains the path is mounted read-only.
  public static func isReadOnly(_ path: String) -> Bool {
    var status = statvfs()
    return unsafe statvfs(path, &status) == 0 && status.f_flag & UInt(ST_RDONLY) != 0
  }

  /// Returns true if a file of any kind exists at the path.
  ///
  /// Throws if the current user is not permitted to check.
  public static func isPresent(_ path: String) throws(SystemFailure) -> Bool {
    var status = stat()
    if unsafe lstat(path, &status) == 0 { return true }
    guard errno == ENOENT || errno == ENOTDIR else { throw .last("lstat", path) }
    return false
  }

  /// Returns true if a regular file, or a link to a regular file, is at `path`.
  public static func isRegularFile(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Returns true if a symbolic link is at `path`.
  public static func isLink(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// Returns the target of the symbolic link at `path`.
  public static func target(ofLink path: String) throws(SystemFailure) -> String {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe buffer.withUnsafeMutableBytes { bytes in
      guard let start = unsafe bytes.bindMemory(to: CChar.self).baseAddress else { return -1 }
      return unsafe readlink(path, start, bytes.count)
    }
    guard count >= 0 else { throw .last("readlink", path) }
    return String(decoding: buffer[..<count], as: UTF8.self)
  }

  /// Returns true if both paths refer to the same file.
  public static func isSameFile(_ one: String, _ other: String) -> Bool {
    var first = stat()
    var second = stat()
    guard unsafe stat(one, &first) == 0, unsafe stat(other, &second) == 0 else { return false }
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino
  }

  /// Returns true if the path refers to a folder or to a link to a folder.
  public static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The identity and modification time of a file at a path.
  ///
  /// A different file or a modified file has a different stamp.
  public struct Stamp: Sendable, Equatable {
    private let inode: UInt64
    private let byteCount: Int64
    private let seconds: Int64
    private let nanoseconds: Int64

    fileprivate init(_ status: stat) {
      inode = UInt64(status.st_ino)
      byteCount = Int64(status.st_size)
      seconds = Int64(status.st_mtim.tv_sec)
      nanoseconds = Int64(status.st_mtim.tv_nsec)
    }
  }

  /// Returns the stamp of the file at the path, following links, or nil if no file exists.
  public static func stamp(of path: String) -> Stamp? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Stamp(status) : nil
  }

  /// The space on a file system.
  public struct Space: Sendable, Equatable {
    /// The number of bytes that the current user can still write.
    public let freeBytes: Int
    /// The total number of bytes.
    public let totalBytes: Int
  }

  /// Returns the space on the file system that contains the path, or nil if it cannot be determined.
  public static func space(at path: String) -> Space? {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0 else { return nil }
    let block = Int(status.f_frsize)
    return Space(
      freeBytes: Int(status.f_bavail) * block, totalBytes: Int(status.f_blocks) * block)
  }

  /// Returns the permission bits of the file or folder at the path.
  public static func mode(of path: String) throws(SystemFailure) -> UInt32 {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { throw .last("stat", path) }
    return status.st_mode & 0o7777
  }

  /// Returns true if every user of this machine can read the file at an absolute path.
  ///
  /// A group that can read the file is intended, as for keys of the group `ssl-cert`. A file in a folder that other
  /// users cannot enter is protected by the folder.
  public static func isReadableByAll(_ path: String) -> Bool {
    guard let mode = try? mode(of: path), mode & 0o004 != 0 else { return false }
    var folder = parent(of: path)
    while folder.utf8.count > 1 {
      guard let mode = try? Self.mode(of: folder), mode & 0o001 != 0 else { return false }
      folder = parent(of: folder)
    }
    return true
  }

  /// Returns the user ID of the owner of the file or folder at the path.
  public static func owner(of path: String) throws(SystemFailure) -> UInt32 {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { throw .last("stat", path) }
    return status.st_uid
  }

  /// Reads a whole regular file of at most `limit` bytes, and the user ID of its owner.
  ///
  /// Content and owner belong to the same file, even if another file replaces this file in the meantime.
  public static func readOwned(
    _ path: String, limit: Int
  ) throws(SystemFailure) -> (bytes: [UInt8], owner: UInt32) {
    let file = try RandomAccessFile(readingOrFollowing: path)
    let count = try file.byteCount()
    guard count <= limit else { throw .tooLarge(path: path, limit: limit) }
    let bytes = count == 0 ? [] : try file.read(count, at: 0)
    assert(bytes.count <= limit, "no more bytes were read than the limit")
    return (bytes, try file.owner())
  }

  /// Creates a second name (a hard link) for the file at `path` in the same file system.
  ///
  /// The second name must not exist.
  public static func link(_ path: String, at second: String) throws(SystemFailure) {
    guard unsafe Glibc.link(path, second) == 0 else { throw .last("link", second) }
    try synchronize(folder: parent(of: second))
  }

  /// Moves the file at `path` durably to `target` in the same file system, replacing any file there.
  public static func move(_ path: String, to target: String) throws(SystemFailure) {
    guard unsafe rename(path, target) == 0 else { throw .last("rename", path) }
    try synchronize(folder: parent(of: target))
  }

  /// Waits until the content of the file at `path` has been written to disk.
  public static func synchronize(file path: String) throws(SystemFailure) {
    let descriptor = unsafe belfry_open(path, O_RDONLY | O_CLOEXEC, 0)
    guard descriptor >= 0 else { throw .last("open", path) }
    defer { Glibc.close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .last("fsync", path) }
  }

  /// Returns the length of the file at `path` in bytes, or nil if the file does not exist.
  public static func byteCount(of path: String) -> Int? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Int(status.st_size) : nil
  }

  /// Returns the process that holds a lock (fcntl(2)) on the regular file at `path`, or nil if no process holds one.
  public static func lockHolder(of path: String) -> Int32? {
    let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    let descriptor = unsafe belfry_open(path, flags, 0)
    guard descriptor >= 0 else { return nil }
    defer { Glibc.close(descriptor) }
    let holder = belfry_lock_holder(descriptor)
    return holder > 0 ? holder : nil
  }

  /// Removes a file or an empty folder.
  ///
  /// If no file exists at the path, this method has no effect.
  public static func remove(_ path: String) throws(SystemFailure) {
    guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .last("remove", path) }
  }

  /// Removes an empty folder; it may be missing.
  public static func removeEmptyFolder(_ path: String) throws(SystemFailure) {
    guard unsafe rmdir(path) == 0 || errno == ENOENT else { throw .last("remove", path) }
  }

  /// Returns the sorted names of the folder's entries, without "." and "..".
  public static func list(_ path: String) throws(SystemFailure) -> [String] {
    guard let folder = unsafe opendir(path) else { throw .last("opendir", path) }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
          unsafe String(cString: $0)
        }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Returns the absolute form of a path, without resolving links.
  public static func absolute(_ path: String) -> String {
    let whole = path.hasPrefix("/") ? path : "\(currentDirectory())/\(path)"
    var parts: [Substring] = []
    for part in whole.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }

  /// Returns the folder that contains `path`; "." for a bare name.
  public static func parent(of path: String) -> String {
    var trimmed = path[...]
    while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
    guard let slash = trimmed.lastIndex(of: "/") else { return "." }
    return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
  }

  private static func currentDirectory() -> String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let base = buffer.baseAddress, unsafe getcwd(base, buffer.count) != nil else {
        return "."
      }
      return unsafe String(cString: base)
    }
  }

  /// Removes the unfinished files of exited processes from a folder, because these files can contain keys.
  public static func removeUnfinished(
    in folder: String, startingWith beginning: String = ""
  ) throws(SystemFailure) {
    for name in try list(folder) where name.hasPrefix(beginning) {
      let parts = name.split(separator: ".")
      guard parts.count >= 4, parts.last == "tmp", let pid = Int32(parts[parts.count - 3]), pid > 0,
        kill(pid, 0) != 0, errno == ESRCH
      else { continue }
      try remove("\(folder)/\(name)")
    }
  }

  /// Returns a unique name in the folder of `path`.
  public static func temporary(for path: String) -> String {
    var generator = SystemRandom.Generator()
    return "\(path).\(getpid()).\(String(generator.next(), radix: 36)).tmp"
  }

  static func writeAll(
    _ bytes: [UInt8], _ descriptor: Int32, _ path: String
  ) throws(SystemFailure) {
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.write(
          descriptor, buffer.baseAddress.map { unsafe $0 + written }, buffer.count - written)
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw .last("write", path)
      }
      written += count
    }
  }

  static func synchronize(folder: String) throws(SystemFailure) {
    let descriptor = unsafe belfry_open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    guard descriptor >= 0 else { throw .last("open", folder) }
    defer { Glibc.close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .last("fsync", folder) }
  }
}
