internal import BelfryWire

/// One text of an alert in one language, with its plural forms where it has them.
enum AlertText: Sendable {
  case text(String)
  /// By the form that the first number among the arguments has.
  case forms([PluralRule.Form: String])
  /// An entry of a `.stringsdict` file: a format and its variables.
  case variables(format: String, PluralVariables)

  /// Reads a JSON string, `{"one":…,"other":…}`, or an entry of a `.stringsdict`; nil for anything else.
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

  /// Whether a value has plural forms, and not the one for all numbers that have none of their own.
  static func lacksOther(_ value: JSONValue) -> Bool {
    guard let members = value.objectValue?.members, !members.isEmpty else { return false }
    return members.allSatisfy {
      PluralRule.Form(word: $0.key) != nil && $0.key != "other" && $0.value.stringValue != nil
    }
  }

  /// The forms that numbers have in a language and this text has not, in their usual order.
  func missingForms(language: String) -> [PluralRule.Form] {
    guard case .forms(let forms) = self else { return [] }
    // Two hundred in a row show every rule of CLDR for whole numbers.
    let used = Set((0...200).map { PluralRule.form(of: String($0), language: language) })
    return PluralRule.Form.allCases.filter { used.contains($0) && forms[$0] == nil }
  }

  /// The text whose placeholders stand for all of its forms.
  var format: String {
    switch self {
    case .text(let text): text
    case .forms(let forms): forms[.other] ?? ""
    case .variables(let format, _): format
    }
  }

  /// The texts that may be shown, for checks of each.
  var formats: [String] {
    switch self {
    case .text(let text): [text]
    case .forms(let forms): Array(forms.values)
    case .variables(let format, _): [format]
    }
  }

  /// The text with its arguments, in the form that the language has for them.
  func filled(with arguments: [String], language: String) -> LocalizedFormat.Filled {
    switch self {
    case .text(let text):
      // Without arguments a percent sign is one.
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
