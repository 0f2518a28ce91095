internal import BelfryWire
internal import Scheduling

/// A campaign's alert in all of its languages, with consistent placeholders.
struct AlertCatalogue: Sendable {
  private let alerts: [String: LocalizedAlert]
  /// The values of `aps.alert`, keyed by language.
  private var filled: [String: JSONObject] = [:]
  /// The languages as the campaign spells them, for errors, keyed by language.
  private let spellings: [String: String]  // text: only well-formed tags, which are ASCII
  /// The languages, in the order in which the campaign lists them.
  let languages: [String]
  let choice: LanguageChoice?
  private let arguments: [String]
  /// True if the campaign has a single alert for all languages; the alert then has no language of its own.
  let isForAllLanguages: Bool

  /// The catalog of a campaign whose payload contains the alert.
  static let none = AlertCatalogue(alerts: [:], languages: [], choice: nil, arguments: [])

  private init(
    alerts: [String: LocalizedAlert], languages: [String], choice: LanguageChoice?,
    arguments: [String]
  ) {
    self.alerts = alerts
    self.languages = languages
    self.choice = choice
    self.arguments = arguments
    spellings = [:]
    isForAllLanguages = false
  }

  /// Reads the campaign's `alert`: one object per language, or one alert for all languages.
  init(
    _ object: JSONObject, fallback: LanguageChoice.Fallback, arguments: [String]
  ) throws(RequestProblems) {
    var named: String?
    if case .language(let language) = fallback { named = language }
    var problems: [RequestProblem] = []
    var alerts: [String: LocalizedAlert] = [:]
    let isOne = object.keys.contains(where: LocalizedAlert.isKey)
    let only = named ?? "en"
    let members = isOne ? [JSONObject.Member(key: only, value: .object(object))] : object.members
    guard members.count <= Limits.languagesMax else {
      throw RequestProblems([
        RequestProblem(
          "alert", "\(members.count) languages are too many",
          do: "expected up to \(Limits.languagesMax)")
      ])
    }
    var languages: [String] = []
    var spellings: [String: String] = [:]  // text: only well-formed tags, which are ASCII
    for member in members {
      let key = RequestProblem.excerpt(member.key)
      let field = isOne ? "alert" : "alert.\(key)"
      do throws(RequestProblems) {
        guard LanguageTag.isUsable(LanguageTag.hyphenated(member.key)) else {
          throw RequestProblems([
            RequestProblem(
              field, "invalid language tag '\(key)'", do: "expected a tag such as fr-CA")
          ])
        }
        let tag = LanguageTag.canonical(member.key)
        if let other = spellings[tag] {
          throw RequestProblems([
            RequestProblem(
              field, "'\(key)' and '\(other)' are the same language", do: "remove one of them")
          ])
        }
        spellings[tag] = key
        guard let language = member.value.objectValue else {
          throw RequestProblems([
            RequestProblem(
              field, "invalid value '\(RequestProblem.excerpt(member.value))'",
              do: "expected an object with 'title' and 'body', or the name of a strings file")
          ])
        }
        alerts[tag] = try LocalizedAlert(language, field: field)
        languages.append(tag)
      } catch {
        problems += error.all
      }
    }
    self.languages = languages
    self.alerts = alerts
    self.spellings = spellings
    self.arguments = arguments
    isForAllLanguages = isOne
    // A single alert without languages applies to all devices.
    choice = LanguageChoice(of: languages, fallback: isOne ? .language(only) : fallback)
    if let named, problems.isEmpty, choice?.fallback == nil {
      problems.append(
        RequestProblem(
          "fallback", "invalid value '\(RequestProblem.excerpt(named))'",
          do: "expected one of the campaign's languages: \(languages.joined(separator: ", "))"))
    }
    problems += placeholderProblems(isOne: isOne)
    for language in languages where alerts[language]?.isBlank == true {
      problems.append(
        RequestProblem(
          isOne ? "alert" : member(of: language), "no text", do: "add a title or a body"))
    }
    for language in languages {
      let field = isOne ? "alert" : member(of: language)
      do throws(RequestProblems) {
        filled[language] = try alerts[language]?.alert(
          arguments: arguments, language: language, field: field)
      } catch {
        problems += error.all
      }
    }
    if !problems.isEmpty { throw RequestProblems(problems) }
  }

  /// Returns the member of the campaign with the texts of a language, as the campaign spells it, such as `alert.FR`.
  func member(of language: String) -> String { "alert.\(spellings[language] ?? language)" }

  /// Returns a valid campaign with its languages in their usual spelling, for storage and for clients.
  static func canonical(_ campaign: JSONObject) -> JSONObject {
    var campaign = campaign
    if let alert = campaign["alert"]?.objectValue, !alert.keys.contains(where: LocalizedAlert.isKey)
    {
      let members = alert.members.map { (LanguageTag.canonical($0.key), $0.value) }
      campaign["alert"] = .object(JSONObject(members))
    }
    if let fallback = campaign["fallback"]?.stringValue {
      campaign["fallback"] = .string(LanguageTag.canonical(fallback))
    }
    return campaign
  }

  /// Returns the value of `aps.alert` in one of the languages, or nil if the campaign has no alert of its own.
  func alert(in language: String) -> JSONObject? { filled[language] }

