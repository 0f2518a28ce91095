import CLinux
import Glibc

/// A file whose place is taken before there is anything to write into it.
///
/// What cannot be written so fails before the work whose only copy it would have held. The file has its name, and
/// what was there before is replaced, once it is written; one that never is leaves nothing. Confined to one thread.
public final class ReservedFile {
  /// The file's path.
  public let path: String
  private let mode: UInt32
  private let temporary: String
  private let descriptor: Int32
  private var isWritten = false

  /// Takes a place in the folder of `path`, with that many bytes of the disk.
  ///
  /// A device, a pipe, a socket or a folder at the path is left as it is, and is an error.
  public init(_ path: String, byteCount: Int = 0, mode: UInt32 = 0o600) throws(SystemFailure) {
    try FileSystem.requireReplaceable(path)
    self.path = path
    self.mode = mode
    temporary = FileSystem.temporary(for: path)
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    descriptor = unsafe belfry_open(temporary, flags, mode)
    guard descriptor >= 0 else { throw .last("open", path) }
    guard byteCount > 0 else { return }
    let failure = posix_fallocate(descriptor, 0, off_t(byteCount))
    guard failure == 0 else {
      throw .call(name: "posix_fallocate", errno: failure, subject: path)
    }
  }

  deinit {
    guard descriptor >= 0 else { return }
    Glibc.close(descriptor)
    if !isWritten { _ = unsafe unlink(temporary) }
  }

  /// Writes the file, once; it is on disk under its name afterwards.
  public func write(_ bytes: [UInt8]) throws(SystemFailure) {
    precondition(!isWritten, "a reserved file is written once")
    // Exactly the requested mode, whatever the umask, and before the content.
    guard fchmod(descriptor, mode) == 0 else { throw .last("fchmod", path) }
    guard ftruncate(descriptor, off_t(bytes.count)) == 0 else { throw .last("ftruncate", path) }
    try FileSystem.writeAll(bytes, descriptor, path)
    guard fsync(descriptor) == 0 else { throw .last("fsync", path) }
    guard unsafe rename(temporary, path) == 0 else { throw .last("rename", path) }
    isWritten = true
    try FileSystem.synchronize(folder: FileSystem.parent(of: path))
  }
}
