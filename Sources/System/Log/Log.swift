/// A log for people and programs: what happened, when, how urgent it is, and fields of one value each.
///
/// Device tokens, payloads, keys and codes are never a field in the clear.
public struct Log: Sendable {
  /// The severity of a line.
  public enum Level: UInt8, Sendable, Comparable, CaseIterable {
    /// Details for debugging.
    case debug
    /// What an operator may want to know.
    case info
    /// Something to look at, though the work went on.
    case warning
    /// Something was not done.
    case error

    /// Less urgent levels come first.
    public static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }

    /// "debug", "info", "warning" or "error"; nil for anything else.
    public init?(name: String) {
      guard let level = Level.allCases.first(where: { $0.name == name }) else { return nil }
      self = level
    }

    /// The word in the line.
    public var name: String {
      switch self {
      case .debug: "debug"
      case .info: "info"
      case .warning: "warning"
      case .error: "error"
      }
    }
  }

  /// The part of the program that speaks, such as "gateway.device".
  public let subsystem: String
  /// Lines below this level are dropped.
  public let level: Level
  private let sink: LogSink

  /// A log that hands each line to `sink`.
  public init(subsystem: String, level: Level = .info, sink: LogSink = .standardError) {
    self.subsystem = subsystem
    self.level = level
    self.sink = sink
  }

  /// A log that drops every line.
  public static let silent = Log(subsystem: "", level: .error, sink: .nowhere)

  /// The same log under another name, "parent.child".
  public func child(_ name: String) -> Log {
    Log(subsystem: subsystem.isEmpty ? name : "\(subsystem).\(name)", level: level, sink: sink)
  }

  /// Something was not done.
  public func error(
    _ message: @autoclosure () -> String, _ fields: KeyValuePairs<String, String> = [:]
  ) { write(.error, message, fields) }

  /// Something to look at, though the work went on.
  public func warning(
    _ message: @autoclosure () -> String, _ fields: KeyValuePairs<String, String> = [:]
  ) { write(.warning, message, fields) }

  /// What an operator may want to know.
  public func info(
    _ message: @autoclosure () -> String, _ fields: KeyValuePairs<String, String> = [:]
  ) { write(.info, message, fields) }

  /// Logs a detail for debugging.
  public func debug(
    _ message: @autoclosure () -> String, _ fields: KeyValuePairs<String, String> = [:]
  ) { write(.debug, message, fields) }

  /// True when lines of this level are made: for fields that cost something.
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
