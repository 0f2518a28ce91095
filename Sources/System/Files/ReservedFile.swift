import CLinux
import Glibc

/// A file whose disk space is reserved before its content exists.
///
/// If the file cannot be written, the error therefore occurs before any work is done to produce the content. Writing
/// the file gives it its final name and replaces any existing file with that name. A file that is never written leaves
/// no trace. The type is confined to one thread.
public final class ReservedFile {
  /// The path of the finished file.
  public let path: String
  private let mode: UInt32
  private let temporary: String
  private let descriptor: Int32
  private var isWritten = false

  /// Reserves disk space for a file of this many bytes in the folder of `path`.
  ///
  /// A device, pipe, socket, or folder at the path is left unchanged and causes an error.
  public init(_ path: String, byteCount: Int = 0, mode: UInt32 = 0o600) throws(SystemFailure) {
    try FileSystem.requireReplaceable(path)
    self.path = path
    self.mode = mode
    temporary = FileSystem.temporary(for: path)
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    descriptor = unsafe belfry_open(temporary, flags, mode)
    guard descriptor >= 0 else { throw .lastCreating(path) }
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

  /// Writes the file; call this method only once.
  ///
  /// When this method returns, the file is on disk under its name.
  public func write(_ bytes: [UInt8]) throws(SystemFailure) {
    precondition(!isWritten, "a reserved file is written only once")
    // Set exactly the requested mode, regardless of the umask, before writing the content.
    guard fchmod(descriptor, mode) == 0 else { throw .last("fchmod", path) }
    guard ftruncate(descriptor, off_t(bytes.count)) == 0 else { throw .last("ftruncate", path) }
    try FileSystem.writeAll(bytes, descriptor, path)
    guard fsync(descriptor) == 0 else { throw .last("fsync", path) }
    guard unsafe rename(temporary, path) == 0 else { throw .last("rename", path) }
    isWritten = true
    try FileSystem.synchronize(folder: FileSystem.parent(of: path))
  }
}
