import Foundation

/// How much a line of the log matters.
public struct OSLogType: RawRepresentable, Hashable, Sendable {
  /// The number, as on Apple's systems.
  public let rawValue: UInt8

  /// The kind of that number.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// As ever.
  public static let `default` = OSLogType(rawValue: 0x00)
  /// Good to know.
  public static let info = OSLogType(rawValue: 0x01)
  /// For whoever looks for a mistake.
  public static let debug = OSLogType(rawValue: 0x02)
  /// Something went wrong.
  public static let error = OSLogType(rawValue: 0x10)
  /// Something is wrong with the program.
  public static let fault = OSLogType(rawValue: 0x11)

  var word: String {
    switch self {
    case .info: "info"
    case .debug: "debug"
    case .error: "error"
    case .fault: "fault"
    default: "default"
    }
  }
}

/// Where lines come from.
public final class OSLog: Sendable {
  let subsystem: String
  let category: String

  /// A place of a program.
  public init(subsystem: String, category: String) {
    self.subsystem = subsystem
    self.category = category
  }

  /// No place in particular.
  public static let `default` = OSLog(subsystem: "", category: "")

  func write(_ text: String, _ type: OSLogType) {
    let place = subsystem.isEmpty && category.isEmpty ? "" : " [\(subsystem):\(category)]"
    // The error output, which systemd's journal keeps for an app that it runs.
    FileHandle.standardError.write(Data("\(type.word)\(place) \(text)\n".utf8))
  }
}

/// Writes lines to the program's error output.
public struct Logger: Sendable {
  private let log: OSLog

  /// A logger of no place in particular.
  public init() { log = .default }

  /// A logger of a place of a program.
  public init(subsystem: String, category: String) {
    log = OSLog(subsystem: subsystem, category: category)
  }

  /// A logger of a place of a program.
  public init(_ logObj: OSLog) { log = logObj }

  /// Writes a line.
  public func log(_ message: OSLogMessage) { log.write(message.text, .default) }
  /// Writes a line of a kind.
  public func log(level: OSLogType, _ message: OSLogMessage) { log.write(message.text, level) }
  /// Writes a line for whoever looks for a mistake.
  public func trace(_ message: OSLogMessage) { log.write(message.text, .debug) }
  /// Writes a line for whoever looks for a mistake.
  public func debug(_ message: OSLogMessage) { log.write(message.text, .debug) }
  /// Writes a line that is good to know.
  public func info(_ message: OSLogMessage) { log.write(message.text, .info) }
  /// Writes a line that matters.
  public func notice(_ message: OSLogMessage) { log.write(message.text, .default) }
  /// Writes a line on something that may go wrong.
  public func warning(_ message: OSLogMessage) { log.write(message.text, .error) }
  /// Writes a line on something that went wrong.
  public func error(_ message: OSLogMessage) { log.write(message.text, .error) }
  /// Writes a line on something that is wrong with the program.
  public func critical(_ message: OSLogMessage) { log.write(message.text, .fault) }
  /// Writes a line on something that is wrong with the program.
  public func fault(_ message: OSLogMessage) { log.write(message.text, .fault) }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Writes a line of a printf-like format; `%{public}@` and its kin are written as they are.
public func os_log(
  _ message: StaticString, log: OSLog = .default, type: OSLogType = .default,
  _ arguments: any CVarArg...
) {
  var format = message.description
  for privacy in ["{public}", "{private}", "{sensitive}"] {
    format = format.replacingOccurrences(of: "%" + privacy, with: "%")
  }
  log.write(String(format: format, arguments: arguments), type)
}
