import Glibc

/// A buffer of a fixed number of 64-bit words, which are initially zero.
///
/// The kernel allocates the pages on first use. The type is confined to one thread. Words outside the buffer are read
/// as 0 and never stored, so the pointer is used only within its bounds.
@safe public final class WordBuffer {
  /// The number of words.
  public let count: Int
  @usableFromInline let words: UnsafeMutablePointer<UInt64>

  /// Allocates a buffer of `count` words.
  public init(count: Int) throws(SystemFailure) {
    precondition(count > 0, "a buffer has at least one word")
    self.count = count
    let bytes = count * MemoryLayout<UInt64>.size
    let flags = MAP_PRIVATE | MAP_ANONYMOUS
    guard let memory = unsafe mmap(nil, bytes, PROT_READ | PROT_WRITE, flags, -1, 0),
      unsafe memory != MAP_FAILED
    else { throw .last("mmap") }
    unsafe words = memory.assumingMemoryBound(to: UInt64.self)
  }

  deinit { unsafe munmap(words, count * MemoryLayout<UInt64>.size) }

  /// The word at an index.
  @inlinable public subscript(index: Int) -> UInt64 {
    get { index >= 0 && index < count ? unsafe words[index] : 0 }
    set {
      guard index >= 0, index < count else { return }
      unsafe words[index] = newValue
    }
  }

  /// Reads the words from the beginning of `file`.
  ///
  /// Words beyond the end of the file stay unchanged.
  public func read(from file: RandomAccessFile) throws(SystemFailure) {
    let bytes = unsafe UnsafeMutableRawBufferPointer(
      start: words, count: count * MemoryLayout<UInt64>.size)
    _ = unsafe try file.read(into: bytes, at: 0)
  }

  /// Writes the words in `range` to `file`, each at the offset that corresponds to its index.
  public func write(_ range: Range<Int>, to file: RandomAccessFile) throws(SystemFailure) {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= count, "the range is within the buffer")
    let size = MemoryLayout<UInt64>.size
    unsafe try file.write(
      UnsafeRawBufferPointer(start: words + range.lowerBound, count: range.count * size),
      at: range.lowerBound * size)
  }
}
