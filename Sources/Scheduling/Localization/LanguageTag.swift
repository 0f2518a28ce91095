/// The syntax of a BCP 47 language tag.
public enum LanguageTag {
  /// Returns true if the text follows the syntax of RFC 5646 section 2.1.
  ///
  /// A tag is a language of two to eight letters, followed by hyphen-separated subtags of one to eight letters or
  /// digits. The subtags do not need to be registered.
  public static func isWellFormed(_ text: String) -> Bool {
    let subtags = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard let language = subtags.first, (2...8).contains(language.count) else { return false }
    return language.allSatisfy(isLetter)
      && subtags.dropFirst().allSatisfy { subtag in
        (1...8).contains(subtag.count) && subtag.allSatisfy { isLetter($0) || isDigit($0) }
      }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
