/// A log that is readable by both people and programs; each line has a message, a time, a level, and key-value fields.
///
/// Device tokens, payloads, keys, and codes are never logged in cleartext.
public struct Log: Sendable {
  /// The severity of a line.
  public enum Level: UInt8, Sendable, Comparable, CaseIterable {
    /// Details that help in debugging.
    case debug
    /// Information for the operator.
    case info
    /// A problem that did not stop the operation.
    case warning
    /// A failure: an operation was not performed.
    case error

    /// Compares levels by severity; less severe levels are lower.
    public static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }

    /// Creates a level from "debug", "info", "warning", or "error".
    ///
    /// Returns nil for any other name.
    public init?(name: String) {
      guard let level = Level.allCases.first(where: { $0.name == name }) else { return nil }
      self = level
    }

    /// The level's name in a line.
    public var name: String {
      switch self {
      case .debug: "debug"
      case .info: "info"
      case .warning: "warning"
      case .error: "error"
      }
    }
  }

  /// The part of the program that logs, such as "gateway.device".
  public let subsystem: String
  /// The lowest level that is written; lines below this level are dropped.
  public let level: Level
  private let sink: LogSink

  /// Creates a log that passes each line to `sink`.
  public init(subsystem: String, level: Level = .info, sink: LogSink = .standardError) {
    self.subsystem = subsystem
    self.level = level
    self.sink = sink
  }

  /// A log that drops every line.
  public static let silent = Log(subsystem: "", level: .error, sink: .nowhere)

  /// Returns the same log for the subsystem "parent.child".
  public func child(_ name: String) -> Log {
    Log(subsystem: subsystem.isEmpty ? name : "\(subsystem).\(name)", level: level, sink: sink)
  }

  /// Logs that an operation failed.
  public func error(
    _ message: @autoclosure () -> String, _ fields: KeyValuePairs<String, String> = [:]
  ) { write(.error, message, fields) }

  /// Logs a problem that did not stop the operation.
  public func warning(
    _ message: @autoclosure () -> String, _ fields: KeyValuePairs<String, String> = [:]
  ) { write(.warning, message, fields) }

  /// Logs information for the operator.
  public func info(
    _ message: @autoclosure () -> String, _ fields: KeyValuePairs<String, String> = [:]
  ) { write(.info, message, fields) }

  /// Logs a detail for debugging.
  public func debug(
    _ message: @autoclosure () -> String, _ fields: KeyValuePairs<String, String> = [:]
  ) { write(.debug, message, fields) }

  /// Returns true if lines with this level are written.
  ///
  /// Call this method before computing expensive fields.
  public func isEnabled(_ level: Level) -> Bool { level >= self.level && !sink.isNowhere }

  private func write(
    _ level: Level, _ message: () -> String, _ fields: KeyValuePairs<String, String>
  ) {
    guard isEnabled(level) else { return }
    sink.write(
      LogRecord(
        unixMilliseconds: SystemClock.unixMilliseconds, level: level, subsystem: subsystem,
        message: message(), fields: fields))
  }
}
