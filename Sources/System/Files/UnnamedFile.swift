import CLinux
import Glibc

/// A new file that receives its name when it is complete.
///
/// Before that, the file has no name, so the kernel removes it when the process exits for any reason. If the file replaces
/// another one, it has a temporary name for an instant, because the kernel cannot give an unnamed file a name in use. On
/// file systems that do not support unnamed files, the file has a temporary name from the start. `removeAbandoned(for:)`
/// removes the files that a killed process left behind.
public final class UnnamedFile {
  /// The path at which the file will appear.
  public let path: String
  /// The open file, to which the content is written.
  public let content: RandomAccessFile
  private var temporary: String?

  /// Creates an empty file in the folder of `path`.
  ///
  /// An existing file at the path remains until `publish()` is called.
  public init(for path: String, mode: UInt32 = 0o600) throws(SystemFailure) {
    try FileSystem.requireReplaceable(path)
    self.path = path
    let descriptor = unsafe belfry_open_unnamed(FileSystem.parent(of: path), mode)
    if descriptor >= 0 {
      content = RandomAccessFile(path, descriptor: descriptor)
    } else {
      // NFS, FAT, and old overlay file systems do not support unnamed files.
      guard [EOPNOTSUPP, EISDIR, EINVAL, ENOENT].contains(errno) else { throw .last("open", path) }
      let name = FileSystem.temporary(for: path)
      let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
      let named = unsafe belfry_open(name, flags, mode)
      guard named >= 0 else { throw .lastCreating(path) }
      content = RandomAccessFile(path, descriptor: named)
      temporary = name
    }
  }

  deinit {
    if let temporary { _ = unsafe unlink(temporary) }
  }

  /// Synchronizes the file to disk and gives it its final name, replacing any existing file with that name.
  public func publish() throws(SystemFailure) {
    try content.synchronize()
    if temporary == nil {
      if content.name(path) == 0 { return try FileSystem.synchronize(folder: parent) }
      guard errno == EEXIST else { throw .last("linkat", path) }
      let name = FileSystem.temporary(for: path)
      guard content.name(name) == 0 else { throw .last("linkat", path) }
      temporary = name
    }
    guard let temporary, unsafe rename(temporary, path) == 0 else { throw .last("rename", path) }
    assert(temporary != path, "the temporary name differs from the final one")
    self.temporary = nil
    try FileSystem.synchronize(folder: parent)
  }

  private var parent: String { FileSystem.parent(of: path) }

  /// Removes unfinished files for `path` that exited processes have left behind.
  public static func removeAbandoned(for path: String) throws(SystemFailure) {
    let folder = FileSystem.parent(of: path)
    guard try FileSystem.isPresent(folder) else { return }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    try FileSystem.removeUnfinished(in: folder, startingWith: name + ".")
  }
}
