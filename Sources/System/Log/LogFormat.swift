/// The formats of a log line.
public enum LogFormat: String, CaseIterable, Sendable {
  /// The time in RFC 3339 format, level, subsystem, and message, then `key=value` pairs.
  case text
  /// `key=value` pairs only, as logfmt readers expect: `time`, `level`, `subsystem`, `message`, then the fields.
  case logfmt
  /// A JSON object: `at`, `level`, `subsystem`, `message`, then the fields as strings.
  case json

  func line(_ record: LogRecord) -> String {
    switch self {
    case .text: LogLine.text(record)
    case .logfmt: LogLine.logfmt(record)
    case .json: LogLine.json(record)
    }
  }
}