  /// Checks that each string matches the campaign's arguments, and that all languages use the same placeholders.
  private func placeholderProblems(isOne: Bool) -> [RequestProblem] {
    var problems: [RequestProblem] = []
    for key in LocalizedAlert.textKeys {
      var first: (language: String, directives: TextDirectives)?
      for language in languages {
        let field = isOne ? "alert.\(key)" : "\(member(of: language)).\(key)"
        guard let text = alerts[language]?.text(key) else {
          if !isOne, let other = languages.first(where: { alerts[$0]?.text(key) != nil }) {
            problems.append(
              RequestProblem(
                field, "missing, although \(other) has one", do: "add the translation"))
          }
          continue
        }
        let directives = TextDirectives(text.format)
        let own = argumentProblems(of: text, directives, field: field)
        problems += own
        guard !arguments.isEmpty || directives.kinds.values.contains(.text) else { continue }
        // An error in the text itself is often the reason that its placeholders differ.
        if own.isEmpty, let first, first.directives.kinds != directives.kinds {
          problems.append(
            RequestProblem(
              field,
              "its placeholders (\(directives.description)) differ from those in "
                + "\(first.language) (\(first.directives.description))",
              do: "use the same placeholders in every language"))
        }
        if first == nil { first = (language, directives) }
      }
    }
    return problems
  }

  /// The placeholders for numbers, such as `%d`, in a campaign without arguments, which would be shown literally.
  ///
  /// They prevent the start of a campaign, but its document is valid: a campaign that has started is continued.
  var unfilledPlaceholders: [RequestProblem] {
    guard arguments.isEmpty else { return [] }
    var problems: [RequestProblem] = []
    for language in languages {
      for (key, text) in alerts[language]?.texts ?? [] {
        guard let placeholder = TextDirectives.firstNumber(in: text.format) else { continue }
        problems.append(
          RequestProblem(
            isForAllLanguages ? "alert.\(key)" : "\(member(of: language)).\(key)",
            "no value for '\(placeholder)': 'arguments' has 0 values",
            do: "add the value to 'arguments'"))
      }
    }
    return problems
  }

  /// The warnings to show to the operator before the campaign is sent: plural forms that a language requires but a
  /// string lacks, and arguments that no string shows.
  var warnings: [String] {
    var warnings: [String] = []
    var used: Set<Int> = []
    for language in languages {
      for (key, text) in alerts[language]?.texts ?? [] {
        let missing = text.missingForms(language: language).map(\.rawValue)
        if !missing.isEmpty {
          warnings.append(
            "\(member(of: language)).\(key) lacks plural forms of the language "
              + "('\(missing.joined(separator: "', '"))'): 'other' is used instead")
        }
        for format in text.formats { used.formUnion(TextDirectives(format).kinds.keys) }
        // A number selects the plural form even if the string does not show the number.
        if case .text = text { continue }
        if let number = arguments.firstIndex(where: PluralRule.isNumber) {
          used.insert(number + 1)
        }
      }
    }
    for place in arguments.indices.map({ $0 + 1 }) where !used.contains(place) {
      warnings.append(
        "argument \(place) ('\(RequestProblem.excerpt(arguments[place - 1]))') is not used in any string"
      )
    }
    return warnings
  }

  private func argumentProblems(
    of text: AlertText, _ directives: TextDirectives, field: String
  ) -> [RequestProblem] {
    var problems: [RequestProblem] = []
    // Plural forms can have the same problem.
    func report(_ problem: RequestProblem) {
      if !problems.contains(problem) { problems.append(problem) }
    }
    if directives.isContradictory {
      report(
        RequestProblem(
          field, "the same argument is used as text and as a number",
          do: "use each argument as either text or a number"))
    }
    for format in text.formats where !arguments.isEmpty {
      guard let formatted = TextDirectives(format).formatted else { continue }
      report(
        RequestProblem(
          field, "invalid placeholder '\(formatted)': arguments are inserted unformatted",
          do: "expected %@ or %d without flags, width and precision, or %% for a percent sign"))
    }
    for format in text.formats {
      let directives = TextDirectives(format)
      let kinds = directives.kinds
      // Without arguments, a string is shown unchanged, including percent signs after numbers. Only one placeholder is
      // reported, because a string can have thousands.
      let missing = kinds.filter {
        $0.key > arguments.count && ($0.value == .text || !arguments.isEmpty)
      }
      if let place = missing.keys.min() {
        report(
          RequestProblem(
            field,
            "no value for '\(directives.spelling(of: place))'"
              + (arguments.isEmpty ? "" : " (argument \(place))") + ": 'arguments' has "
              + (arguments.count == 1 ? "1 value" : "\(arguments.count) values"),
            do: "add the value to 'arguments', or write %% for a percent sign"))
      }
      for (index, argument) in arguments.enumerated()
      where kinds[index + 1] == .number && !PluralRule.isNumber(argument) {
        report(
          RequestProblem(
            field,
            "invalid value '\(RequestProblem.excerpt(argument))' for "
              + "'\(directives.spelling(of: index + 1))' (argument \(index + 1))",
            do: "expected a number, or use %@ for text or %% for a percent sign"))
      }
    }
    if case .text = text { return problems }
    if !arguments.contains(where: PluralRule.isNumber) {
      report(
        RequestProblem(
          field, "plural forms need a number, but no argument is one",
          do: "add the number to 'arguments'"))
    }
    return problems
  }
}
