public import Foundation

// Foundation on Linux leaves `String(localized:)` out, and fills formats without plural forms.

extension String {
  /// A key of the app's texts, with values among its characters: `"\(count) new messages"` has the
  /// key `%lld new messages`.
  public struct LocalizationValue: ExpressibleByStringInterpolation, Equatable, Sendable {
    /// Takes a key in, piece by piece.
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
      var key = ""
      var arguments: [any CVarArg & Sendable] = []

      /// An empty one.
      public init(literalCapacity: Int, interpolationCount: Int) {}

      /// Takes characters in.
      public mutating func appendLiteral(_ literal: String) {
        key += literal.replacingOccurrences(of: "%", with: "%%")
      }

      /// Takes a text in.
      public mutating func appendInterpolation(_ text: String) {
        key += "%@"
        arguments.append(text)
      }

      /// Takes a number in.
      public mutating func appendInterpolation(_ number: some BinaryInteger) {
        key += "%lld"
        arguments.append(Int64(clamping: number))
      }

      /// Takes a number with a fraction in.
      public mutating func appendInterpolation(_ number: Double) {
        key += "%lf"
        arguments.append(number)
      }
    }

    let key: String
    let arguments: [any CVarArg & Sendable]

    /// A key without values.
    public init(stringLiteral value: String) { self.init(value) }

    /// A key without values, as a text that is only known at run time.
    public init(_ value: String) {
      key = value
      arguments = []
    }

    /// A key with values.
    public init(stringInterpolation: StringInterpolation) {
      key =
        stringInterpolation.arguments.isEmpty
        ? stringInterpolation.key.replacingOccurrences(of: "%%", with: "%")
        : stringInterpolation.key
      arguments = stringInterpolation.arguments
    }

    /// Whether two keys and their values read the same.
    public static func == (one: Self, other: Self) -> Bool {
      one.key == other.key && one.arguments.map { "\($0)" } == other.arguments.map { "\($0)" }
    }
  }

  /// The text for a key in the languages chosen on the device; without a text the key itself.
  public init(
    localized keyAndValue: String.LocalizationValue, table: String? = nil, bundle: Bundle? = nil,
    locale: Locale = .current, comment: StaticString? = nil
  ) {
    self.init(keyAndValue.key, keyAndValue, table, bundle, locale)
  }

  /// The text for a key in the languages chosen on the device; without a text the value.
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

  /// A format filled in, with the plural forms of the app's `.stringsdict` files.
  static func filled(_ format: String, _ locale: Locale?, _ arguments: [any CVarArg]) -> String {
    let (format, arguments) =
      BundleTexts.shared.plural(of: format)?.expanded(for: arguments) ?? (format, arguments)
    return String(format: format, locale: locale, arguments: arguments)
  }
}

// Generic, because the compiler then prefers them to Foundation's own, or takes those; two forms of
// one rank would be an error in every file that fills in a format.
extension String {
  /// A format filled in with one value, with the plural forms of the app's `.stringsdict` files.
  public static func localizedStringWithFormat<Value: CVarArg>(
    _ format: String, _ value: Value
  ) -> String { filled(format, .current, [value]) }

  /// A format filled in with two values, with the plural forms of the app's `.stringsdict` files.
  public static func localizedStringWithFormat<First: CVarArg, Second: CVarArg>(
    _ format: String, _ first: First, _ second: Second
  ) -> String { filled(format, .current, [first, second]) }

  /// A format filled in with three values, with the plural forms of the app's `.stringsdict` files.
  public static func localizedStringWithFormat<First: CVarArg, Second: CVarArg, Third: CVarArg>(
    _ format: String, _ first: First, _ second: Second, _ third: Third
  ) -> String { filled(format, .current, [first, second, third]) }

  /// A format filled in with one value, with the plural forms of the app's `.stringsdict` files.
  public init<Value: CVarArg>(format: String, _ value: Value) {
    self = String.filled(format, nil, [value])
  }

  /// A format filled in with two values, with the plural forms of the app's `.stringsdict` files.
  public init<First: CVarArg, Second: CVarArg>(
    format: String, _ first: First, _ second: Second
  ) { self = String.filled(format, nil, [first, second]) }
}
