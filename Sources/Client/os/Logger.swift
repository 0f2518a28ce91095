import Foundation

/// The level of a log message.
public struct OSLogType: RawRepresentable, Hashable, Sendable {
  /// The number of the level, as on Apple's systems.
  public let rawValue: UInt8

  /// Creates a level from its number.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The level of messages that do not specify a level.
  public static let `default` = OSLogType(rawValue: 0x00)
  /// Information that is helpful, but not essential.
  public static let info = OSLogType(rawValue: 0x01)
  /// Details that are useful only for debugging; they are always written, like messages at all other levels.
  public static let debug = OSLogType(rawValue: 0x02)
  /// An error in the program's operation.
  public static let error = OSLogType(rawValue: 0x10)
  /// A bug in the program.
  public static let fault = OSLogType(rawValue: 0x11)

  var name: String {
    switch self {
    case .info: "info"
    case .debug: "debug"
    case .error: "error"
    case .fault: "fault"
    default: "default"
    }
  }
}

/// The subsystem and category of log messages.
public final class OSLog: Sendable {
  let subsystem: String
  let category: String

  /// Creates a log for the given subsystem and category.
  public init(subsystem: String, category: String) {
    self.subsystem = subsystem
    self.category = category
  }

  /// The log without a subsystem or category.
  public static let `default` = OSLog(subsystem: "", category: "")

  func write(_ text: String, _ type: OSLogType) {
    let source = subsystem.isEmpty && category.isEmpty ? "" : " [\(subsystem):\(category)]"
    // If systemd runs the app, the journal stores its standard error.
    FileHandle.standardError.write(Data("\(type.name)\(source) \(text)\n".utf8))
  }
}

/// A logger that writes to the program's standard error.
public struct Logger: Sendable {
  private let log: OSLog

  /// Creates a logger without a subsystem or category.
  public init() { log = .default }

  /// Creates a logger for the given subsystem and category.
  public init(subsystem: String, category: String) {
    log = OSLog(subsystem: subsystem, category: category)
  }

  /// Creates a logger with the subsystem and category of a log.
  public init(_ logObj: OSLog) { log = logObj }

  /// Writes a message at the default level.
  public func log(_ message: OSLogMessage) { log.write(message.text, .default) }
  /// Writes a message at the given level.
  public func log(level: OSLogType, _ message: OSLogMessage) { log.write(message.text, level) }
  /// Writes a message at the debug level.
  public func trace(_ message: OSLogMessage) { log.write(message.text, .debug) }
  /// Writes a message at the debug level.
  public func debug(_ message: OSLogMessage) { log.write(message.text, .debug) }
  /// Writes a message at the info level.
  public func info(_ message: OSLogMessage) { log.write(message.text, .info) }
  /// Writes a message at the default level.
  public func notice(_ message: OSLogMessage) { log.write(message.text, .default) }
  /// Writes a message at the error level.
  public func warning(_ message: OSLogMessage) { log.write(message.text, .error) }
  /// Writes a message at the error level.
  public func error(_ message: OSLogMessage) { log.write(message.text, .error) }
  /// Writes a message at the fault level.
  public func critical(_ message: OSLogMessage) { log.write(message.text, .fault) }
  /// Writes a message at the fault level.
  public func fault(_ message: OSLogMessage) { log.write(message.text, .fault) }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Writes a message with a printf-like format.
///
/// The values of all directives, even of `%{private}@`, are written unredacted.
public func os_log(
  _ message: StaticString, log: OSLog = .default, type: OSLogType = .default,
  _ arguments: any CVarArg...
) {
  log.write(formatted(message, arguments), type)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Writes a message with a printf-like format; the level is the first argument.
public func os_log(
  _ type: OSLogType, log: OSLog = .default, _ message: StaticString, _ arguments: any CVarArg...
) { log.write(formatted(message, arguments), type) }

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Writes a message with interpolated values; the level is the first argument.
@_disfavoredOverload
public func os_log(_ type: OSLogType, log: OSLog = .default, _ message: OSLogMessage) {
  log.write(message.text, type)
}

private func formatted(_ message: StaticString, _ arguments: [any CVarArg]) -> String {
  var format = message.description
  for privacy in ["{public}", "{private}", "{sensitive}"] {
    format = format.replacingOccurrences(of: "%" + privacy, with: "%")
  }
  return String(format: format, arguments: arguments)
}
