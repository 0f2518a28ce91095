import BelfryWire

/// A text with plural forms, as a `.stringsdict` file has it.
struct PluralText: Sendable {
  private let format: String
  private let variables: PluralVariables

  /// Reads an entry; nil when it has no `NSStringLocalizedFormatKey`.
  init?(_ entry: [String: Any]) {
    guard let format = entry["NSStringLocalizedFormatKey"] as? String else { return nil }
    self.format = format
    variables = PluralVariables(entry)
  }

  /// The text in the forms that the language has for the arguments.
  func filled(with arguments: [String], language: String) -> String {
    fill(format, arguments, language, depth: 0)
  }

  private func fill(
    _ format: String, _ arguments: [String], _ language: String, depth: Int
  ) -> String {
    LocalizedFormat.fill(format, with: arguments) { name, argument in
      // A variable may contain another one; the limit ends cycles.
      guard depth < Limits.pluralDepth,
        let text = variables.text(of: String(name), for: argument, language: language)
      else { return nil }
      return fill(text, [argument] + arguments, language, depth: depth + 1)
    }
  }
}
