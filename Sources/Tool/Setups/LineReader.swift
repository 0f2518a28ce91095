import Glibc

/// A reader that reads a pipe or a file line by line.
final class LineReader {
  let descriptor: Int32
  private(set) var isAtEnd = false
  private let onLine: (String) -> Void
  private var rest: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  init(_ descriptor: Int32, _ onLine: @escaping (String) -> Void) {
    self.descriptor = descriptor
    self.onLine = onLine
  }

  deinit { close(descriptor) }

  /// Reads the available bytes of a readable descriptor.
  ///
  /// Returns false at the end of the stream.
  @discardableResult
  func read() -> Bool {
    let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
    if count < 0, errno == EINTR { return true }
    isAtEnd = count <= 0
    guard !isAtEnd else { return false }
    rest += buffer[..<count]
    while let end = rest.firstIndex(of: 0x0A) {
      onLine(String(decoding: rest[..<end], as: UTF8.self))
      rest.removeFirst(end + 1)
    }
    return true
  }
}
