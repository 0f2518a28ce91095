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
  func filled(with arguments: [String], language: String) -> LocalizedFormat.Filled {
    LocalizedFormat.fill(format, with: arguments, variables: variables, language: language)
  }
}
