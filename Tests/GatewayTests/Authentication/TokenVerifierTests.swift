import BelfryWire
import Gateway
import Testing
import Transport

@Suite struct TokenVerifierTests {
  private let signer: ES256PrivateKey
  private let directory: Directory

  init() throws {
    signer = try ES256PrivateKey()
    directory = Directory(
      version: 1,
      keys: [
        ProviderKey(
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

  @Test func `F01 F05 missing and unknown are told apart`() throws {
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
    verifier.use(Directory(version: 2, keys: [], apps: []))
    #expect(rejection(authorization, verifier) == .invalidProviderToken)
  }
}
