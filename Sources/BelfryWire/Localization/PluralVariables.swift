/// The variables of a text with plural forms, from an entry of a `.stringsdict` file.
public struct PluralVariables: Sendable {
  private let forms: [String: [PluralRule.Form: String]]

  /// Reads the variables of an entry, and ignores what is not one.
  public init(_ entry: [String: Any]) {
    forms = entry.compactMapValues { value in
      guard let forms = value as? [String: Any],
        forms["NSStringFormatSpecTypeKey"] as? String == "NSStringPluralRuleType"
      else { return nil }
      var texts: [PluralRule.Form: String] = [:]
      for form in PluralRule.Form.allCases { texts[form] = forms[form.rawValue] as? String }
      return texts
    }
  }

  /// A variable's text in the form that the language has for the argument; nil without a variable
  /// of the name, and without a text in that form or in `other`.
  public func text(of variable: String, for argument: String, language: String) -> String? {
    guard let forms = forms[variable] else { return nil }
    // `zero` may be given for any language.
    if argument == "0", let text = forms[.zero] { return text }
    return forms[PluralRule.form(of: argument, language: language)] ?? forms[.other]
  }
}
