/// The formatting of localised texts with arguments.
///
/// `%@`, `%1$@`, and for numbers the numeric ones (`%d`, `%lu`, …) take the next or the named
/// argument as it is; `%%` is a percent sign. Arguments are texts, so that no format from outside decides how memory
/// is read. Anything else is left unchanged.
public struct LocalizedFormat {
  /// The replacement of `%#@name@`, the directive of plural forms, with the argument that is counted.
  public typealias Variable = (_ name: Substring, _ argument: String) -> String?

  private let arguments: [String]
  private let variable: Variable
  private var next = 0

  /// The text with its directives filled; an argument that is missing is empty.
  public static func fill(
    _ format: String, with arguments: [String], variable: Variable = { _, _ in nil }
  ) -> String {
    withoutActuallyEscaping(variable) { variable in
      var filler = LocalizedFormat(arguments: arguments, variable: variable)
      return filler.filled(format)
    }
  }

  private init(arguments: [String], variable: @escaping Variable) {
    self.arguments = arguments
    self.variable = variable
  }

  private mutating func filled(_ format: String) -> String {
    var result = ""
    var rest = format[...]
    while let percent = rest.firstIndex(of: "%") {
      result += rest[..<percent]
      rest = rest[rest.index(after: percent)...]
      if rest.first == "%" {
        result += "%"
        rest.removeFirst()
      } else if let (text, length) = directive(rest) {
        result += text
        rest = rest.dropFirst(length)
      } else {
        result += "%"
      }
    }
    return result + rest
  }

  /// The replacement of the directive after a percent sign, and its length; nil where there is none.
  private mutating func directive(_ text: Substring) -> (text: String, length: Int)? {
    var rest = text
    var position: Int?
    let digits = rest.prefix { $0.isASCII && $0.isWholeNumber }
    if let number = Int(digits), number > 0, rest.dropFirst(digits.count).first == "$" {
      position = number - 1
      rest = rest.dropFirst(digits.count + 1)
    }
    if rest.hasPrefix("#@"), let end = rest.dropFirst(2).firstIndex(of: "@") {
      let name = rest[rest.index(rest.startIndex, offsetBy: 2)..<end]
      let argument = argument(position)
      let length = text.distance(from: text.startIndex, to: end) + 1
      return (variable(name, argument) ?? argument, length)
    }
    rest = rest.drop { "-+0#'".contains($0) }
    rest = rest.drop { $0.isASCII && $0.isWholeNumber || $0 == "." }
    rest = rest.drop { "hlqLztj".contains($0) }
    guard let conversion = rest.first, "@dDiuUxXoOfFeEgGaAcCsS".contains(conversion) else {
      return nil
    }
    let length = text.distance(from: text.startIndex, to: rest.startIndex) + 1
    let index = position ?? next
    if !"@cCsS".contains(conversion) {
      // Where a number is expected and the argument is none, the argument is used as it is.
      guard arguments.indices.contains(index), Double(arguments[index]) != nil else { return nil }
    }
    return (argument(position), length)
  }

  private mutating func argument(_ position: Int?) -> String {
    let index = position ?? next
    if position == nil { next += 1 }
    return arguments.indices.contains(index) ? arguments[index] : ""
  }
}
