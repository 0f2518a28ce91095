import BelfryWire
import PushWire
import Gateway
import Testing
import Transport

@Suite struct TokenVerifierTests {
  private let signer: ES256PrivateKey
  private let directory: CredentialDirectory

  init() throws {
    signer = try ES256PrivateKey()
    directory = CredentialDirectory(
      version: 1,
      keys: [
        ProviderVerificationKey(
          id: "KEY", teamID: "TEAM", publicKey: signer.publicKey, environments: [.sandbox],
          bundleIDs: nil, relatedKeyID: nil)
      ], apps: [])
  }

  private func authorization(
    key: String = "KEY", team: String = "TEAM", der: Bool = false, corrupt: Bool = false
  ) throws -> [UInt8] {
    let header = Base64.encode(Array("{\"alg\":\"ES256\",\"kid\":\"\(key)\"}".utf8), url: true)
    let claims = Base64.encode(Array("{\"iss\":\"\(team)\",\"iat\":1700000000}".utf8), url: true)
    let message = Array("\(header).\(claims)".utf8)
    var signature = try der ? signer.signDER(message) : signer.sign(message)
    if corrupt { signature[signature.count - 1] ^= 1 }
    return Array("bearer \(header).\(claims).\(Base64.encode(signature, url: true))".utf8)
  }

  private func rejection(_ authorization: [UInt8], _ verifier: TokenVerifier) -> Rejection? {
    switch verifier.verify(authorization: authorization.span) {
    case .verified: nil
    case .refused(let rejection): rejection
    }
  }

  @Test(arguments: [false, true])
  func `F12 F13 raw and DER signatures verify`(der: Bool) throws {
    let verifier = TokenVerifier(directory: directory)
    #expect(rejection(try authorization(der: der), verifier) == nil)
    #expect(
      rejection(try authorization(der: der, corrupt: true), verifier) == .invalidProviderToken)
  }

  @Test func `F01 F05 missing and unknown provider tokens are distinguished`() throws {
    let verifier = TokenVerifier(directory: directory)
    #expect(rejection([], verifier) == .missingProviderToken)
    #expect(rejection(Array("bearer".utf8), verifier) == .missingProviderToken)
    #expect(rejection(Array("bearer x".utf8), verifier) == .invalidProviderToken)
    #expect(rejection(try authorization(key: "OTHER"), verifier) == .invalidProviderToken)
    #expect(rejection(try authorization(team: "OTHER"), verifier) == .invalidProviderToken)
  }

  @Test func `a revoked key is refused at once although its token was known`() throws {
    let verifier = TokenVerifier(directory: directory)
    let authorization = try authorization()
    #expect(rejection(authorization, verifier) == nil)
    verifier.use(CredentialDirectory(version: 2, keys: [], apps: []))
    #expect(rejection(authorization, verifier) == .invalidProviderToken)
  }

  /// A signature in the form that one library sends: SHA-512 with a P-256 key, and two integers as wide as those of
  /// ES512.
  ///
  /// The signature was generated with an independent implementation.
  private static let es512 = [
    "eyJhbGciOiJFUzUxMiIsImtpZCI6IktFWSJ9.eyJpc3MiOiJURUFNIiwiaWF0IjoxNzAwMDAwMDAwfQ.",
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPNxxKEh3Z2mCtf2BmObtvqz_-p6RmiFa70I",
    "_-43G1XTAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPYIbmTVDJ9fmdmbzKNBCdG5mIoT",
    "sy9kMtmGBZf1a_Ov",
  ].joined()
  private static let es512Key = [
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE2N7igr7p3Io9c8W9igErvu5NqgqR9xsW+PSFn6JhwKr7",
    "Qz7lWwUUSOw4lyrN0VVGL6IR9u7XaayCBgECj3xwoQ==",
  ].joined()

  @Test func `ES512 with a P-256 key is taken where it is allowed`() throws {
    let text = Array(Self.es512Key.utf8)
    let decoded = Base64.decode(text.span)
    let der = try #require(decoded)
    let key = ProviderVerificationKey(
      id: "KEY", teamID: "TEAM", publicKey: try ES256PublicKey(spkiDER: der),
      environments: [.sandbox], bundleIDs: nil, relatedKeyID: nil)
    let keys = CredentialDirectory(version: 1, keys: [key], apps: [])
    let authorization = Array("bearer \(Self.es512)".utf8)
    #expect(rejection(authorization, TokenVerifier(directory: keys)) == nil)
    #expect(
      rejection(authorization, TokenVerifier(directory: keys, acceptsES512: false))
        == .invalidProviderToken)
    #expect(
      rejection(authorization, TokenVerifier(directory: directory)) == .invalidProviderToken)
  }
}
