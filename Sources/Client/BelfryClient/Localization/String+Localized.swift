public import Foundation

// Foundation on Linux lacks `String(localized:)`, and ignores plural forms when it fills in formats.

extension String {
  /// A key of the app's strings, with interpolated values: `"\(count) new messages"` has the key `%lld new messages`.
  public struct LocalizationValue: ExpressibleByStringInterpolation, Equatable, Sendable {
    /// A builder that creates a key from literals and values.
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
      var key = ""
      var arguments: [any CVarArg & Sendable] = []

      /// Creates an empty interpolation.
      public init(literalCapacity: Int, interpolationCount: Int) {}

      /// Appends a literal to the key, with its percent signs escaped.
      public mutating func appendLiteral(_ literal: String) {
        key += literal.replacingOccurrences(of: "%", with: "%%")
      }

      /// Appends a string value, which the key represents as `%@`.
      public mutating func appendInterpolation(_ text: String) {
        key += "%@"
        arguments.append(text)
      }

      /// Appends an integer value, which the key represents as `%lld`.
      public mutating func appendInterpolation(_ number: some BinaryInteger) {
        key += "%lld"
        arguments.append(Int64(clamping: number))
      }

      /// Appends a floating-point value, which the key represents as `%lf`.
      public mutating func appendInterpolation(_ number: Double) {
        key += "%lf"
        arguments.append(number)
      }
    }

    let key: String
    let arguments: [any CVarArg & Sendable]

    /// Creates a key without values.
    public init(stringLiteral value: String) { self.init(value) }

    /// Creates a key without values from a string that is known only at run time.
    public init(_ value: String) {
      key = value
      arguments = []
    }

    /// Creates a key with values.
    public init(stringInterpolation: StringInterpolation) {
      key =
        stringInterpolation.arguments.isEmpty
        ? stringInterpolation.key.replacingOccurrences(of: "%%", with: "%")
        : stringInterpolation.key
      arguments = stringInterpolation.arguments
    }

    /// Returns whether two keys and their values have the same text.
    public static func == (one: Self, other: Self) -> Bool {
      one.key == other.key && one.arguments.map { "\($0)" } == other.arguments.map { "\($0)" }
    }
  }

  /// Creates the localized string for a key in the user's languages; uses the key itself if no string is found.
  public init(
    localized keyAndValue: String.LocalizationValue, table: String? = nil, bundle: Bundle? = nil,
    locale: Locale = .current, comment: StaticString? = nil
  ) {
    self.init(keyAndValue.key, keyAndValue, table, bundle, locale)
  }

  /// Creates the localized string for a key in the user's languages; uses the default value if no string is found.
  public init(
    localized key: StaticString, defaultValue: String.LocalizationValue, table: String? = nil,
    bundle: Bundle? = nil, locale: Locale = .current, comment: StaticString? = nil
  ) {
    self.init(key.description, defaultValue, table, bundle, locale)
  }

  private init(
    _ key: String, _ value: LocalizationValue, _ table: String?, _ bundle: Bundle?, _ locale: Locale
  ) {
    let format = (bundle ?? .main).text(forKey: key, value: value.key, table: table)
    self =
      value.arguments.isEmpty
      ? format : String.filled(format, locale, value.arguments.map { $0 as any CVarArg })
  }

  /// Fills in a format, using the plural forms in the app's `.stringsdict` files.
  static func filled(_ format: String, _ locale: Locale?, _ arguments: [any CVarArg]) -> String {
    let (format, arguments) =
      BundleTexts.shared.plural(of: format)?.expanded(for: arguments) ?? (format, arguments)
    return String(format: format, locale: locale, arguments: arguments)
  }
}

// These functions are generic, so that overload resolution selects exactly one declaration: one of these functions or
// one of Foundation's. If two declarations had equal rank, every file that fills in a format would fail to compile.
extension String {
  /// Fills in a format with one value, using the plural forms in the app's `.stringsdict` files.
  public static func localizedStringWithFormat<Value: CVarArg>(
    _ format: String, _ value: Value
  ) -> String { filled(format, .current, [value]) }

  /// Fills in a format with two values, using the plural forms in the app's `.stringsdict` files.
  public static func localizedStringWithFormat<First: CVarArg, Second: CVarArg>(
    _ format: String, _ first: First, _ second: Second
  ) -> String { filled(format, .current, [first, second]) }

  /// Fills in a format with three values, using the plural forms in the app's `.stringsdict` files.
  public static func localizedStringWithFormat<First: CVarArg, Second: CVarArg, Third: CVarArg>(
    _ format: String, _ first: First, _ second: Second, _ third: Third
  ) -> String { filled(format, .current, [first, second, third]) }

  /// Fills in a format with one value, using the plural forms in the app's `.stringsdict` files.
  public init<Value: CVarArg>(format: String, _ value: Value) {
    self = String.filled(format, nil, [value])
  }

  /// Fills in a format with two values, using the plural forms in the app's `.stringsdict` files.
  public init<First: CVarArg, Second: CVarArg>(
    format: String, _ first: First, _ second: Second
  ) { self = String.filled(format, nil, [first, second]) }
}
