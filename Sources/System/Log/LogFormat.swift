/// The forms of a log line.
public enum LogFormat: String, CaseIterable, Sendable {
  /// RFC 3339 time, level, subsystem, message, then `key=value`.
  case text
  /// `key=value` alone, as logfmt's readers want it: `time`, `level`, `subsystem`, `message`, then the fields.
  case logfmt
  /// A JSON object: `at`, `level`, `subsystem`, `message`, then the fields, each a text.
  case json

  func line(_ record: LogRecord) -> String {
    switch self {
    case .text: LogLine.text(record)
    case .logfmt: LogLine.logfmt(record)
    case .json: LogLine.json(record)
    }
  }
}
