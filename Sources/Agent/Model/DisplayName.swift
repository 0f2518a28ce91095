/// A filter for names and descriptions that an app's own files and processes choose.
///
/// The agent shows these texts next to its own text. In a question to the user, they must not look like part of the
/// agent's text.
enum DisplayName {
  /// Cleans an app's name: one line, without invisible characters, and without the quotation marks that enclose the
  /// name in a question.
  ///
  /// Returns nil if nothing is left.
  static func clean(_ text: String) -> String? {
    clean(text, limit: Limits.displayNameScalars) { scalar in
      Self.quotationMarks.contains(scalar) ? "'" : scalar
    }
  }

  /// Cleans an app's usage description; returns nil if nothing is left.
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

  /// Returns true unless the scalar is a control character or changes the direction of the text after it.
  ///
  /// Joiners are kept, because some letters and emoji contain them.
  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    case .format: scalar == "\u{200C}" || scalar == "\u{200D}"
    default: true
    }
  }
}
