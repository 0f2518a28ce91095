import BelfryWire
import Testing

@Suite("The form of language tags")
struct LanguageTagTests {
  @Test(
    "what has the form of RFC 5646 is taken",
    arguments: ["en", "fr-CA", "zh-Hant-TW", "sl-rozaj-biske", "de-1996", "es-419"])
  func form(tag: String) { #expect(LanguageTag.isWellFormed(tag)) }

  @Test(
    "other text is not",
    arguments: [
      "", "-", "e", "en-", "-en", "en--US", "en_US", "not a language", "français", "en-123456789",
      "a1",
    ])
  func otherText(tag: String) { #expect(!LanguageTag.isWellFormed(tag)) }
}
