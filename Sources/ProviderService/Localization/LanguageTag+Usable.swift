internal import BelfryWire

extension LanguageTag {
  /// Whether a text is a tag that devices may have: of a language of two or three letters.
  ///
  /// No longer one is registered (RFC 5646 section 2.2.1). `english` is a name, which no device would match.
  static func isUsable(_ tag: String) -> Bool {
    isWellFormed(tag) && tag.utf8.prefix { $0 != UInt8(ascii: "-") }.count <= 3
  }

  /// A tag as some systems write it (`fr_CA`), with hyphens.
  static func hyphenated(_ tag: String) -> String {
    String(
      decoding: tag.utf8.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }, as: UTF8.self)
  }
}
