import BelfryWire
import Testing

@Suite("The form of language tags")
struct LanguageTagTests {
  @Test(arguments: ["en", "fr-CA", "zh-Hant-TW", "sl-rozaj-biske", "de-1996", "es-419"])
  func `what has the form of RFC 5646 is taken`(tag: String) {
    #expect(LanguageTag.isWellFormed(tag))
  }

  @Test(arguments: [
    "", "-", "e", "en-", "-en", "en--US", "en_US", "not a language", "français", "en-123456789",
    "a1",
  ])
  func `other text is not`(tag: String) { #expect(!LanguageTag.isWellFormed(tag)) }
}
