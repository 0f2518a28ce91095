/// The user's languages according to the environment variables, in gettext's order: `LANGUAGE` (a list), `LC_ALL`,
/// `LC_MESSAGES`, and `LANG`.
package enum EnvironmentLanguages {
  /// Returns the languages as BCP 47 tags, in order of preference; English if the environment specifies no language.
  package static func preferred(_ environment: [String: String]) -> [String] {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }
      .first { !$0.isEmpty }
    // The C locale requests no translation, regardless of LANGUAGE.
    let isPlain = locale.map { ["C", "POSIX"].contains($0.prefix { $0 != "." }) } ?? true
    var names: [Substring] = []
    if !isPlain, let list = environment["LANGUAGE"] { names = list.split(separator: ":") }
    if !isPlain, let locale { names.append(Substring(locale)) }
    var tags: [String] = []
    for tag in names.compactMap(tag) where !tags.contains(tag) { tags.append(tag) }
    return tags.isEmpty ? ["en"] : tags
  }

  /// Converts a locale name such as `de_AT.UTF-8@euro` to a tag such as `de-AT`; nil if the name does not contain a
  /// language.
  package static func tag(_ name: Substring) -> String? {
    let parts = name.prefix { $0 != "." && $0 != "@" }.split { $0 == "_" || $0 == "-" }
    guard
      let language = parts.first, (2...8).contains(language.count),
      language.allSatisfy({ $0.isASCII && $0.isLetter })
    else { return nil }
    let rest = parts.dropFirst().map { part in
      part.count == 4 && part.allSatisfy(\.isLetter) ? part.capitalized : part.uppercased()
    }
    let script = name.hasSuffix("@latin") ? ["Latn"] : name.hasSuffix("@cyrillic") ? ["Cyrl"] : []
    return ([language.lowercased()] + script + rest).joined(separator: "-")
  }
}

extension Substring {
  fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst().lowercased() }
}
