/// Texts about an app that its own files and processes choose, made fit to be shown beside the agent's
/// words: in a question to the person they must not pass for more than what they are.
enum DisplayName {
  /// An app's name: in one line, without what is not seen, and without the marks that quote it in a
  /// question; nil where nothing is left.
  static func clean(_ text: String) -> String? {
    clean(text, limit: Limits.displayNameScalars) { scalar in
      Self.quotationMarks.contains(scalar) ? "'" : scalar
    }
  }

  /// The words with which an app says why it wants something; nil where nothing is left.
  static func cleanReason(_ text: String) -> String? {
    clean(text, limit: Limits.reasonScalars) { $0 }
  }

  private static let quotationMarks: Set<Unicode.Scalar> = [
    "\"", "\u{201C}", "\u{201D}", "\u{201E}", "\u{201F}", "\u{2033}", "\u{FF02}",
  ]

  private static func clean(
    _ text: String, limit: Int, _ replacement: (Unicode.Scalar) -> Unicode.Scalar
  ) -> String? {
    var result = ""
    var count = 0
    var isSpaceDue = false
    for scalar in text.unicodeScalars {
      if scalar.properties.isWhitespace {
        isSpaceDue = count > 0
        continue
      }
      guard isVisible(scalar) else { continue }
      guard count + (isSpaceDue ? 2 : 1) <= limit else {
        result += "…"
        break
      }
      if isSpaceDue {
        result += " "
        count += 1
        isSpaceDue = false
      }
      result.unicodeScalars.append(replacement(scalar))
      count += 1
    }
    return result.isEmpty ? nil : result
  }

  /// Neither a control character nor one that turns the direction of what follows; a joiner of letters
  /// and emoji is part of them.
  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    case .format: scalar == "\u{200C}" || scalar == "\u{200D}"
    default: true
    }
  }
}
