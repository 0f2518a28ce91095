/// Text that is wrapped at spaces, for a terminal.
public enum WrappedText {
  /// Returns the lines of a text, each with at most `columns` characters.
  ///
  /// A word that is too long for a line, such as a path, is not split, so that it can be copied.
  public static func lines(_ text: String, columns: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(whereSeparator: \.isWhitespace) {
      if !line.isEmpty, line.count + 1 + word.count > columns {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return line.isEmpty ? lines : lines + [line]
  }

  /// Returns a text with a heading on its first line; the further lines are indented by `indent` characters.
  ///
  /// A heading that is longer than the indentation has a line of its own. Without `columns`, the text is not wrapped.
  public static func text(
    _ text: String, after heading: String, indent: Int, columns: Int?
  ) -> String {
    guard let columns, heading.count + text.count > columns else { return heading + text }
    let margin = String(repeating: " ", count: indent)
    var lines = Self.lines(text, columns: columns - indent)
    if heading.count > indent {
      lines.insert(heading.trimmingSpaces, at: 0)
      return lines.joined(separator: "\n" + margin)
    }
    return heading + lines.joined(separator: "\n" + margin)
  }

  /// Returns a text whose paragraphs, which empty lines separate, are wrapped.
  static func paragraphs(_ text: String, columns: Int) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let paragraphs = lines.split(whereSeparator: \.isEmpty).map { $0.joined(separator: " ") }
    return paragraphs.map { Self.lines($0, columns: columns).joined(separator: "\n") }
      .joined(separator: "\n\n")
  }
}

extension String {
  fileprivate var trimmingSpaces: String {
    var text = self
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }
}
