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

  /// Returns the usual spelling of a tag (RFC 5646 section 2.1.1): with hyphens, and in lowercase except for regions
  /// and scripts, as in `fr-CA` and `zh-Hant`.
  ///
  /// Tags that differ only in their spelling are the same language, so they are stored and shown in this spelling.
  static func canonical(_ tag: String) -> String {
    var subtags: [[UInt8]] = []
    var isAfterSingleton = false
    for subtag in hyphenated(tag).utf8.split(
      separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    {
      var bytes = subtag.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
      if !subtags.isEmpty, !isAfterSingleton, bytes.count == 2 || bytes.count == 4 {
        let capitals = bytes.count == 2 ? 2 : 1
        for index in bytes.indices.prefix(capitals) where (0x61...0x7A).contains(bytes[index]) {
          bytes[index] ^= 0x20
        }
      }
      isAfterSingleton = bytes.count == 1
      subtags.append(bytes)
    }
    let bytes = Array(subtags.joined(separator: [UInt8(ascii: "-")]))
    return String(decoding: bytes, as: UTF8.self)
  }
}
