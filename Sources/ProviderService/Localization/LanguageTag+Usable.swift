internal import BelfryWire

extension LanguageTag {
  /// Whether a text is a tag that devices may have: of a language of two or three letters.
  ///
  /// No longer one is registered (RFC 5646 section 2.2.1). `english` is a name, which no device would match.
  static func isUsable(_ tag: String) -> Bool {
    isWellFormed(tag) && tag.utf8.prefix { $0 != UInt8(ascii: "-") }.count <= 3
  }
}
