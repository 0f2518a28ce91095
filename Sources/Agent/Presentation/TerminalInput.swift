import Glibc
import System

/// Lines from standard input, on the loop.
///
/// The end of input is no error: the agent goes on.
final class TerminalInput: EventHandler {
  private let loop: EventLoop
  private let body: (String) -> Void
  private var registration: Registration?
  private var buffer: [UInt8] = []

  /// nil when standard input cannot be waited for (a plain file).
  init?(loop: EventLoop, _ body: @escaping (String) -> Void) {
    self.loop = loop
    self.body = body
    do {
      registration = try loop.register(STDIN_FILENO, for: .readable, handler: self)
    } catch {
      return nil
    }
  }

  func close() {
    if let registration { loop.deregister(registration) }
    registration = nil
  }

  func ready(_ readiness: Readiness) {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe read(STDIN_FILENO, $0.baseAddress, $0.count)
    }
    guard count > 0 else {
      if count == 0 || errno != EINTR { close() }
      return
    }
    buffer += bytes[..<count]
    while let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
      let line = String(decoding: buffer[..<end], as: UTF8.self)
      buffer.removeFirst(end + 1)
      body(line)
    }
    // A line that never ends is no answer to anything.
    if buffer.count > 1 << 16 { buffer = [] }
  }
}
