internal import BelfryWire

/// The names of the `.lproj` folders that contain the strings of a language.
public enum LanguageFolders {
  /// English language names, which older folders use (`French.lproj`).
  private static let englishNames = [
    "en": "English", "fr": "French", "de": "German", "es": "Spanish", "it": "Italian",
    "ja": "Japanese", "nl": "Dutch", "pt": "Portuguese",
  ]

  /// Returns the folder names for a BCP 47 tag, most specific first: `fr-CA`, `fr_CA`, `fr`, `French`.
  public static func names(_ tag: String) -> [String] {
    // The tag is a lookup key, and valid language tags contain only ASCII characters.
    guard tag.isASCII else { return [tag] }
    var names: [String] = []
    for tag in fallbacks(tag) + scripts(tag) {
      names.append(tag)
      if tag.contains("-") { names.append(String(tag.map { $0 == "-" ? "_" : $0 })) }
      if let name = englishNames[tag] { names.append(name) }
    }
    return names
  }

  /// The maximum number of bytes in a tag that is split into subtags.
  ///
  /// The limit is needed because each subtag produces another candidate tag.
  private static let tagBytesMax = 255

  /// Returns the tag, then the tag without its last subtag, and so on (RFC 4647, section 3.4).
  public static func fallbacks(_ tag: String) -> [String] {
    guard tag.utf8.count <= tagBytesMax else { return [tag] }
    var subtags = tag.split(separator: "-")
    var tags: [String] = []
    while !subtags.isEmpty {
      tags.append(subtags.joined(separator: "-"))
      subtags.removeLast()
      // A single-letter subtag only introduces an extension, so a tag cannot end with it.
      if let last = subtags.last, last.count == 1 { subtags.removeLast() }
    }
    return tags
  }

  /// Returns the tag with the script that a Chinese tag without a script implies.
  ///
  /// The result is empty for other tags.
  private static func scripts(_ tag: String) -> [String] {
    switch tag {
    case "zh-TW", "zh-HK", "zh-MO": ["zh-Hant"]
    case "zh-CN", "zh-SG", "zh": ["zh-Hans"]
    default: []
    }
  }
}
