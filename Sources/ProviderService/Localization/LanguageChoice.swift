internal import Scheduling

/// The choice of one of a campaign's languages for a device: according to RFC 4647 section 3.4 or, if no language
/// matches, a widely spoken language (client-api S0-56).
struct LanguageChoice: Sendable {
  /// Languages in order of the number of people who understand them, for campaigns that do not specify a fallback.
  private static let widelySpoken = [
    "en", "zh-Hans", "zh", "hi", "es", "fr", "ar", "bn", "pt", "pt-BR", "ru", "ur", "id", "de",
    "ja",
  ]

  /// The text that is sent to devices whose own language is not available.
  enum Fallback: Sendable, Equatable {
    /// A language that the campaign specifies.
    case language(String)
    /// The most widely spoken of the available languages.
    case widelySpoken
    /// No text: the campaign is not sent to these devices.
    case none
  }

  /// The language for devices whose own language is not available; nil if the campaign is not sent to them.
  let fallback: String?
  /// The language for devices that did not specify one.
  private let first: String
  private let available: [String: String]

  /// Creates a choice from a list of languages.
  ///
  /// Returns nil if the list is empty.
  init?(of languages: [String], fallback: Fallback) {
    guard let first = languages.first else { return nil }
    self.first = first
    // A campaign cannot have two spellings of a language.
    available = Dictionary(languages.map { (Self.key($0), $0) }) { one, _ in one }
    let wanted: [String]
    switch fallback {
    case .language(let language): wanted = [language]
    case .widelySpoken: wanted = Self.widelySpoken
    case .none: wanted = []
    }
    let known = available
    self.fallback = wanted.lazy.compactMap { known[Self.key($0)] }.first
  }

  /// Returns the language for a device, and whether the language is only the fallback; nil if no language fits.
  func language(for device: String?) -> (language: String, isFallback: Bool)? {
    assert(
      fallback.map { available[Self.key($0)] == $0 } ?? true,
      "the fallback is an available language")
    guard let device else { return (fallback ?? first, false) }
    for name in LanguageFolders.names(device) {
      if let found = available[Self.key(name)] { return (found, false) }
    }
    return fallback.map { ($0, true) }
  }

  /// Returns a normalized key, because tags differ in case and in the separators between their parts.
  static func key(_ tag: String) -> String {
    LanguageTag.hyphenated(tag.lowercased())
  }
}
