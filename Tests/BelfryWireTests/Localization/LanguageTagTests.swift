import Scheduling
import Testing

@Suite("The form of language tags")
struct LanguageTagTests {
  @Test(arguments: ["en", "fr-CA", "zh-Hant-TW", "sl-rozaj-biske", "de-1996", "es-419"])
  func `well-formed RFC 5646 language tags are accepted`(tag: String) {
    #expect(LanguageTag.isWellFormed(tag))
  }

  @Test(arguments: [
    "", "-", "e", "en-", "-en", "en--US", "en_US", "not a language", "français", "en-123456789",
    "a1",
  ])
  func `other text is not`(tag: String) { #expect(!LanguageTag.isWellFormed(tag)) }
}
