import BelfryWire
import Testing

@testable import WebPush

@Suite struct VAPIDKeyTests {
  @Test func `a token of a new key is accepted in each dialect`() throws {
    let key = try VAPIDKey()
    let origin = try origin("https://push.example.org:8443")
    let value = try key.authorization(
      for: origin, expiresAtSeconds: 1_000, subject: "mailto:a@example.com")
    let accepted = message([("TTL", "1"), ("Authorization", value)])
    let credential = try #require(accepted?.credential)
    for dialect in WebPushDialect.allCases {
      let verifier = VAPIDVerifier(origins: [origin], dialect: dialect)
      let outcome = verifier.verify(
        credential, restrictedTo: key.publicKey.digest, atSeconds: 1_000)
      guard case .verified(let token) = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(token.key == key.publicKey)
      #expect(token.subject == "mailto:a@example.com")
      #expect(token.expiresAtSeconds == 1_000)
    }
  }

  @Test func `a token has the header of RFC 8292, and only the claims that it needs`() throws {
    let token = try VAPIDKey().token(
      for: origin("HTTPS://Push.Example.org:443/"), expiresAtSeconds: 5)
    let segments = token.split(separator: ".").map { base64(String($0)) }
    #expect(segments.count == 3)
    #expect(segments[0] == utf8(#"{"typ":"JWT","alg":"ES256"}"#))
    #expect(segments[1] == utf8(#"{"aud":"https://push.example.org","exp":5}"#))
    #expect(segments[2].count == 64)
  }

  @Test func `a key survives its two forms`() throws {
    let key = try VAPIDKey()
    let text = try key.text()
    #expect(text.utf8.count == 43)
    let pem = String(decoding: try key.pem(), as: UTF8.self)
    #expect(pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
    for file in [text, text + "\n", " \r\n\t" + text + "=\r\n", pem, "comment\n" + pem] {
      let copy = try VAPIDKey(contentsOfFile: utf8(file))
      #expect(copy.publicKey == key.publicKey)
      #expect(try copy.text() == text)
      #expect(try copy.pem() == utf8(pem))
    }
  }

  @Test func `RFC 8291's sender can be read in both alphabets`() throws {
    let text = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
    let key = try VAPIDKey(contentsOfFile: utf8(text))
    #expect(key.publicKey.point == RFC8291Vector.senderPoint)
    let standard = text.replacing("-", with: "+")
    #expect(try VAPIDKey(contentsOfFile: utf8(standard)).publicKey == key.publicKey)
  }

  @Test(arguments: [
    "", "\n", "x", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "-----BEGIN PRIVATE KEY-----\n",
    "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRwAA", "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-o",
    "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE KEY-----\n",
  ])
  func `another file is refused`(text: String) {
    #expect(throws: VAPIDKey.Failure.self) { try VAPIDKey(contentsOfFile: utf8(text)) }
  }

  @Test func `a public key has one canonical text`() throws {
    let key = try VAPIDKey().publicKey
    #expect(key.text.utf8.count == 87)
    #expect(VAPIDPublicKey(canonical: utf8(key.text).span) == key)
    #expect(VAPIDPublicKey(utf8(key.text).span) == key)
    #expect(VAPIDPublicKey(utf8(key.text + "=").span) == key)
    #expect(VAPIDPublicKey(canonical: utf8(key.text + "=").span) == nil)
    #expect(VAPIDPublicKey(canonical: utf8(String(key.text.dropLast())).span) == nil)
    let standard = utf8(Base64.encode(key.point, url: false))
    #expect(VAPIDPublicKey(standard.span) == key)
    let other = try VAPIDKey().publicKey
    #expect(other != key)
    #expect(Set([key, other, key]).count == 2)
  }
}
