import Glibc

/// Where log lines go.
public struct LogSink: Sendable {
  private let body: (@Sendable (String) -> Void)?

  /// Calls `body` with each line, without its newline, from any thread.
  public init(_ body: @escaping @Sendable (String) -> Void) { self.body = body }

  private init() { body = nil }

  /// One write(2) a line to standard error, so that lines of several threads do not mix.
  public static let standardError = LogSink { line in
    var line = line
    line.append("\n")
    line.withUTF8 { bytes in _ = unsafe Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
  }

  /// Drops every line before it is made.
  public static let nowhere = LogSink()

  var isNowhere: Bool { body == nil }

  func write(_ line: String) { body?(line) }
}
