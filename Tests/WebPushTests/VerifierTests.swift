import BelfryWire
import Testing
import Transport

@testable import WebPush

@Suite struct VerifierTests {
  private func rule(_ outcome: VAPIDVerifier.Outcome) -> WebPushRule? {
    guard case .refused(let refusal) = outcome else { return nil }
    return refusal.rule
  }

  @Test func `a token is verified once, and its time and key are checked each time`() throws {
    let verifier = VAPIDVerifier(origins: [try origin("https://push.example.net")])
    let credential = RFC8292Vector.credential
    let digest = try #require(SHA256.Digest(RFC8292Vector.digest))
    let expiry = RFC8292Vector.expiresAtSeconds
    #expect(rule(verifier.verify(credential, restrictedTo: digest, atSeconds: expiry)) == nil)
    #expect(verifier.knownCount == 1)
    #expect(rule(verifier.verify(credential, atSeconds: expiry + 1)) == .expirationPast)
    #expect(rule(verifier.verify(credential, atSeconds: expiry - 90_000)) == .expirationTooFar)
    let other = SHA256.hash([1])
    #expect(
      rule(verifier.verify(credential, restrictedTo: other, atSeconds: expiry)) == .keyOfOtherSender
    )
    #expect(rule(verifier.verify(credential, atSeconds: expiry)) == nil)
    #expect(verifier.knownCount == 1)
  }

  @Test func `a token with another key is another entry`() throws {
    let verifier = VAPIDVerifier(origins: [try origin("https://push.example.net")])
    let expiry = RFC8292Vector.expiresAtSeconds
    let other = VAPIDCredential(
      token: RFC8292Vector.token,
      key: utf8(Base64.encode(try ES256PrivateKey().publicKey.point, url: true)))
    #expect(rule(verifier.verify(RFC8292Vector.credential, atSeconds: expiry)) == nil)
    #expect(rule(verifier.verify(other, atSeconds: expiry)) == .tokenSignature)
    #expect(verifier.knownCount == 2)
  }

  @Test func `an invalid signature is not checked again`() throws {
    let verifier = VAPIDVerifier(origins: [try origin("https://push.example.net")])
    var token = RFC8292Vector.token
    token[token.count - 10] ^= 1
    let credential = VAPIDCredential(token: token, key: utf8(RFC8292Vector.keyText))
    for _ in 0..<3 {
      let outcome = verifier.verify(credential, atSeconds: RFC8292Vector.expiresAtSeconds)
      #expect(rule(outcome) == .tokenSignature)
    }
    #expect(verifier.knownCount == 1)
  }

  @Test func `a known token takes less than a third of the time`() throws {
    let origins = [try origin("https://push.example.net")]
    let known = VAPIDVerifier(origins: origins)
    func time(_ verifier: () -> VAPIDVerifier) -> Duration {
      (0..<20).map { _ in
        let verifier = verifier()
        return ContinuousClock().measure {
          _ = verifier.verify(RFC8292Vector.credential, atSeconds: 0)
        }
      }.min() ?? .zero
    }
    #expect(time { known } * 3 < time { VAPIDVerifier(origins: origins) })
  }

  @Test func `the cache is emptied when it is full`() throws {
    let verifier = VAPIDVerifier(origins: [try origin("https://push.example.net")])
    for number in 0..<WebPushLimits.verifiedTokensMax {
      _ = verifier.verify(
        VAPIDCredential(token: utf8("\(number)"), key: []), atSeconds: 0)
    }
    #expect(verifier.knownCount == WebPushLimits.verifiedTokensMax)
    _ = verifier.verify(VAPIDCredential(token: utf8("x"), key: []), atSeconds: 0)
    #expect(verifier.knownCount == 1)
  }

  @Test func `a verifier with two origins accepts a token for either`() throws {
    let (one, two) = (try origin("https://a.example"), try origin("http://127.0.0.1:9160"))
    let verifier = VAPIDVerifier(origins: [one, two])
    let key = try VAPIDKey()
    for origin in [one, two] {
      let token = try key.token(for: origin, expiresAtSeconds: 100)
      let credential = VAPIDCredential(token: utf8(token), key: utf8(key.publicKey.text))
      #expect(rule(verifier.verify(credential, atSeconds: 0)) == nil)
    }
    let token = try key.token(for: origin("https://b.example"), expiresAtSeconds: 100)
    let credential = VAPIDCredential(token: utf8(token), key: utf8(key.publicKey.text))
    let outcome = verifier.verify(credential, atSeconds: 0)
    guard case .refused(let refusal) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(
      refusal.message
        == "the token's aud is 'https://b.example', this endpoint's origin is 'https://a.example or http://127.0.0.1:9160'"
    )
  }
}
