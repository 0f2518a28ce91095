import BelfryWire
import Scheduling
import Foundation

/// A format with plural forms, which an entry of a `.stringsdict` file defines.
struct PluralFormat: Sendable {
  /// The language of the forms, as a tag.
  let language: String
  /// The format with a `%#@name@` directive for each variable.
  let format: String
  private let variables: PluralVariables

  /// Creates a format from an entry; nil if the entry has no format.
  init?(_ entry: [String: Any], language: String) {
    guard let format = entry["NSStringLocalizedFormatKey"] as? String else { return nil }
    self.language = language
    self.format = format
    variables = PluralVariables(entry)
  }

  /// Returns the format with its variables replaced by plural forms, and the arguments that the resulting format uses.
  ///
  /// Each directive in the result specifies the number of its argument, and unused arguments are omitted. If no
  /// directive refers to an argument, Foundation reads past the arguments.
  ///
  /// Forms can refer to each other, so the number of bytes read and the size of the result are limited. A longer result
  /// is truncated.
  func expanded(for arguments: [any CVarArg]) -> (format: String, arguments: [any CVarArg]) {
    var state = Expansion(arguments: arguments)
    expand(Array(format.utf8), &state, counted: nil, depth: 0)
    return (String(decoding: state.output, as: UTF8.self), state.used.map { arguments[$0] })
  }

  private struct Expansion {
    let arguments: [any CVarArg]
    var output: [UInt8] = []
    /// True if the limit was reached; after that, nothing more is written or read.
    var isCut = false
    /// The number of bytes of forms that may still be read.
    private var formBytes = WireLimits.filledTextBytesMax
    /// The position of the latest directive in the output; the bytes that follow might belong to this directive.
    private var directive: Int?
    /// The position of the argument for the next directive that does not specify its argument.
    var next = 0
    /// The positions of the arguments that directives refer to, in order of first mention.
    var used: [Int] = []
    private var numbers: [Int: Int] = [:]
    private var texts: [Int: String] = [:]

    /// The maximum number of bytes in a directive after its number: flags, a width, a precision, and a conversion.
    private static let directiveBytes = 64

    init(arguments: [any CVarArg]) { self.arguments = arguments }

    /// Returns the text of an argument, which determines the plural form.
    mutating func text(of position: Int) -> String {
      if let text = texts[position] { return text }
      let text = "\(arguments[position])"
      texts[position] = text
      return text
    }

    mutating func appendDirective(of position: Int) {
      var number = numbers[position] ?? 0
      if number == 0 {
        used.append(position)
        number = used.count
        numbers[position] = number
      }
      directive = output.count
      append("%\(number)$".utf8)
    }

    /// Deducts the length of a form from the number of bytes that may still be read.
    ///
    /// Returns false if the limit is exceeded.
    mutating func read(_ form: String) -> Bool {
      formBytes -= form.utf8.count + 1
      if formBytes < 0 { isCut = true }
      return !isCut
    }

    mutating func append(_ bytes: some Collection<UInt8>) {
      guard !isCut else { return }
      let room = WireLimits.filledTextBytesMax - output.count
      guard bytes.count > room else {
        output.append(contentsOf: bytes)
        return
      }
      isCut = true
      var kept = Array(bytes.prefix(room + 1))
      // Do not split a scalar: remove the trailing continuation bytes and the byte before them.
      while let last = kept.popLast(), last & 0b1100_0000 == 0b1000_0000 {}
      output.append(contentsOf: kept)
      // Remove the last directive if it might be truncated, so that Foundation does not read part of a directive.
      if let directive, output.count - directive < Self.directiveBytes {
        output.removeSubrange(directive...)
      }
    }
  }

  private func expand(_ format: [UInt8], _ state: inout Expansion, counted: Int?, depth: Int) {
    let percent = UInt8(ascii: "%")
    var at = 0
    while !state.isCut, let found = format[at...].firstIndex(of: percent) {
      state.append(format[at..<found])
      at = found + 1
      if at < format.count, format[at] == percent {
        state.append("%%".utf8)
        at += 1
        continue
      }
      let position = position(format, &at, &state, counted: counted)
      // Escape a directive that has no argument, so that its text stays in the result.
      guard state.arguments.indices.contains(position) else {
        state.append("%%".utf8)
        continue
      }
      let name = at + 2
      guard format[at...].starts(with: "#@".utf8),
        let end = format[name...].firstIndex(of: UInt8(ascii: "@"))
      else {
        state.appendDirective(of: position)
        continue
      }
      at = end + 1
      guard depth < WireLimits.pluralDepthMax,
        let form = variables.text(
          of: format[name..<end], for: state.text(of: position), language: language),
        state.read(form)
      else { continue }
      expand(Array(form.utf8), &state, counted: position, depth: depth + 1)
    }
    state.append(format[at...])
  }

  /// Returns the position of the argument for a directive; the directive's percent sign has already been read.
  private func position(
    _ format: [UInt8], _ at: inout Int, _ state: inout Expansion, counted: Int?
  ) -> Int {
    let digits = format[at...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    let end = at + digits.count
    if end < format.count, format[end] == UInt8(ascii: "$"), digits.count < 10,
      let number = Int(String(decoding: digits, as: UTF8.self)),
      (1...state.arguments.count + 1).contains(number)
    {
      at = end + 1
      // Inside a form, positions are counted from the argument that the form belongs to.
      return number - 1 + (counted ?? 0)
    }
    if let counted { return counted }
    state.next += 1
    return state.next - 1
  }
}
