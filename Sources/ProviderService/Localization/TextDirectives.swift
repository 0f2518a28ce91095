/// The placeholders of a text: which arguments it takes, and as what.
struct TextDirectives: Equatable {
  /// What an argument is used as.
  enum Kind: String {
    case text, number
  }

  /// The kind by the argument's place, from 1.
  private(set) var kinds: [Int: Kind] = [:]
  /// Whether an argument is used both as a text and as a number.
  private(set) var isContradictory = false
  /// The first placeholder with a width, a precision or a flag, which arguments do not follow; nil without one.
  private(set) var formatted: String?

  /// Reads `%@`, `%2$@`, `%d`, `%#@name@` and their like, as the text is filled later.
  init(_ format: String) {
    var next = 1
    var rest = format[...]
    while let percent = rest.firstIndex(of: "%") {
      rest = rest[rest.index(after: percent)...]
      if rest.first == "%" {
        rest.removeFirst()
        continue
      }
      var place: Int?
      let digits = rest.prefix { $0.isASCII && $0.isWholeNumber }
      if let number = Int(digits), number > 0, rest.dropFirst(digits.count).first == "$" {
        place = number
        rest = rest.dropFirst(digits.count + 1)
      }
      let kind: Kind
      if rest.hasPrefix("#@"), let end = rest.dropFirst(2).firstIndex(of: "@") {
        kind = .number
        rest = rest[rest.index(after: end)...]
      } else {
        let start = rest.startIndex
        rest = rest.drop { "-+0#'".contains($0) }
        rest = rest.drop { $0.isASCII && $0.isWholeNumber || $0 == "." }
        let form = format[start..<rest.startIndex]
        rest = rest.drop { "hlqLztj".contains($0) }
        guard let conversion = rest.first, "@dDiuUxXoOfFeEgGaAcCsS".contains(conversion) else {
          continue
        }
        kind = "@cCsS".contains(conversion) ? .text : .number
        rest.removeFirst()
        if !form.isEmpty, formatted == nil { formatted = "%\(form)\(conversion)" }
      }
      let number = place ?? next
      if place == nil { next += 1 }
      if let other = kinds[number], other != kind { isContradictory = true }
      kinds[number] = kind
    }
  }

  /// As a person reads them: `1 text, 2 number`; "none" without any.
  var description: String {
    kinds.isEmpty
      ? "none"
      : kinds.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.rawValue)" }
        .joined(separator: ", ")
  }
}
