internal import Scheduling

extension LanguageTag {
  /// Returns true if a string is a tag that devices can have: a language of two or three letters, optionally with
  /// subtags.
  ///
  /// Longer language subtags are not registered (RFC 5646 section 2.2.1). `english` is a name, which no device would
  /// match.
  static func isUsable(_ tag: String) -> Bool {
    isWellFormed(tag) && tag.utf8.prefix { $0 != UInt8(ascii: "-") }.count <= 3
  }

  /// Returns the tag with hyphens instead of the underscores that some systems use (`fr_CA`).
  static func hyphenated(_ tag: String) -> String {
    String(
      decoding: tag.utf8.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }, as: UTF8.self)
  }
}
