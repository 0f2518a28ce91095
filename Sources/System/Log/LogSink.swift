/// The destination of log lines.
public struct LogSink: Sendable {
  private let body: (@Sendable (LogRecord) -> Void)?

  /// Creates a sink that calls `body` with the text of each line, without a newline, from any thread.
  public init(_ body: @escaping @Sendable (String) -> Void) {
    self.body = { body(LogFormat.text.line($0)) }
  }

  private init(records: (@Sendable (LogRecord) -> Void)?) { body = records }

  /// Text lines on standard error.
  public static let standardError = LogSink.standardError(.text)

  /// Returns a sink that writes lines to standard error one at a time, so that lines from several threads are not
  /// interleaved.
  ///
  /// Repeated lines are collapsed, both here and in the journal (`RepeatedLines`).
  public static func standardError(_ format: LogFormat) -> LogSink {
    collapsing { record in writeToStandardError(format.line(record)) }
  }

  /// Returns a sink that writes lines and their fields to the journal (systemd-journald) through the socket at `path`.
  ///
  /// A line that the journal does not accept is written to standard error as text.
  public static func journal(path: String = JournalSocket.path) -> LogSink {
    guard let socket = JournalSocket(path: path) else { return standardError }
    return collapsing { record in
      if !socket.send(record) { writeToStandardError(LogFormat.text.line(record)) }
    }
  }

  /// Returns a sink that appends lines to the file at `path` and keeps one earlier file, `PATH.1`; each file holds up
  /// to 1 MB.
  ///
  /// A line that the file does not accept is written to standard error.
  public static func file(_ path: String, _ format: LogFormat) -> LogSink {
    let file = BoundedLogFile(path)
    return collapsing { record in
      let line = format.line(record)
      if !file.append(line) { writeToStandardError(line) }
    }
  }

  private static func collapsing(_ output: @escaping @Sendable (LogRecord) -> Void) -> LogSink {
    let output = CollapsingOutput(output).flushAtExit()
    return LogSink(records: { output.write($0) })
  }

  /// A sink that drops every line before it is formatted.
  public static let nowhere = LogSink(records: nil)

  private static func writeToStandardError(_ line: String) {
    _ = StandardStream.error.write((line + "\n").utf8)
  }

  var isNowhere: Bool { body == nil }

  func write(_ record: LogRecord) { body?(record) }
}
