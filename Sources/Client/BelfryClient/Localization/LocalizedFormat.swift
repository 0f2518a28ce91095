/// Fills `%@`, `%1$@` and `%%` of a localised text; other directives stand as they are, so that no
/// text from outside decides how memory is read.
package enum LocalizedFormat {
  package static func fill(_ format: String, with arguments: [String]) -> String {
    var result = ""
    var next = 0
    var rest = Substring(format)
    while let percent = rest.firstIndex(of: "%") {
      result += rest[..<percent]
      rest = rest[percent...]
      guard let (length, position) = directive(rest) else {
        result += "%"
        rest = rest.dropFirst()
        if rest.first == "%" { rest = rest.dropFirst() }
        continue
      }
      let index = position ?? next
      if position == nil { next += 1 }
      result += arguments.indices.contains(index) ? arguments[index] : ""
      rest = rest.dropFirst(length)
    }
    return result + rest
  }

  /// The length of the directive that the text starts with, and its argument's index if it names
  /// one; nil when it is none of ours.
  private static func directive(_ text: Substring) -> (length: Int, position: Int?)? {
    var rest = text.dropFirst()
    if rest.first == "@" { return (2, nil) }
    let digits = rest.prefix { $0.isASCII && $0.isWholeNumber }
    guard let number = Int(digits), number > 0 else { return nil }
    rest = rest.dropFirst(digits.count)
    guard rest.hasPrefix("$@") else { return nil }
    return (digits.count + 3, number - 1)
  }
}
