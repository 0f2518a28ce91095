import BelfryWire

/// A text with plural forms, as a `.stringsdict` file has it.
struct PluralText: Sendable {
  private let format: String
  private let variables: [String: [PluralRule.Form: String]]

  /// Reads an entry; nil when it has no `NSStringLocalizedFormatKey`.
  init?(_ entry: [String: Any]) {
    guard let format = entry["NSStringLocalizedFormatKey"] as? String else { return nil }
    self.format = format
    variables = entry.compactMapValues { value in
      guard let forms = value as? [String: Any],
        forms["NSStringFormatSpecTypeKey"] as? String == "NSStringPluralRuleType"
      else { return nil }
      var texts: [PluralRule.Form: String] = [:]
      for form in PluralRule.Form.allCases { texts[form] = forms[form.rawValue] as? String }
      return texts
    }
  }

  /// The text in the forms that the language has for the arguments.
  func filled(with arguments: [String], language: String) -> String {
    fill(format, arguments, language, depth: 0)
  }

  private func fill(
    _ format: String, _ arguments: [String], _ language: String, depth: Int
  ) -> String {
    LocalizedFormat.fill(format, with: arguments) { name, argument in
      // A variable may hold another one; a circle of them ends.
      guard depth < Limits.pluralDepth, let forms = variables[String(name)] else { return nil }
      // `zero` may be given for any language.
      let form =
        argument == "0" && forms[.zero] != nil
        ? .zero : PluralRule.form(of: argument, language: language)
      guard let text = forms[form] ?? forms[.other] else { return nil }
      return fill(text, [argument] + arguments, language, depth: depth + 1)
    }
  }
}
