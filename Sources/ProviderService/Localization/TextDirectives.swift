internal import Scheduling

/// The placeholders of a string: the arguments that it uses, and their kinds.
struct TextDirectives: Equatable {
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

  /// Parses `%@`, `%2$@`, `%d`, `%#@name@`, and similar placeholders, using the same rules as the later replacement.
  init(_ format: String) {
    let format = Array(format.utf8)
    let percent = UInt8(ascii: "%")
    var next = 1
    var at = 0
    while let found = format[at...].firstIndex(of: percent) {
      at = found + 1
      if at < format.count, format[at] == percent {
        at += 1
        continue
      }
      guard let directive = FormatDirective(format, at: at) else { continue }
      at = directive.end
      if !directive.form.isEmpty, formatted == nil {
        let form = String(decoding: format[directive.form].prefix(20), as: UTF8.self)
        formatted = "%\(form)\(Unicode.Scalar(format[directive.end - 1]))"
      }
      let place = directive.position.map { $0 + 1 } ?? next
      if directive.position == nil { next += 1 }
      let kind: Kind = directive.use == .text ? .text : .number
      if let other = kinds[place], other != kind { isContradictory = true }
      kinds[place] = kind
    }
  }

  /// Returns the first placeholder for a number that is clearly meant as one; nil if the string has none.
  ///
  /// A percent sign after a digit, or before a word, is text: `50%off`, `the %discount`.
  static func firstNumber(in format: String) -> String? {
    let format = Array(format.utf8)
    let percent = UInt8(ascii: "%")
    var at = 0
    while let found = format[at...].firstIndex(of: percent) {
      at = found + 1
      if at < format.count, format[at] == percent {
        at += 1
        continue
      }
      guard let directive = FormatDirective(format, at: at) else { continue }
      at = directive.end
      let isAfterDigit = found > 0 && (0x30...0x39).contains(format[found - 1])
      // Set the bit that distinguishes lowercase ASCII letters from uppercase ones.
      let isBeforeLetter = at < format.count && (0x61...0x7A).contains(format[at] | 0x20)
      guard directive.use == .number, !isAfterDigit, !isBeforeLetter else { continue }
      return String(decoding: format[found..<at].prefix(20), as: UTF8.self)
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
