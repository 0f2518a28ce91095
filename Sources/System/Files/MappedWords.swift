import CLinux
import Glibc

/// Words of memory that a file backs: a value that is stored here survives the process, however it
/// ends, though not a loss of power.
///
/// A store costs what a store to memory costs; the kernel writes the file when it likes. Confined to
/// one thread. A word outside reads as 0 and is not stored, so the pointer is used within its count
/// only.
@safe public final class MappedWords {
  /// The number of words.
  public let count: Int
  @usableFromInline let words: UnsafeMutablePointer<UInt64>

  /// The words of the file at `path`, made with mode 0600; a file of another size is emptied, and its
  /// words are 0.
  ///
  /// The file's blocks are allocated at once, so that a full disk fails here and not at a store.
  public init(file path: String, count: Int) throws(SystemFailure) {
    let descriptor = unsafe belfry_open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .last("open", path) }
    defer { Glibc.close(descriptor) }
    precondition(count > 0, "a mapping has words")
    let bytes = count * MemoryLayout<UInt64>.size
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .last("fstat", path) }
    guard status.st_size == bytes || ftruncate(descriptor, 0) == 0 else {
      throw .last("ftruncate", path)
    }
    let failure = posix_fallocate(descriptor, 0, bytes)
    guard failure == 0 else {
      throw .call(name: "posix_fallocate", errno: failure, subject: path)
    }
    unsafe words = try Self.map(bytes, flags: MAP_SHARED, descriptor, path)
    self.count = count
  }

  /// Words that end with the process.
  public init(count: Int) throws(SystemFailure) {
    precondition(count > 0, "a mapping has words")
    let bytes = count * MemoryLayout<UInt64>.size
    unsafe words = try Self.map(bytes, flags: MAP_PRIVATE | MAP_ANONYMOUS, -1, "")
    self.count = count
  }

  deinit { unsafe munmap(words, count * MemoryLayout<UInt64>.size) }

  /// One word.
  @inlinable public subscript(index: Int) -> UInt64 {
    get { index >= 0 && index < count ? unsafe words[index] : 0 }
    set {
      guard index >= 0, index < count else { return }
      unsafe words[index] = newValue
    }
  }

  private static func map(
    _ bytes: Int, flags: Int32, _ descriptor: Int32, _ path: String
  ) throws(SystemFailure) -> UnsafeMutablePointer<UInt64> {
    guard let memory = unsafe mmap(nil, bytes, PROT_READ | PROT_WRITE, flags, descriptor, 0),
      unsafe memory != MAP_FAILED
    else { throw .last("mmap", path) }
    return unsafe memory.assumingMemoryBound(to: UInt64.self)
  }
}
