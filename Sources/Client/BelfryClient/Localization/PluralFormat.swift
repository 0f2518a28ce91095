import BelfryWire
import Foundation

/// A format with plural forms, as an entry of a `.stringsdict` file has it.
struct PluralFormat: Sendable {
  /// The language whose forms these are, as a tag.
  let language: String
  /// The format itself, with `%#@name@` for each variable.
  let format: String
  private let variables: PluralVariables

  /// Reads an entry; nil when it has no format.
  init?(_ entry: [String: Any], language: String) {
    guard let format = entry["NSStringLocalizedFormatKey"] as? String else { return nil }
    self.language = language
    self.format = format
    variables = PluralVariables(entry)
  }

  /// The format without variables, each of whose directives names its argument, and the arguments
  /// that are named: Foundation reads past one that no directive names.
  ///
  /// Forms may name each other, so that what is read of them and what becomes of it are limited; a longer format is
  /// cut.
  func expanded(for arguments: [any CVarArg]) -> (format: String, arguments: [any CVarArg]) {
    var state = Expansion(arguments: arguments)
    expand(Array(format.utf8), &state, counted: nil, depth: 0)
    return (String(decoding: state.output, as: UTF8.self), state.used.map { arguments[$0] })
  }

  private struct Expansion {
    let arguments: [any CVarArg]
    var output: [UInt8] = []
    /// Whether the limit was reached: nothing more is written or read.
    var isCut = false
    /// Bytes of forms that may still be read.
    private var formBytes = WireLimits.filledTextBytesMax
    /// Where the latest directive begins in the output; what follows may belong to it.
    private var directive: Int?
    /// The argument of the next directive that names none.
    var next = 0
    /// Positions of the arguments that are named, in the order of their first mention.
    var used: [Int] = []
    private var numbers: [Int: Int] = [:]
    private var texts: [Int: String] = [:]

    /// Bytes of a directive after its number, at most: flags, a width, a precision and a conversion.
    private static let directiveBytes = 64

    init(arguments: [any CVarArg]) { self.arguments = arguments }

    /// An argument as a text, by which the form is chosen.
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

    /// Accounts for a form that is to be read; false when too much was read.
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
      // The first byte that is left out begins a scalar.
      while let last = kept.popLast(), last & 0b1100_0000 == 0b1000_0000 {}
      output.append(contentsOf: kept)
      // Foundation gets no half of a directive.
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
      // What no argument fills stays readable.
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

  /// Which argument the directive takes whose percent sign was read.
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
      // Inside a form, positions count from the argument that the form is of.
      return number - 1 + (counted ?? 0)
    }
    if let counted { return counted }
    state.next += 1
    return state.next - 1
  }
}
