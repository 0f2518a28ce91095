public import BelfryWire

/// A formatter for localized strings with arguments.
///
/// `%@` inserts the next argument unchanged, and `%1$@` inserts the specified argument. Numeric directives (`%d`,
/// `%lu`, …) do the same for arguments that are numbers. `%%` inserts a percent sign. Arguments are strings, so an
/// untrusted format string cannot control how memory is read. All other text is left unchanged.
///
/// A short format string can produce a long result: it can use the same argument many times, and plural forms can refer
/// to each other. The formatter therefore limits the length of the result and of the plural forms that it reads. A
/// result that reaches the limit is truncated.
public struct LocalizedFormat {
  /// A string whose directives have been replaced.
  public struct Filled: Equatable, Sendable {
    /// The string, truncated between two Unicode scalars if it was too long.
    public var text: String
    /// True if the string was truncated.
    public var isCut: Bool

    /// Creates a complete, untruncated string.
    public init(_ text: String) { self.init(text: text, isCut: false) }

    init(text: String, isCut: Bool) {
      self.text = text
      self.isCut = isCut
    }
  }

  private let arguments: [String]
  private let variables: PluralVariables?
  private let language: String
  private let limit: Int
  /// The number of bytes of plural forms that can still be read.
  private var formBytes: Int
  private var output: [UInt8] = []
  private var isCut = false
  /// The arguments that determine the nested plural forms that are being read, outermost first.
  private var counted: [String] = []

  /// Replaces the directives in a format string.
  ///
  /// - Parameters:
  ///   - format: The format string.
  ///   - arguments: The arguments; a missing argument is replaced by an empty string.
  ///   - variables: The plural forms for `%#@name@`; if a variable has no form, the directive inserts its argument.
  ///   - language: The language of the plural forms, as a tag.
  ///   - limit: The maximum number of bytes in the result, and in the plural forms that are read for it.
  /// - Returns: The formatted string, truncated if it would exceed the limit.
  public static func fill(
    _ format: String, with arguments: [String], variables: PluralVariables? = nil,
    language: String = "en", limit: Int = WireLimits.filledTextBytesMax
  ) -> Filled {
    var filler = LocalizedFormat(
      arguments: arguments, variables: variables, language: language, limit: limit)
    filler.fill(Array(format.utf8))
    assert(filler.output.count <= limit, "the result is within its limit")
    return Filled(text: String(decoding: filler.output, as: UTF8.self), isCut: filler.isCut)
  }

  private init(
    arguments: [String], variables: PluralVariables?, language: String, limit: Int
  ) {
    self.arguments = arguments
    self.variables = variables
    self.language = language
    self.limit = limit
    formBytes = limit
  }

  private mutating func fill(_ format: [UInt8]) {
    let percent = UInt8(ascii: "%")
    var next = 0
    var at = 0
    while !isCut, let found = format[at...].firstIndex(of: percent) {
      append(format[at..<found])
      at = found + 1
      if at < format.count, format[at] == percent {
        append(CollectionOfOne(percent))
        at += 1
        continue
      }
      guard let directive = FormatDirective(format, at: at),
        // Keep the directive if it requires a number and the argument is not a number.
        directive.use != .number || isNumber(directive.position ?? next)
      else {
        append(CollectionOfOne(percent))
        continue
      }
      let argument = argument(directive.position ?? next)
      if directive.position == nil { next += 1 }
      at = directive.end
      if case .variable(let name) = directive.use, fill(variable: format[name], for: argument) {
        continue
      }
      append(argument.utf8)
    }
    if !isCut { append(format[at...]) }
  }

  /// Inserts the plural form of a variable.
  ///
  /// Returns false if the variable has no plural form.
  private mutating func fill(variable name: ArraySlice<UInt8>, for argument: String) -> Bool {
    // A variable can contain other variables. The limit prevents endless recursion if they refer to each other.
    guard counted.count < WireLimits.pluralDepthMax,
      let form = variables?.text(of: name, for: argument, language: language)
    else { return false }
    formBytes -= form.utf8.count + 1
    guard formBytes >= 0 else {
      isCut = true
      return true
    }
    counted.append(argument)
    fill(Array(form.utf8))
    counted.removeLast()
    return true
  }

  /// Returns the argument at an index, or an empty string if the argument is missing.
  ///
  /// Inside a form, the first argument is the argument that determines the form. The arguments of the enclosing string
  /// follow.
  private func argument(_ index: Int) -> String {
    if index < counted.count { return counted[counted.count - 1 - index] }
    let index = index - counted.count
    return index < arguments.count ? arguments[index] : ""
  }

  private func isNumber(_ index: Int) -> Bool { PluralRule.isNumber(argument(index)) }

  private mutating func append(_ bytes: some Collection<UInt8>) {
    let room = limit - output.count
    guard bytes.count > room else {
      output.append(contentsOf: bytes)
      return
    }
    isCut = true
    var kept = Array(bytes.prefix(room + 1))
    // Remove bytes until the first omitted byte begins a Unicode scalar, so that no scalar is split.
    while let last = kept.popLast(), last & 0b1100_0000 == 0b1000_0000 {}
    output.append(contentsOf: kept)
  }
}
