import Scheduling

/// The agent's strings in one language.
struct Catalogue: Sendable {
  /// Strings by plural form; a string without plural forms has only `other`.
  let texts: [WordKey: [PluralRule.Form: String]]

  /// Parses lines of the form `key = string` and `key.form = string`.
  init(_ lines: String) {
    var texts: [WordKey: [PluralRule.Form: String]] = [:]
    for line in lines.split(separator: "\n") {
      guard let equals = line.firstRange(of: " = ") else {
        assertionFailure("a catalog line has no equals sign: \(line)")
        continue
      }
      let name = line[..<equals.lowerBound].split(separator: ".")
      guard let key = name.first.flatMap({ WordKey(rawValue: String($0)) }),
        let form = name.count > 1 ? PluralRule.Form(rawValue: String(name[1])) : .other
      else {
        assertionFailure("a catalog line has an unknown key or plural form: \(line)")
        continue
      }
      assert(texts[key]?[form] == nil, "a catalog defines each text only once: \(line)")
      texts[key, default: [:]][form] = String(line[equals.upperBound...])
    }
    self.texts = texts
  }

  /// The catalogs by language.
  static let all: [String: Catalogue] = [
    "en": english, "de": german, "fr": french, "es": spanish, "it": italian,
    "pt-BR": brazilianPortuguese, "nl": dutch, "pl": polish, "ru": russian, "uk": ukrainian,
    "ja": japanese, "zh-Hans": simplifiedChinese, "ar": arabic,
  ]
}
