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
  func expanded(for arguments: [any CVarArg]) -> (format: String, arguments: [any CVarArg]) {
    var state = Expansion(arguments: arguments)
    let text = expand(format, &state, counted: nil, depth: 0)
    return (text, state.used.map { arguments[$0] })
  }

  private struct Expansion {
    let arguments: [any CVarArg]
    /// The argument of the next directive that names none.
    var next = 0
    /// Positions of the arguments that are named, in the order of their first mention.
    var used: [Int] = []

    /// The number by which an argument is named from now on.
    mutating func number(of position: Int) -> Int {
      if let index = used.firstIndex(of: position) { return index + 1 }
      used.append(position)
      return used.count
    }
  }

  private func expand(
    _ format: String, _ state: inout Expansion, counted: Int?, depth: Int
  ) -> String {
    var result = ""
    var rest = format[...]
    while let percent = rest.firstIndex(of: "%") {
      result += rest[..<percent]
      rest = rest[rest.index(after: percent)...]
      if rest.first == "%" {
        result += "%%"
        rest.removeFirst()
        continue
      }
      let position = position(&rest, &state, counted: counted)
      // What no argument fills stays readable.
      guard state.arguments.indices.contains(position) else {
        result += "%%"
        continue
      }
      guard rest.hasPrefix("#@"), let end = rest.dropFirst(2).firstIndex(of: "@") else {
        result += "%\(state.number(of: position))$"
        continue
      }
      let name = rest[rest.index(rest.startIndex, offsetBy: 2)..<end]
      rest = rest[rest.index(after: end)...]
      guard depth < Limits.pluralDepth else { continue }
      let text =
        variables.text(
          of: String(name), for: "\(state.arguments[position])", language: language) ?? ""
      result += expand(text, &state, counted: position, depth: depth + 1)
    }
    return result + rest
  }

  /// Which argument the directive takes whose percent sign was read.
  private func position(
    _ rest: inout Substring, _ state: inout Expansion, counted: Int?
  ) -> Int {
    let digits = rest.prefix { $0.isASCII && $0.isWholeNumber }
    if let number = Int(digits), (1...state.arguments.count + 1).contains(number),
      rest.dropFirst(digits.count).first == "$"
    {
      rest = rest.dropFirst(digits.count + 1)
      // Inside a form, positions count from the argument that the form is of.
      return number - 1 + (counted ?? 0)
    }
    if let counted { return counted }
    state.next += 1
    return state.next - 1
  }
}
