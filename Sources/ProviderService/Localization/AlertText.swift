internal import BelfryWire
internal import Scheduling

/// One string of an alert in one language, with its plural forms if it has any.
enum AlertText: Sendable {
  case text(String)
  /// A string for each plural form, selected by the first number among the arguments.
  case forms([PluralRule.Form: String])
  /// An entry of a `.stringsdict` file: a format and its variables.
  case variables(format: String, PluralVariables)

  /// Parses a JSON string, `{"one":…,"other":…}`, or an entry of a `.stringsdict`.
  ///
  /// Returns nil for anything else.
  init?(_ value: JSONValue) {
    if let text = value.stringValue {
      self = .text(text)
      return
    }
    guard let object = value.objectValue else { return nil }
    if let format = object["NSStringLocalizedFormatKey"]?.stringValue {
      var entry: [String: Any] = [:]
      for member in object.members {
        guard let forms = member.value.objectValue else { continue }
        var texts: [String: Any] = [:]
        for form in forms.members { texts[form.key] = form.value.stringValue }
        entry[member.key] = texts
      }
      self = .variables(format: format, PluralVariables(entry))
      return
    }
    var forms: [PluralRule.Form: String] = [:]
    for member in object.members {
      guard let form = PluralRule.Form(word: member.key), let text = member.value.stringValue
      else { return nil }
      forms[form] = text
    }
    guard forms[.other] != nil else { return nil }
    self = .forms(forms)
  }

  /// Returns true if a value has plural forms but lacks `other`, the form for all remaining numbers.
  static func lacksOther(_ value: JSONValue) -> Bool {
    guard let members = value.objectValue?.members, !members.isEmpty else { return false }
    return members.allSatisfy {
      PluralRule.Form(word: $0.key) != nil && $0.key != "other" && $0.value.stringValue != nil
    }
  }

  /// Returns the plural forms that the language requires but this string lacks, in their usual order.
  func missingForms(language: String) -> [PluralRule.Form] {
    guard case .forms(let forms) = self else { return [] }
    // The numbers up to 200 exercise every CLDR rule for whole numbers.
    let used = Set((0...200).map { PluralRule.form(of: String($0), language: language) })
    return PluralRule.Form.allCases.filter { used.contains($0) && forms[$0] == nil }
  }

  /// The string whose placeholders are compared across languages: for a string with plural forms, the form `other`.
  var format: String {
    switch self {
    case .text(let text): text
    case .forms(let forms): forms[.other] ?? ""
    case .variables(let format, _): format
    }
  }

  /// All strings that can be shown to a user, all of which must be checked.
  var formats: [String] {
    switch self {
    case .text(let text): [text]
    case .forms(let forms): Array(forms.values)
    case .variables(let format, _): [format]
    }
  }

  /// Returns the string with its arguments inserted, in the form that the language requires for them.
  func filled(with arguments: [String], language: String) -> LocalizedFormat.Filled {
    switch self {
    case .text(let text):
      // Without arguments, a percent sign is literal.
      return arguments.isEmpty ? LocalizedFormat.Filled(text) : fill(text, arguments)
    case .forms(let forms):
      let number = arguments.first(where: PluralRule.isNumber) ?? ""
      let isZero = number == "0" && forms[.zero] != nil
      let form = isZero ? .zero : PluralRule.form(of: number, language: language)
      return fill(forms[form] ?? forms[.other] ?? "", arguments)
    case .variables(let format, let variables):
      return fill(format, arguments, variables, language: language)
    }
  }

  private func fill(
    _ format: String, _ arguments: [String], _ variables: PluralVariables? = nil,
    language: String = "en"
  ) -> LocalizedFormat.Filled {
    LocalizedFormat.fill(
      format, with: arguments, variables: variables, language: language,
      limit: Limits.filledTextBytesMax)
  }
}
