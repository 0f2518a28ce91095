/// A log message with interpolated values.
public struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
  /// A builder that creates a message from literals and values.
  public struct StringInterpolation: StringInterpolationProtocol, Sendable {
    var text = ""

    /// Creates an empty message.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Appends a literal to the message.
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// Appends a value to the message.
    public mutating func appendInterpolation(
      _ value: @autoclosure () -> some Any, privacy: OSLogPrivacy = .auto
    ) { text += privacy.shown("\(value())") }

    /// Appends an optional value to the message.
    public mutating func appendInterpolation<Value>(
      _ value: @autoclosure () -> Value?, privacy: OSLogPrivacy = .auto
    ) { text += privacy.shown(value().map { "\($0)" } ?? "nil") }

    /// Appends a value, padded to the width of a column.
    public mutating func appendInterpolation(
      _ value: @autoclosure () -> some Any, align: OSLogStringAlignment,
      privacy: OSLogPrivacy = .auto
    ) { text += align.padded(privacy.shown("\(value())")) }
  }

  let text: String

  /// Creates a message without values.
  public init(stringLiteral value: String) { text = value }

  /// Creates a message with values.
  public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }
}

/// The privacy of a value, which determines whether it is written to the log.
public struct OSLogPrivacy: Sendable {
  /// The ways to keep redacted values distinguishable; these options have no effect.
  public enum Mask: Sendable {
    /// Values are distinguished by their hashes.
    case hash
    /// Values are not distinguished.
    case none
  }

  private let isShown: Bool

  /// The value is written, because the log is the developer's own terminal.
  public static var auto: OSLogPrivacy { OSLogPrivacy(isShown: true) }
  /// The value is written to the log.
  public static var `public`: OSLogPrivacy { OSLogPrivacy(isShown: true) }
  /// The value is redacted in the log.
  public static var `private`: OSLogPrivacy { OSLogPrivacy(isShown: false) }
  /// The value is redacted in the log.
  public static var sensitive: OSLogPrivacy { OSLogPrivacy(isShown: false) }

  /// Returns the option that writes the value, because the log is the developer's own terminal.
  public static func auto(mask: Mask) -> OSLogPrivacy { .auto }
  /// Returns the option that redacts the value.
  public static func `private`(mask: Mask) -> OSLogPrivacy { .private }
  /// Returns the option that redacts the value.
  public static func sensitive(mask: Mask) -> OSLogPrivacy { .sensitive }

  func shown(_ text: String) -> String { isShown ? text : "<private>" }
}

/// The alignment of a value in a column.
public struct OSLogStringAlignment: Sendable {
  private let columns: Int
  private let isRight: Bool

  /// The value is not aligned.
  public static var none: OSLogStringAlignment { .init(columns: 0, isRight: false) }

  /// Returns an alignment that pads a value on the left to the given number of columns.
  public static func right(columns: Int) -> OSLogStringAlignment {
    .init(columns: columns, isRight: true)
  }

  /// Returns an alignment that pads a value on the right to the given number of columns.
  public static func left(columns: Int) -> OSLogStringAlignment {
    .init(columns: columns, isRight: false)
  }

  func padded(_ text: String) -> String {
    let space = String(repeating: " ", count: max(0, columns - text.count))
    return isRight ? space + text : text + space
  }
}
