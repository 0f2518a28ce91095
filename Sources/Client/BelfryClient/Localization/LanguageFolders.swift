/// The names that the `.lproj` folder of a language may have.
enum LanguageFolders {
  /// English names of languages, which older folders (`French.lproj`) have.
  private static let englishNames = [
    "en": "English", "fr": "French", "de": "German", "es": "Spanish", "it": "Italian",
    "ja": "Japanese", "nl": "Dutch", "pt": "Portuguese",
  ]

  /// The names for a BCP 47 tag, the most exact first: `fr-CA`, `fr_CA`, `fr`, `French`.
  static func names(_ tag: String) -> [String] {
    var names: [String] = []
    for tag in ranges(tag) + writtenForms(tag) {
      names.append(tag)
      if tag.contains("-") { names.append(String(tag.map { $0 == "-" ? "_" : $0 })) }
      if let name = englishNames[tag] { names.append(name) }
    }
    return names
  }

  /// The tag, shortened from its end subtag by subtag (RFC 4647, section 3.4).
  private static func ranges(_ tag: String) -> [String] {
    var parts = tag.split(separator: "-")
    var ranges: [String] = []
    while !parts.isEmpty {
      ranges.append(parts.joined(separator: "-"))
      parts.removeLast()
      if let last = parts.last, last.count == 1 { parts.removeLast() }
    }
    return ranges
  }

  /// How a region writes Chinese, where the tag does not say so.
  private static func writtenForms(_ tag: String) -> [String] {
    switch tag {
    case "zh-TW", "zh-HK", "zh-MO": ["zh-Hant"]
    case "zh-CN", "zh-SG", "zh": ["zh-Hans"]
    default: []
    }
  }
}
