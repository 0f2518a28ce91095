internal import BelfryWire

/// The choice of one of a campaign's languages for a device: RFC 4647 section 3.4, then a widely spoken
/// one (client-api S0-56).
struct LanguageChoice: Sendable {
  /// Languages by the people who understand them, for campaigns that name no fallback.
  private static let widelySpoken = [
    "en", "zh-Hans", "zh", "hi", "es", "fr", "ar", "bn", "pt", "pt-BR", "ru", "ur", "id", "de",
    "ja",
  ]

  /// What devices get whose own language is not there.
  enum Fallback: Sendable, Equatable {
    /// A language of the campaign's choice.
    case language(String)
    /// The most widely spoken one that there is.
    case widelySpoken
    /// Nothing: such a campaign is not sent to them.
    case none
  }

  /// The language for devices whose own is not there; nil for none.
  let fallback: String?
  /// The language for devices that named none.
  private let first: String
  private let available: [String: String]

  /// A choice among languages; nil where there is none.
  init?(of languages: [String], fallback: Fallback) {
    guard let first = languages.first else { return nil }
    self.first = first
    // Of two spellings of one language the first counts.
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

  /// The language for a device, and whether it is only the fallback; nil where there is none for it.
  func language(for device: String?) -> (language: String, isFallback: Bool)? {
    assert(fallback.map { available[Self.key($0)] == $0 } ?? true, "the fallback is there")
    guard let device else { return (fallback ?? first, false) }
    for name in LanguageFolders.names(device) {
      if let found = available[Self.key(name)] { return (found, false) }
    }
    return fallback.map { ($0, true) }
  }

  /// Tags differ in case and in the sign between their parts.
  private static func key(_ tag: String) -> String {
    LanguageTag.hyphenated(tag.lowercased())
  }
}
