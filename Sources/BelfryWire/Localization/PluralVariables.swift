/// The variables of a text with plural forms, from an entry of a `.stringsdict` file.
public struct PluralVariables: Sendable {
  /// By the bytes of the name, as directives have it.
  private let forms: [[UInt8]: [PluralRule.Form: String]]

  /// Reads the variables of an entry, and ignores what is not one.
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

  /// A variable's text in the form that the language has for the argument; nil without a variable
  /// of the name, and without a text in that form or in `other`.
  public func text(
    of variable: some Sequence<UInt8>, for argument: String, language: String
  ) -> String? {
    guard let forms = forms[Array(variable)] else { return nil }
    // `zero` may be given for any language.
    if argument.utf8.elementsEqual("0".utf8), let text = forms[.zero] { return text }
    return forms[PluralRule.form(of: argument, language: language)] ?? forms[.other]
  }

  /// Every text that may be shown in place of a variable.
  public var texts: [String] { forms.values.flatMap(\.values) }
}
