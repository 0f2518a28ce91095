import BelfryWire
import PushWire
import Testing

@Suite struct ProviderTokenTests {
  private func token(
    header: String = #"{"alg":"ES256","kid":"KEYTMSBX01"}"#,
    claims: String = #"{"iss":"TEAMAAAAAA","iat":1700000000}"#, url: Bool = true
  ) -> [UInt8] {
    let segments = [Array(header.utf8), Array(claims.utf8), [UInt8](repeating: 7, count: 64)]
    return Array(segments.map { Base64.encode($0, url: url) }.joined(separator: ".").utf8)
  }

  @Test func `a token is taken apart`() throws {
    let bytes = token()
    let parsed = try ProviderToken(bytes.span)
    #expect(parsed.keyID == "KEYTMSBX01")
    #expect(parsed.teamID == "TEAMAAAAAA")
    #expect(parsed.issuedAt == 1_700_000_000)
    #expect(parsed.signature.count == 64)
    #expect(bytes[parsed.signedByteCount] == UInt8(ascii: "."))
  }

  @Test func `F16 the standard alphabet with padding is read`() throws {
    #expect(try ProviderToken(token(url: false).span).keyID == "KEYTMSBX01")
  }

  @Test(arguments: ["1700000000", "1700000000.25", "\"1700000000\"", "1.7e9", "\"1700000000.9\""])
  func `F23 iat is an integer, a float or a numeric string`(iat: String) throws {
    let claims = "{ \"iat\" : \(iat) ,\n \"iss\":\"TEAMAAAAAA\", \"kid\":\"x\" }"
    #expect(try ProviderToken(token(claims: claims).span).issuedAt == 1_700_000_000)
  }

  @Test(arguments: ["HS256", "none", "ES384", "es256"])
  func `F18 another algorithm is refused`(algorithm: String) {
    let header = "{\"alg\":\"\(algorithm)\",\"kid\":\"K\"}"
    #expect(throws: ProviderToken.ParseFailure.algorithm) {
      try ProviderToken(token(header: header).span)
    }
  }

  @Test(arguments: [
    #"{"iss":"TEAMAAAAAA"}"#, #"{"iat":1700000000}"#, #"{"iss":"T","iat":true}"#,
    #"{"iss":1,"iat":1}"#, #"{"iss":"T","iat":"soon"}"#, #"{"iss":"T","iat":1e300}"#,
  ])
  func `F21 claims that are missing or have no usable form are refused`(claims: String) {
    #expect(throws: ProviderToken.ParseFailure.missing) {
      try ProviderToken(token(claims: claims).span)
    }
  }

  @Test(arguments: ["", "a", "a.b", "a.b.c", "....", "not-a-jwt", "e30.e30.e30.e30", "W10.W10.W10"])
  func `F04 text that is no token is refused`(text: String) {
    #expect(throws: ProviderToken.ParseFailure.self) {
      try ProviderToken(Array(text.utf8).span)
    }
  }

  @Test(arguments: [("bearer abc", 7), ("Bearer abc", 7), ("BEARER   abc", 9)])
  func `the scheme word arrives in any case`(text: String, start: Int) {
    #expect(ProviderToken.start(in: Array(text.utf8).span) == start)
  }

  @Test(arguments: ["", "bearer", "bearer ", "bearer    ", "basic abc", "bearerabc"])
  func `F02 a header without the bearer scheme or a token has no provider token`(text: String) {
    #expect(ProviderToken.start(in: Array(text.utf8).span) == nil)
  }

  @Test func `F08 a token is fresh within an hour either way`() throws {
    let parsed = try ProviderToken(token().span)
    for (age, isFresh) in [
      (0, true), (3_600, true), (3_601, false), (-3_600, true), (-3_601, false),
    ] {
      #expect(parsed.isFresh(atSeconds: 1_700_000_000 + Int64(age)) == isFresh)
    }
    #expect(!ProviderToken.isFresh(issuedAt: .min, atSeconds: 1))
  }
}
