internal import Scheduling

/// The placeholders of a string: the arguments that it uses, and their kinds.
struct TextDirectives {
  /// The kind of an argument.
  enum Kind: String {
    case text, number
  }

  /// The kinds, keyed by the argument's position, which starts at 1.
  private(set) var kinds: [Int: Kind] = [:]
  /// True if an argument is used both as text and as a number.
  private(set) var isContradictory = false
  /// The first placeholder with a width, a precision, or a flag, none of which is applied to arguments; nil if no
  /// placeholder has one.
  private(set) var formatted: String?
  /// A placeholder of each argument as the string spells it, such as `%2$@`, keyed by the argument's position.
  private var spellings: [Int: String] = [:]

  /// Parses `%@`, `%2$@`, `%d`, `%#@name@`, and similar placeholders, using the same rules as the later replacement.
  init(_ format: String) {
    let format = Array(format.utf8)
    var next = 1
    for (start, directive) in Self.directives(in: format) {
      if !directive.form.isEmpty, formatted == nil {
        let form = String(decoding: format[directive.form].prefix(20), as: UTF8.self)
        formatted = "%\(form)\(Unicode.Scalar(format[directive.end - 1]))"
      }
      let place = directive.position.map { $0 + 1 } ?? next
      if directive.position == nil { next += 1 }
      let kind: Kind = directive.use == .text ? .text : .number
      if let other = kinds[place], other != kind { isContradictory = true }
      if kinds[place] != kind {
        spellings[place] = Self.spelling(format[start..<directive.end])
      }
      kinds[place] = kind
    }
  }

  /// Returns a placeholder of an argument as the string spells it; `%@` if the string does not use the argument.
  func spelling(of place: Int) -> String { spellings[place] ?? "%@" }

  /// Returns the beginning of a placeholder, for use in a message: the name of a variable can be long.
  private static func spelling(_ placeholder: ArraySlice<UInt8>) -> String {
    String(decoding: placeholder.prefix(20), as: UTF8.self)
  }

  /// Returns the placeholders in a format, each with the position of its percent sign.
  private static func directives(
    in format: [UInt8]
  ) -> [(start: Int, directive: FormatDirective)] {
    let percent = UInt8(ascii: "%")
    var found: [(start: Int, directive: FormatDirective)] = []
    var at = 0
    while let start = format[at...].firstIndex(of: percent) {
      at = start + 1
      if at < format.count, format[at] == percent {
        at += 1
      } else if let directive = FormatDirective(format, at: at) {
        at = directive.end
        found.append((start, directive))
      }
    }
    return found
  }

  /// Returns the first placeholder for a number that is clearly meant as one; nil if the string has none.
  ///
  /// A percent sign after a digit, or before a word, is text: `50%off`, `the %discount`.
  static func firstNumber(in format: String) -> String? {
    let format = Array(format.utf8)
    for (start, directive) in directives(in: format) where directive.use == .number {
      let end = directive.end
      let isAfterDigit = start > 0 && (0x30...0x39).contains(format[start - 1])
      // Set the bit that distinguishes lowercase ASCII letters from uppercase ones.
      let isBeforeLetter = end < format.count && (0x61...0x7A).contains(format[end] | 0x20)
      guard !isAfterDigit, !isBeforeLetter else { continue }
      return spelling(format[start..<end])
    }
    return nil
  }

  /// The placeholders as a list for messages, such as `1 text, 2 number`; "none" if there are no placeholders.
  var description: String {
    guard !kinds.isEmpty else { return "none" }
    let shown = kinds.sorted { $0.key < $1.key }.prefix(Limits.argumentsMax)
    let more = kinds.count > shown.count ? ", …" : ""
    return shown.map { "\($0.key) \($0.value.rawValue)" }.joined(separator: ", ") + more
  }
}
