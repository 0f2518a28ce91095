internal import BelfryWire

/// The choice of one of a campaign's languages for a device: RFC 4647 section 3.4, then a widely spoken
/// one (client-api S0-56).
struct LanguageChoice: Sendable {
  /// Languages by the people who understand them, for campaigns that name no fallback.
  private static let widelySpoken = [
    "en", "zh-Hans", "zh", "hi", "es", "fr", "ar", "bn", "pt", "pt-BR", "ru", "ur", "id", "de",
    "ja",
  ]

  /// The language for devices whose own is not there.
  let fallback: String
  private let available: [String: String]

  /// A choice among languages; nil where there is none.
  init?(of languages: [String], fallback: String?) {
    guard let first = languages.first else { return nil }
    // Of two spellings of one language the first counts.
    available = Dictionary(languages.map { (Self.key($0), $0) }) { one, _ in one }
    let wanted = (fallback.map { [$0] } ?? []) + Self.widelySpoken
    let known = available
    self.fallback = wanted.lazy.compactMap { known[Self.key($0)] }.first ?? first
  }

  /// The language for a device, and whether it is only the fallback.
  func language(for device: String?) -> (language: String, isFallback: Bool) {
    if let device {
      for name in LanguageFolders.names(device) {
        if let found = available[Self.key(name)] { return (found, false) }
      }
    }
    return (fallback, device != nil)
  }

  /// Tags differ in case and in the sign between their parts.
  private static func key(_ tag: String) -> String {
    String(tag.lowercased().map { $0 == "_" ? "-" : $0 })
  }
}
