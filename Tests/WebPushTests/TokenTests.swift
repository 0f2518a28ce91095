import BelfryWire
import Testing
import Transport

@testable import WebPush

@Suite struct TokenTests {
  private typealias Vector = RFC8292Vector
  private let now: Int64 = 1_800_000_000
  private let signer: ES256PrivateKey

  init() throws { signer = try ES256PrivateKey() }

  /// Returns a credential whose token has this header and these claims, and a valid signature.
  private func credential(
    header: String = #"{"typ":"JWT","alg":"ES256"}"#,
    claims: String = #"{"aud":"https://push.example.org","exp":1800003600}"#, url: Bool = true
  ) throws -> VAPIDCredential {
    let signed =
      Base64.encode(utf8(header), url: url) + "." + Base64.encode(utf8(claims), url: url)
    let signature = try signer.sign(utf8(signed))
    return VAPIDCredential(
      token: utf8(signed + "." + Base64.encode(signature, url: url)),
      key: utf8(Base64.encode(signer.publicKey.point, url: url)))
  }

  private func refusal(
    _ credential: VAPIDCredential?, at seconds: Int64? = nil,
    dialect: WebPushDialect = .rfc, restrictedTo digest: SHA256.Digest? = nil
  ) throws -> WebPushRefusal? {
    let verifier = VAPIDVerifier(
      origins: [try origin("https://push.example.org")], dialect: dialect)
    switch verifier.verify(credential, restrictedTo: digest, atSeconds: seconds ?? now) {
    case .refused(let refusal): return refusal
    case .verified, .absent: return nil
    }
  }

  private func refusal(claims: String, dialect: WebPushDialect = .rfc) throws -> WebPushRefusal? {
    try refusal(credential(claims: claims), dialect: dialect)
  }

  @Test func `RFC 8292's token verifies`() throws {
    let verifier = VAPIDVerifier(origins: [try origin("https://push.example.net")])
    let digest = try #require(SHA256.Digest(Vector.digest))
    let outcome = verifier.verify(
      Vector.credential, restrictedTo: digest, atSeconds: Vector.expiresAtSeconds)
    guard case .verified(let token) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(token.key.point == [4] + Vector.x + Vector.y)
    #expect(token.key.text == Vector.keyText)
    #expect(token.key.digest == digest)
    #expect(token.expiresAtSeconds == 1_453_523_768)
    #expect(token.subject == "mailto:push@example.com")
  }

  private static let times: [(seconds: Int64, rule: WebPushRule?)] = [
    (1_453_523_768, nil), (1_453_437_368, nil), (1_453_437_068, nil),
    (1_453_523_769, .expirationPast), (1_453_437_067, .expirationTooFar),
  ]

  @Test(arguments: times)
  func `RFC 8292's token is valid for a day and five minutes`(seconds: Int64, rule: WebPushRule?)
    throws
  {
    let verifier = VAPIDVerifier(origins: [try origin("https://push.example.net")])
    let outcome = verifier.verify(Vector.credential, atSeconds: seconds)
    if case .refused(let refusal) = outcome {
      #expect(refusal.rule == rule)
    } else {
      #expect(rule == nil)
    }
  }

  @Test func `padding and the standard alphabet are tolerated in the key and the token`() throws {
    #expect(try refusal(credential(url: false)) == nil)
    let padded = VAPIDCredential(token: Vector.token, key: utf8(Vector.keyText + "="))
    let standard = Vector.keyText.utf8.map { byte in
      byte == UInt8(ascii: "-") ? UInt8(ascii: "+") : byte == UInt8(ascii: "_") ? 0x2F : byte
    }
    #expect(standard != utf8(Vector.keyText))
    let verifier = VAPIDVerifier(origins: [try origin("https://push.example.net")])
    for credential in [padded, VAPIDCredential(token: Vector.token, key: standard)] {
      let outcome = verifier.verify(credential, atSeconds: Vector.expiresAtSeconds)
      guard case .verified(let token) = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(token.key.text == Vector.keyText)
    }
  }

