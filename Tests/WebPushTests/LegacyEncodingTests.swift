import Testing

@testable import WebPush

@Suite struct LegacyEncodingTests {
  private func content(
    encryption: [String], cryptoKey: [String], body: [UInt8] = [1, 2, 10, 3]
  ) -> AESGCMContent? {
    let fields =
      [("TTL", "1"), ("Content-Encoding", "aesgcm")]
      + encryption.map { ("Encryption", $0) } + cryptoKey.map { ("Crypto-Key", $0) }
    guard case .aesgcm(let content)? = message(fields, body: body)?.content else { return nil }
    return content
  }

  private func rule(encryption: [String], cryptoKey: [String]) -> WebPushRule? {
    let fields =
      [("TTL", "1"), ("Content-Encoding", "aesgcm")]
      + encryption.map { ("Encryption", $0) } + cryptoKey.map { ("Crypto-Key", $0) }
    return refusal(fields, body: [1])?.rule
  }

  @Test func `the body to deliver begins with the two fields, as UnifiedPush's gateway writes it`()
  {
    let read = content(encryption: ["salt=SALT"], cryptoKey: ["dh=KEY"])
    #expect(
      read?.deliveredBody
        == utf8("aesgcm\nEncryption: salt=SALT\nCrypto-Key: dh=KEY\n") + [1, 2, 10, 3])
  }

  @Test func `the fields of autopush's tests lose quotation marks and padding`() {
    let read = content(
      encryption: ["keyid=\"http://example.org/bob/keys/123\";salt=\"XZwpw6o37R-6qoZjw6KwAw==\""],
      cryptoKey: ["keyid=\"a1\"; dh=\"JcqK-OLkJZlJ3sJJWstJCA\""])
    #expect(
      read?.encryption
        == utf8("keyid=http://example.org/bob/keys/123;salt=XZwpw6o37R-6qoZjw6KwAw"))
    #expect(read?.cryptoKey == utf8("keyid=a1;dh=JcqK-OLkJZlJ3sJJWstJCA"))
  }

  @Test func `the key of the credential is not delivered`() {
    for keys in [
      ["dh=DH;p256ecdsa=V"], ["p256ecdsa=V;dh=DH"], ["p256ecdsa=V,dh=DH"],
      ["dh=DH", "P256ecdsa=V"],
    ] {
      #expect(content(encryption: ["salt=S"], cryptoKey: keys)?.cryptoKey == utf8("dh=DH"))
    }
    #expect(
      content(encryption: ["salt=S"], cryptoKey: ["a=1;dh=2,p256ecdsa=V;b=3"])?.cryptoKey
        == utf8("a=1;dh=2,b=3"))
  }

  @Test func `a value with a separator keeps its quotation marks`() {
    let read = content(encryption: ["keyid=\"a;b, \\\"c\\\\\";salt=S"], cryptoKey: ["dh=D"])
    #expect(read?.encryption == utf8("keyid=\"a;b, \\\"c\\\\\";salt=S"))
  }

  @Test func `a missing or invalid salt is refused`() {
    for encryption in [[], [""], ["keyid=a"], ["salt="], ["salt=a+b"], ["salt"], ["salt=\"a"]] {
      let refused = rule(encryption: encryption, cryptoKey: ["dh=D"])
      #expect(refused == .encryptionInvalid, "\(encryption)")
    }
  }

  @Test func `a missing or invalid key is refused`() {
    for keys in [[], [""], ["p256ecdsa=V"], ["dh=="], ["dh=a/b"], ["dh;x=1"], ["dh=a b"]] {
      #expect(rule(encryption: ["salt=S"], cryptoKey: keys) == .cryptoKeyInvalid, "\(keys)")
    }
  }

  @Test func `a field of 512 bytes is accepted, and a longer one refused`() {
    let value = "salt=S;x=" + String(repeating: "y", count: 512 - 9)
    #expect(content(encryption: [value], cryptoKey: ["dh=D"])?.encryption.count == 512)
    #expect(rule(encryption: [value + "y"], cryptoKey: ["dh=D"]) == .encryptionInvalid)
    #expect(rule(encryption: ["salt=S", value], cryptoKey: ["dh=D"]) == .encryptionInvalid)
  }

  @Test func `a body of 5,630 bytes is accepted, as in autopush, and a longer one refused`() {
    let body = [UInt8](repeating: 7, count: 5_630)
    let read = content(encryption: ["salt=S"], cryptoKey: ["dh=D"], body: body)
    #expect(read?.body == body)
    let fields = [
      ("TTL", "1"), ("Content-Encoding", "aesgcm"), ("Encryption", "salt=S"),
      ("Crypto-Key", "dh=D"),
    ]
    #expect(refusal(fields, body: body + [7])?.rule == .bodyTooLarge)
  }

  @Test func `a delivered body is parsed into its fields`() throws {
    var random = SeededGenerator(state: 3)
    for count in [0, 1, 100, 5_630] {
      let body = random.bytes(count)
      let content = AESGCMContent(
        encryption: utf8("keyid=a;salt=S"), cryptoKey: utf8("dh=D"), body: body)
      #expect(WebPushContent(deliveredBody: content.deliveredBody) == .aesgcm(content))
      #expect(content.deliveredBody.count <= WebPushLimits.deliveredBodyBytesMax)
    }
    let long = [UInt8](repeating: 0x61, count: 512)
    let largest = AESGCMContent(
      encryption: long, cryptoKey: long, body: [UInt8](repeating: 0, count: 5_630))
    #expect(WebPushContent(deliveredBody: largest.deliveredBody) == .aesgcm(largest))
    #expect(largest.deliveredBody.count <= WebPushLimits.deliveredBodyBytesMax)
  }

  @Test func `another body is one of aes128gcm`() {
    #expect(WebPushContent(deliveredBody: []) == .empty)
    for text in [
      "aesgcm", "aesgcm\n", "aesgcm\nEncryption: a", "aesgcm\nEncryption: a\n",
      "aesgcm\nEncryption: a\nCrypto-Key: b", "aesgcm\nEncryption: é\nCrypto-Key: b\n",
      "aesgcm\nEncryption: a\n\nCrypto-Key: b\n", "aesgcm\nCrypto-Key: b\nEncryption: a\n",
      "aesgcm\nEncryption: " + String(repeating: "x", count: 513) + "\nCrypto-Key: b\n",
      "Aesgcm\nEncryption: a\nCrypto-Key: b\n",
    ] {
      #expect(WebPushContent(deliveredBody: utf8(text)) == .aes128gcm(utf8(text)), "\(text)")
    }
    let body = RFC8291Vector.body
    #expect(WebPushContent(deliveredBody: body) == .aes128gcm(body))
  }

  @Test func `random lists survive being written and parsed again`() throws {
    var random = SeededGenerator(state: 4)
    let alphabet = utf8("ab=;, \"\\\tAZ09-_/:é")
    var parsed = 0
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 0...24, using: &random)).map { _ in
        alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
      }
      guard let list = ParameterList(text.span) else { continue }
      parsed += 1
      let written = list.text(omitting: "p256ecdsa")
      #expect(written.count <= text.count)
      let parsedAgain = ParameterList(written.span)
      let again = try #require(parsedAgain)
      #expect(again.text(omitting: "p256ecdsa") == written)
      #expect(again.parameters.map(\.name) == list.parameters.map(\.name))
      for (one, other) in zip(again.parameters, list.parameters) {
        #expect(one.value == Array(other.value.prefix(other.value.span.countWithoutPadding)))
      }
    }
    #expect(parsed > 1_000)
  }
}
