import Glibc
import System

/// A reader of lines from standard input on the loop.
///
/// End of input is not an error: the agent continues. A terminal belongs to one process group at a time, and the reader
/// reads only while the terminal belongs to this process's group.
final class TerminalInput: EventHandler {
  private let loop: EventLoop
  private let body: (String) -> Void
  private var registration: Registration?
  private var retry: TimerID?
  private var buffer: [UInt8] = []

  /// Starts reading; fails if standard input is a regular file, because the loop cannot wait for one.
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
    stopWaiting()
    if let retry { loop.cancel(retry) }
    retry = nil
  }

  private func stopWaiting() {
    if let registration { loop.deregister(registration) }
    registration = nil
  }

  /// The process group that standard input's terminal belongs to; nil if standard input is not a terminal of this
  /// process's session.
  private static var foregroundGroup: pid_t? {
    let group = tcgetpgrp(STDIN_FILENO)
    return group < 0 ? nil : group
  }

  /// True if the user can type an answer now: standard input is not the null device, and this process is not a
  /// background job of its terminal.
  static var canRead: Bool {
    !FileSystem.isSameFile("/proc/self/fd/0", "/dev/null")
      && foregroundGroup.map { $0 == getpgrp() } ?? true
  }

  /// Checks the terminal again later, because no event is reported when the terminal is given to this process's group.
  private func waitForForeground() {
    stopWaiting()
    assert(retry == nil, "no retry is scheduled yet")
    retry = loop.schedule(afterNanoseconds: Limits.terminalRetryNanoseconds) { [weak self] in
      guard let self else { return }
      retry = nil
      registration = try? loop.register(STDIN_FILENO, for: .readable, handler: self)
    }
  }

  func ready(_ readiness: Readiness) {
    if let group = Self.foregroundGroup, group != getpgrp() { return waitForForeground() }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe read(STDIN_FILENO, $0.baseAddress, $0.count)
    }
    guard count > 0 else {
      // Another process group has taken over the terminal since the check.
      if count < 0, errno == EIO, Self.foregroundGroup != nil { return waitForForeground() }
      if count == 0 || errno != EINTR { close() }
      return
    }
    buffer += bytes[..<count]
    while let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
      let line = String(decoding: buffer[..<end], as: UTF8.self)
      buffer.removeFirst(end + 1)
      body(line)
    }
    // Discard a line that is too long to be an answer.
    if buffer.count > 1 << 16 { buffer = [] }
  }
}
