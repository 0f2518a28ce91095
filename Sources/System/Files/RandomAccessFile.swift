import CLinux
import Glibc

/// A regular file that is read and written at offsets.
///
/// The file is not mapped into memory: if another process truncates the file, a read returns fewer bytes, whereas
/// access to a mapping would terminate this process with SIGBUS. The type is confined to one thread.
public final class RandomAccessFile {
  private let path: String
  private let descriptor: Int32

  /// Opens the file at `path`, and creates it with mode 0600 if it is missing.
  ///
  /// Links and all other files that are not regular files are refused.
  public convenience init(_ path: String) throws(SystemFailure) {
    try self.init(path, O_RDWR | O_CREAT)
  }

  /// Opens the file at `path` for reading.
  public convenience init(reading path: String) throws(SystemFailure) {
    try self.init(path, O_RDONLY)
  }

  /// Opens the file at `path`, or the target of a link at that path, for reading.
  convenience init(readingOrFollowing path: String) throws(SystemFailure) {
    try self.init(path, O_RDONLY, links: 0)
  }

  private init(
    _ path: String, _ access: Int32, links: Int32 = O_NOFOLLOW
  ) throws(SystemFailure) {
    self.path = path
    let flags = access | O_CLOEXEC | links | O_NONBLOCK | O_NOCTTY
    descriptor = unsafe belfry_open(path, flags, 0o600)
    guard descriptor >= 0 else { throw .last("open", path) }
    guard try status().st_mode & S_IFMT == S_IFREG else {
      throw .unusable(text: path, reason: "it is not a regular file")
    }
  }

  /// Wraps the descriptor of an open regular file and takes ownership of the descriptor.
  ///
  /// Error messages refer to the file by `path`.
  init(_ path: String, descriptor: Int32) {
    assert(descriptor >= 0, "a file is open")
    self.path = path
    self.descriptor = descriptor
  }

  deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

  private func status() throws(SystemFailure) -> stat {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .last("fstat", path) }
    return status
  }

  /// Returns the user ID of the file's owner.
  func owner() throws(SystemFailure) -> UInt32 { try status().st_uid }

  /// Returns the file's length in bytes.
  public func byteCount() throws(SystemFailure) -> Int { Int(try status().st_size) }

  /// Replaces the content with `count` zero bytes whose blocks are allocated immediately, so that a full disk causes an
  /// error here instead of at a later write.
  public func clear(byteCount count: Int) throws(SystemFailure) {
    guard ftruncate(descriptor, 0) == 0 else { throw .last("ftruncate", path) }
    let failure = posix_fallocate(descriptor, 0, count)
    guard failure == 0 else {
      throw .call(name: "posix_fallocate", errno: failure, subject: path)
    }
  }

  /// Waits until the content has been written to disk.
  public func synchronize() throws(SystemFailure) {
    guard fsync(descriptor) == 0 else { throw .last("fsync", path) }
  }

  /// Links an unnamed file to `path`.
  ///
  /// Returns -1 and sets `errno` on failure.
  func name(_ path: String) -> Int32 { unsafe belfry_name(descriptor, path) }

  /// Fills `buffer` starting at `offset`.
  ///
  /// Returns the number of bytes read.
  public func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemFailure) -> Int {
    var filled = 0
    while filled < buffer.count, let start = buffer.baseAddress {
      let count = unsafe pread(
        descriptor, start + filled, buffer.count - filled, off_t(offset + filled))
      if count < 0 {
        if errno == EINTR { continue }
        throw .last("pread", path)
      }
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  /// Reads `count` bytes starting at `offset`, or fewer at the end of the file.
  public func read(_ count: Int, at offset: Int) throws(SystemFailure) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { unsafe buffer.deallocate() }
    let filled = unsafe try read(into: buffer, at: offset)
    return unsafe [UInt8](buffer.prefix(filled))
  }

  /// Writes all of `bytes` at `offset`, in a single system call if the kernel accepts all of them.
  public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemFailure) {
    var written = 0
    while written < bytes.count, let start = bytes.baseAddress {
      let count = unsafe pwrite(
        descriptor, start + written, bytes.count - written, off_t(offset + written))
      if count < 0 {
        if errno == EINTR { continue }
        throw .last("pwrite", path)
      }
      written += count
    }
  }
}
