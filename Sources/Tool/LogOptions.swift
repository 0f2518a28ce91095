import Glibc
import System

/// The options with which services configure their log.
enum LogOptions {
  static let level = OptionTable.Entry.value(
    "log-level", "error|warning|info|debug", default: "info", "log verbosity")
  static let format = OptionTable.Entry.value(
    "log-format", "text|logfmt|json|journal",
    default: "journal if standard error is connected to the journal; otherwise, text",
    "log format; journal writes to the journal, with fields that 'journalctl -o verbose' shows")

  static let file = OptionTable.Entry.value(
    "log-file", "FILE", default: "standard error",
    "file to append the log to; it is renamed to FILE.1 when it reaches 1 MB")

  /// Throws if the log level or the log format is unknown.
  static func check(_ options: CommandLineOptions) throws(CommandLineOptions.Problem) {
    _ = try options.choice("log-level", of: Log.Level.allCases.map(\.name))
    _ = try options.choice("log-format", of: LogFormat.allCases.map(\.rawValue) + ["journal"])
  }

  /// Returns the log specified by the options.
  static func log(_ subsystem: String, _ options: CommandLineOptions) -> Log {
    Log(
      subsystem: subsystem,
      level: options.value("log-level").flatMap(Log.Level.init(name:)) ?? .info,
      sink: sink(options.value("log-format"), file: options.value("log-file")))
  }

  private static func sink(_ format: String?, file: String?) -> LogSink {
    if let file {
      return .file(FileSystem.absolute(file), format.flatMap(LogFormat.init(rawValue:)) ?? .text)
    }
    if let format = format.flatMap(LogFormat.init(rawValue:)) { return .standardError(format) }
    let stream = unsafe getenv("JOURNAL_STREAM").map { unsafe String(cString: $0) }
    guard format != nil || JournalSocket.hasStandardError(journalStream: stream) else {
      return .standardError
    }
    return .journal()
  }
}