  @Test func `a changed token does not verify`() throws {
    let verifier = VAPIDVerifier(origins: [try origin("https://push.example.net")])
    // The last four bits of the text encode nothing.
    for index in 0..<(Vector.token.count - 1) {
      var token = Vector.token
      token[index] = token[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      let credential = VAPIDCredential(token: token, key: utf8(Vector.keyText))
      let outcome = verifier.verify(credential, atSeconds: Vector.expiresAtSeconds)
      guard case .refused = outcome else {
        Issue.record("byte \(index)")
        return
      }
    }
  }

  @Test func `a token of another key, or with a signature in DER, is refused`() throws {
    var other = try credential()
    other = VAPIDCredential(token: other.token, key: utf8(Vector.keyText))
    #expect(try refusal(other)?.rule == .tokenSignature)
    let signed = utf8("eyJhbGciOiJFUzI1NiJ9.e30")
    let der = utf8(Base64.encode(try signer.signDER(signed), url: true))
    let key = utf8(Base64.encode(signer.publicKey.point, url: true))
    let refused = try refusal(VAPIDCredential(token: signed + utf8(".") + der, key: key))
    #expect(refused?.rule == .tokenSignature)
    #expect(refused?.message.contains("ES256 has 64") == true)
  }

  @Test(arguments: [
    "", "invalid", "invalid|", "BA1H", "AA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic",
    "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBQs",
  ])
  func `a key that is no point of the curve is refused`(text: String) throws {
    let credential = VAPIDCredential(token: Vector.token, key: utf8(text))
    let refused = try refusal(credential)
    #expect(refused?.rule == .keyInvalid)
    #expect(refused?.message.contains("'\(text.prefix(64))") == true)
  }

  @Test func `a key of any length is refused without being decoded`() throws {
    let key = [UInt8](repeating: UInt8(ascii: "A"), count: 1 << 20)
    #expect(try refusal(VAPIDCredential(token: Vector.token, key: key))?.rule == .keyInvalid)
    #expect(VAPIDPublicKey(utf8(Vector.keyText + "==").span) == nil)
  }

  @Test(arguments: ["", "a", "a.b", "a.b.c.d", "....", "e30.e30.!", "W10.e30.AAAA", "e30.W10.AAAA"])
  func `text that is no JWT is refused`(text: String) throws {
    let credential = VAPIDCredential(token: utf8(text), key: utf8(Vector.keyText))
    #expect(try refusal(credential)?.rule == .tokenMalformed)
  }

  @Test func `a token above the limit, or with an unknown extension, is refused`() throws {
    let long = [UInt8](repeating: UInt8(ascii: "."), count: 2_049)
    let refused = try refusal(VAPIDCredential(token: long, key: utf8(Vector.keyText)))
    #expect(refused?.message == "the token has 2049 bytes")
    let extended = try credential(header: #"{"alg":"ES256","crit":["x"],"x":1}"#)
    #expect(try refusal(extended)?.rule == .tokenMalformed)
  }

  @Test(arguments: ["\"HS256\"", "\"none\"", "\"ES384\"", "\"es256\"", "1", "null"])
  func `another algorithm is refused`(algorithm: String) throws {
    let refused = try refusal(credential(header: "{\"alg\":\(algorithm)}"))
    #expect(refused?.rule == .tokenAlgorithm)
    #expect(try refusal(credential(header: "{}"))?.rule == .tokenAlgorithm)
  }

  @Test(arguments: [
    #""https://push.example.org""#, #""https://push.example.org/""#,
    #""HTTPS://Push.Example.ORG:443""#, #"["https://push.example.org"]"#,
    #"["https://other.example", "https://push.example.org"]"#,
    #"["x", "https://push.example.org"]"#,
  ])
  func `aud contains the origin, in any spelling`(audience: String) throws {
    #expect(try refusal(claims: #"{"exp":1800003600,"aud":\#(audience)}"#) == nil)
  }

  @Test(arguments: [
    #""http://push.example.org""#, #""https://push.example.org:8443""#, #""push.example.org""#,
    #""https://push.example.org/push/x""#, #""https://push.example.org.evil.example""#, #""""#,
    #""https://push.example.o\u0072g@evil.example""#, #"["https://a.example"]"#,
  ])
  func `an aud for another origin is refused`(audience: String) throws {
    let refused = try refusal(claims: #"{"exp":1800003600,"aud":\#(audience)}"#)
    #expect(refused?.rule == .audienceOther)
  }

  @Test func `the message about aud has both origins`() throws {
    let refused = try refusal(claims: #"{"exp":1800003600,"aud":["https://a","b"]}"#)
    #expect(
      refused?.message
        == "the token's aud is 'https://a' and 1 more, this endpoint's origin is 'https://push.example.org'"
    )
  }

  @Test(arguments: [
    #""aud":1,"#, #""aud":[],"#, #""aud":null,"#, #""aud":["a",1],"#, #""aud":{},"#, "",
  ])
  func `an aud that is no text is refused`(audience: String) throws {
    #expect(try refusal(claims: #"{\#(audience)"exp":1800003600}"#)?.rule == .audienceInvalid)
  }

  @Test(arguments: [
    "1800003600", "1800003600.9", "1.8e9", "1800086400", "1800086700", "1800000000",
  ])
  func `exp is a number from now to a day ahead`(expiration: String) throws {
    let claims = #"{"aud":"https://push.example.org","exp":\#(expiration)}"#
    #expect(try refusal(claims: claims) == nil)
  }

  @Test(arguments: [
    ("1799999999", WebPushRule.expirationPast, "the token expired 1 second ago (exp)"),
    ("1799992800", .expirationPast, "the token expired 2 hours ago (exp)"),
    ("-1e300", .expirationPast, "the token expired long ago (exp)"),
    ("-9223372036854775808", .expirationPast, "the token expired long ago (exp)"),
    (
      "1800086701", .expirationTooFar,
      "the token's exp is 24 hours 5 minutes ahead; at most 24 hours are allowed"
    ),
    (
      "1800090000", .expirationTooFar,
      "the token's exp is 25 hours ahead; at most 24 hours are allowed"
    ),
    (
      "1e300", .expirationTooFar,
      "the token's exp is 106751991146467 days ahead; at most 24 hours are allowed (exp is in seconds)"
    ),
    (
      "1800003600000", .expirationTooFar,
      "the token's exp is 20812541 days ahead; at most 24 hours are allowed (exp is in seconds)"
    ),
    (
      "\"1800003600\"", .expirationInvalid,
      "the token's exp is the string '1800003600'; it must be a number"
    ),
    ("\"@\"", .expirationInvalid, "the token's exp is the string '@'; it must be a number"),
    ("true", .expirationInvalid, "the token's exp is not a number"),
    ("null", .expirationInvalid, "the token's exp is not a number"),
  ])
  func `another exp is refused with its distance`(text: String, rule: WebPushRule, message: String)
    throws
  {
    let refused = try refusal(claims: #"{"aud":"https://push.example.org","exp":\#(text)}"#)
    #expect(refused?.rule == rule)
    #expect(refused?.message == message)
  }

  @Test func `a missing exp is refused`() throws {
    let refused = try refusal(claims: #"{"aud":"https://push.example.org"}"#)
    #expect(refused?.rule == .expirationInvalid)
    #expect(refused?.message == "the token does not have exp")
  }

  @Test func `a restricted subscription accepts only its own key`() throws {
    let own = SHA256.hash(signer.publicKey.point)
    #expect(try refusal(credential(), restrictedTo: own) == nil)
    let other = try #require(SHA256.Digest(Vector.digest))
    #expect(try refusal(credential(), restrictedTo: other)?.rule == .keyOfOtherSender)
    #expect(try refusal(nil, restrictedTo: own)?.rule == .authorizationMissing)
    #expect(try refusal(nil) == nil)
  }

  @Test(arguments: [
    ("mailto:push@example.com", true), ("https://example.com", true),
    ("https://example.com/contact?a=b", true), ("MAILTO:a@b.c", true), ("HTTPS://a.b:8080", true),
    ("mailto:x@localhost", false), ("mailto: <x@y.z>", false), ("mailto:<x@y.z>", false),
    ("x@y.z", false), ("https://localhost", false), ("http://example.com", false), ("", false),
    ("mailto:", false), ("mailto:@y.z", false), ("mailto:x@", false), ("mailto:x@y.", false),
    ("mailto:x@y@z.a", false), ("mailto:x@.y", false), ("mailto:x y@z.a", false),
    ("https://", false), ("https://.a", false), ("mailto:x@y..z", false),
    ("mailto:\u{e9}@y.z", false),
  ])
  func `only Apple's dialect has rules for sub`(subject: String, isAccepted: Bool) throws {
    let claims =
      #"{"aud":"https://push.example.org","exp":1800003600,"sub":\#(JSONValue.string(subject).text)}"#
    #expect(try refusal(claims: claims) == nil)
    #expect(try refusal(claims: claims, dialect: .autopush) == nil)
    let refused = try refusal(claims: claims, dialect: .apple)
    #expect(refused?.rule == (isAccepted ? nil : .subjectInvalid))
  }

  @Test func `Apple's dialect requires sub`() throws {
    #expect(try refusal(credential(), dialect: .apple)?.rule == .subjectInvalid)
    let number = #"{"aud":"https://push.example.org","exp":1800003600,"sub":1}"#
    #expect(try refusal(claims: number, dialect: .apple)?.rule == .subjectInvalid)
    #expect(try refusal(claims: number) == nil)
  }

  @Test func `a message of a hostile token is short and printable`() throws {
    let text = String(repeating: "\u{301}\u{316}", count: 300)
    let refused = try refusal(claims: #"{"exp":1800003600,"aud":"\#(text)"}"#)
    #expect(refused?.rule == .audienceOther)
    #expect((refused?.message.utf8.count ?? 0) < 200)
    #expect(refused?.message.utf8.allSatisfy { (0x20..<0x7F).contains($0) } == true)
  }
}
