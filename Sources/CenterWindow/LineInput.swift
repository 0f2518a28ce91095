import CGtk
import Glibc

/// A reader for the agent's commands on standard input, in GTK's main loop.
final class LineInput {
  /// The maximum length of a line, in bytes: enough for an entire Notification Center.
  private static let lineBytes = 4 << 20

  private let onLine: ([UInt8]) -> Void
  private let onEnd: () -> Void
  private var buffer: [UInt8] = []

  /// Creates a reader that calls `onLine` with each line, without its newline, and `onEnd` when the agent has exited.
  init(onLine: @escaping ([UInt8]) -> Void, onEnd: @escaping () -> Void) {
    self.onLine = onLine
    self.onEnd = onEnd
    let data = unsafe Unmanaged.passRetained(self).toOpaque()
    let conditions = GIOCondition(
      rawValue: G_IO_IN.rawValue | G_IO_HUP.rawValue | G_IO_ERR.rawValue)
    unsafe _ = g_unix_fd_add(
      STDIN_FILENO, conditions,
      { _, _, data in
        guard let data = unsafe data else { return 0 }
        let input = unsafe Unmanaged<LineInput>.fromOpaque(data)
        guard unsafe input.takeUnretainedValue().readMore() else {
          unsafe input.release()
          return 0
        }
        return 1
      }, data)
  }

  /// Reads the available bytes; returns false at the end of the input.
  private func readMore() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe read(STDIN_FILENO, $0.baseAddress, $0.count)
    }
    if count < 0, errno == EINTR { return true }
    guard count > 0 else {
      onEnd()
      return false
    }
    buffer += bytes[..<count]
    while let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
      let line = Array(buffer[..<end])
      buffer.removeFirst(end + 1)
      onLine(line)
    }
    // Discard a line that is too long; the agent never writes a line of that length.
    if buffer.count > Self.lineBytes { buffer = [] }
    return true
  }
}
