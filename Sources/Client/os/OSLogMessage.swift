/// A log message with interpolated values.
public struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
  /// Builds a message from literals and values.
  public struct StringInterpolation: StringInterpolationProtocol, Sendable {
    var text = ""

    /// Creates an empty message.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Appends a literal.
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// Appends a value.
    public mutating func appendInterpolation(
      _ value: @autoclosure () -> some Any, privacy: OSLogPrivacy = .auto
    ) { text += privacy.shown("\(value())") }

    /// Appends an optional value.
    public mutating func appendInterpolation<Value>(
      _ value: @autoclosure () -> Value?, privacy: OSLogPrivacy = .auto
    ) { text += privacy.shown(value().map { "\($0)" } ?? "nil") }

    /// Appends a value, padded to a column.
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

/// Whether a value is written to the log.
public struct OSLogPrivacy: Sendable {
  /// The way in which redacted values stay distinguishable; without effect.
  public enum Mask: Sendable {
    /// By its hash.
    case hash
    /// Not at all.
    case none
  }

  private let isShown: Bool

  /// Written: the log is the developer's own terminal.
  public static var auto: OSLogPrivacy { OSLogPrivacy(isShown: true) }
  /// Written.
  public static var `public`: OSLogPrivacy { OSLogPrivacy(isShown: true) }
  /// Redacted.
  public static var `private`: OSLogPrivacy { OSLogPrivacy(isShown: false) }
  /// Redacted.
  public static var sensitive: OSLogPrivacy { OSLogPrivacy(isShown: false) }

  /// Written: the log is the developer's own terminal.
  public static func auto(mask: Mask) -> OSLogPrivacy { .auto }
  /// Redacted.
  public static func `private`(mask: Mask) -> OSLogPrivacy { .private }
  /// Redacted.
  public static func sensitive(mask: Mask) -> OSLogPrivacy { .sensitive }

  func shown(_ text: String) -> String { isShown ? text : "<private>" }
}

/// The alignment of a value in a column.
public struct OSLogStringAlignment: Sendable {
  private let columns: Int
  private let isRight: Bool

  /// No alignment.
  public static var none: OSLogStringAlignment { .init(columns: 0, isRight: false) }

  /// Aligned to the column's right edge.
  public static func right(columns: Int) -> OSLogStringAlignment {
    .init(columns: columns, isRight: true)
  }

  /// Aligned to the column's left edge.
  public static func left(columns: Int) -> OSLogStringAlignment {
    .init(columns: columns, isRight: false)
  }

  func padded(_ text: String) -> String {
    let space = String(repeating: " ", count: max(0, columns - text.count))
    return isRight ? space + text : text + space
  }
}
