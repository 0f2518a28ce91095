/// A line for a log, with values among its characters.
public struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
  /// Takes a line in, piece by piece.
  public struct StringInterpolation: StringInterpolationProtocol, Sendable {
    var text = ""

    /// An empty one.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Takes characters in.
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// Takes a value in.
    public mutating func appendInterpolation(
      _ value: @autoclosure () -> some Any, privacy: OSLogPrivacy = .auto
    ) { text += privacy.shown("\(value())") }

    /// Takes an optional value in.
    public mutating func appendInterpolation<Value>(
      _ value: @autoclosure () -> Value?, privacy: OSLogPrivacy = .auto
    ) { text += privacy.shown(value().map { "\($0)" } ?? "nil") }

    /// Takes a value in, in a column.
    public mutating func appendInterpolation(
      _ value: @autoclosure () -> some Any, align: OSLogStringAlignment,
      privacy: OSLogPrivacy = .auto
    ) { text += align.padded(privacy.shown("\(value())")) }
  }

  let text: String

  /// A line without values.
  public init(stringLiteral value: String) { text = value }

  /// A line with values.
  public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }
}

/// Whether a value is written to the log.
public struct OSLogPrivacy: Sendable {
  /// How a hidden value can still be told from others; without effect.
  public enum Mask: Sendable {
    /// By its hash.
    case hash
    /// Not at all.
    case none
  }

  private let isShown: Bool

  /// It is: the log is the developer's own terminal.
  public static var auto: OSLogPrivacy { OSLogPrivacy(isShown: true) }
  /// It is.
  public static var `public`: OSLogPrivacy { OSLogPrivacy(isShown: true) }
  /// It is not.
  public static var `private`: OSLogPrivacy { OSLogPrivacy(isShown: false) }
  /// It is not.
  public static var sensitive: OSLogPrivacy { OSLogPrivacy(isShown: false) }

  /// It is: the log is the developer's own terminal.
  public static func auto(mask: Mask) -> OSLogPrivacy { .auto }
  /// It is not.
  public static func `private`(mask: Mask) -> OSLogPrivacy { .private }
  /// It is not.
  public static func sensitive(mask: Mask) -> OSLogPrivacy { .sensitive }

  func shown(_ text: String) -> String { isShown ? text : "<private>" }
}

/// A column's width and side.
public struct OSLogStringAlignment: Sendable {
  private let columns: Int
  private let isRight: Bool

  /// No column.
  public static var none: OSLogStringAlignment { .init(columns: 0, isRight: false) }

  /// At the column's right edge.
  public static func right(columns: Int) -> OSLogStringAlignment {
    .init(columns: columns, isRight: true)
  }

  /// At the column's left edge.
  public static func left(columns: Int) -> OSLogStringAlignment {
    .init(columns: columns, isRight: false)
  }

  func padded(_ text: String) -> String {
    let space = String(repeating: " ", count: max(0, columns - text.count))
    return isRight ? space + text : text + space
  }
}
