/// The variables of a string with plural forms, read from an entry in a `.stringsdict` file.
public struct PluralVariables: Sendable {
  /// The plural forms, keyed by the bytes of the variable's name as used in directives.
  private let forms: [[UInt8]: [PluralRule.Form: String]]

  /// Reads the variables of an entry; ignores all other content.
  public init(_ entry: [String: Any]) {
    var forms: [[UInt8]: [PluralRule.Form: String]] = [:]
    for (name, value) in entry {
      guard let texts = value as? [String: Any],
        texts["NSStringFormatSpecTypeKey"] as? String == "NSStringPluralRuleType"
      else { continue }
      var found: [PluralRule.Form: String] = [:]
      for form in PluralRule.Form.allCases { found[form] = texts[form.rawValue] as? String }
      forms[Array(name.utf8)] = found
    }
    self.forms = forms
  }

  /// Returns a variable's string in the plural form that the language uses for the argument.
  ///
  /// Returns nil if no variable has this name, or if the variable has no string in that form or in `other`.
  public func text(
    of variable: some Sequence<UInt8>, for argument: String, language: String
  ) -> String? {
    guard let forms = forms[Array(variable)] else { return nil }
    // A string can define the form `zero` in any language.
    if argument.utf8.elementsEqual("0".utf8), let text = forms[.zero] { return text }
    return forms[PluralRule.form(of: argument, language: language)] ?? forms[.other]
  }

  /// All strings that can replace a variable.
  public var texts: [String] { forms.values.flatMap(\.values) }
}
