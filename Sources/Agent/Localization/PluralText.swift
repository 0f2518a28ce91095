import Scheduling

/// A string with plural forms from a `.stringsdict` file.
struct PluralText: Sendable {
  private let format: String
  private let variables: PluralVariables

  /// Creates a string from an entry; nil if the entry has no `NSStringLocalizedFormatKey`.
  init?(_ entry: [String: Any]) {
    guard let format = entry["NSStringLocalizedFormatKey"] as? String else { return nil }
    self.format = format
    variables = PluralVariables(entry)
  }

  /// Returns the string with the arguments inserted, in the language's plural forms.
  func filled(with arguments: [String], language: String) -> LocalizedFormat.Filled {
    LocalizedFormat.fill(format, with: arguments, variables: variables, language: language)
  }
}
