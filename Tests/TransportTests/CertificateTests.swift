import Testing

@testable import Transport

private let now: Int64 = 1_795_000_000

@Suite struct CertificateTests {
  private let authority: CertificateAuthority

  init() throws {
    authority = try CertificateAuthority.make(
      commonName: "Belfry test CA",
      nameConstraints: .init(
        hostNames: ["localhost", "push.apple.com"]),
      now: now)
  }

  private func refusal(
    of certificate: Certificate, purpose: CertificateChain.Purpose, at moment: Int64 = now
  ) -> CertificateChain.Failure? {
    do {
      try CertificateChain.check(
        certificate, authorities: [authority.certificate], purpose: purpose, now: moment)
      return nil
    } catch {
      return error
    }
  }

  @Test
  func `a server certificate within the constraints holds`() throws {
    let server = try authority.issueServer(
      names: ["localhost", "api.push.apple.com"], addresses: ["127.0.0.1", "::1", "10.1.2.3"],
      now: now)
    #expect(refusal(of: server.certificate, purpose: .server) == nil)
    #expect(refusal(of: server.certificate, purpose: .client) != nil)
    #expect(try Certificate(pem: server.certificateChainPEM) == server.certificate)
    let key = try ES256PrivateKey(pkcs8PEM: server.privateKeyPEM)
    #expect(key.publicKey.spkiDER == server.certificate.publicKeySPKI)
  }

  @Test(arguments: ["example.com", "apple.com", "localhost.example.com"])
  func `names outside the constraints do not hold`(name: String) throws {
    let server = try authority.issueServer(names: [name], addresses: ["127.0.0.1"], now: now)
    #expect(refusal(of: server.certificate, purpose: .server) == .forbiddenName)
    #expect(try !authority.permits(name, under: authority.certificate))
  }

  @Test
  func `constraints that leave host names free are refused`() {
    #expect(throws: CryptoFailure.self) { try CertificateAuthority.NameConstraints(hostNames: []) }
  }

  @Test
  func `addresses are not constrained, for BoringSSL refuses that`() throws {
    let value = try #require(
      authority.certificate.extensionValue(ObjectIdentifier(2, 5, 29, 30)))
    var reader = DERReader(value)
    let sequence = reader.sequence()
    var constraints = try #require(sequence)
    let permitted = constraints.element(tag: DERTag.context(0, constructed: true))
    var subtrees = try DERReader(#require(permitted))
    var kinds: Set<UInt8> = []
    while !subtrees.isAtEnd {
      let subtree = subtrees.sequence()
      kinds.insert(try #require(subtree?.nextTag))
    }
    #expect(kinds == [DERTag.context(2)])
    #expect(constraints.isAtEnd, "there are no excluded subtrees")
  }

  @Test
  func `an authority with other constraints has the same key, name and time: all it signed holds`()
    throws
  {
    let constraints = try CertificateAuthority.NameConstraints(hostNames: ["localhost", "host"])
    #expect(!authority.has(constraints))
    let reissued = try authority.reissued(nameConstraints: constraints)
    #expect(reissued.has(constraints))
    #expect(!reissued.has(try .init(hostNames: ["localhost", "push.apple.com"])))
    #expect(reissued.privateKeyPEM == authority.privateKeyPEM)
    #expect(reissued.certificate.publicKeySPKI == authority.certificate.publicKeySPKI)
    #expect(reissued.certificate.commonName == authority.certificate.commonName)
    #expect(reissued.certificate.notBefore == authority.certificate.notBefore)
    #expect(reissued.certificate.notAfter == authority.certificate.notAfter)
    #expect(reissued.certificate.serial != authority.certificate.serial)
    let device = try authority.issueDevice(
      publicKeySPKI: ES256PrivateKey().publicKey.spkiDER, device: "42", now: now, days: 1)
    try CertificateChain.check(
      device, authorities: [reissued.certificate], purpose: .client, now: now)
    let server = try reissued.issueServer(
      names: ["localhost"], addresses: ["127.0.0.1"], now: now)
    #expect(refusal(of: server.certificate, purpose: .server) == nil)
  }

  @Test
  func `a device's certificate names its owner, and holds only in its time`() throws {
    let key = try ES256PrivateKey().publicKey
    let device = try authority.issueDevice(
      publicKeySPKI: key.spkiDER, device: "42", now: now, days: 30)
    #expect(device.commonName == "42")
    #expect(device.uid == nil)
    #expect(device.organizationalUnit == CertificateAuthority.deviceUnit)
    #expect(device.publicKeySPKI == key.spkiDER)
    #expect(device.serialNumber.count == 16)
    #expect(device.notAfter == now + 30 * 86_400)
    #expect(refusal(of: device, purpose: .client) == nil)
    #expect(
      refusal(of: device, purpose: .client, at: now + 31 * 86_400)
        == .expired(notAfter: device.notAfter))
    // The device's certificate is valid from the same time as its authority.
    #expect(refusal(of: device, purpose: .client, at: now - 86_400) != nil)
    #expect(try Certificate(der: device.der) == device)
    #expect(try Certificate(pem: device.pem()) == device)
    #expect(throws: CryptoFailure.self) {
      try authority.issueDevice(publicKeySPKI: key.spkiDER, device: "a.b", now: now, days: 1)
    }
  }

  @Test
  func `the certificate that is not valid at a time is the one whose date is reported`() throws {
    let (start, end) = (authority.certificate.notBefore, authority.certificate.notAfter)
    let provider = try authority.issueProvider(
      bundleID: "com.example.app", environment: .both, form: .universal, now: now + 86_400, days: 9
    ).certificate
    func failure(at moment: Int64) -> CertificateChain.Failure? {
      refusal(of: provider, purpose: .client, at: moment)
    }
    #expect(failure(at: start - 1) == .authorityNotYetValid(notBefore: start))
    #expect(failure(at: now) == .notYetValid(notBefore: provider.notBefore))
    #expect(failure(at: provider.notBefore) == nil)
    #expect(failure(at: provider.notAfter + 1) == .expired(notAfter: provider.notAfter))
    let expired = failure(at: end + 1)
    #expect(expired == .authorityExpired(notAfter: end))
    let text = try #require(expired).description
    #expect(text.contains("authority expired 2036-11-15T11:06:40.000Z"), "\(text)")
    #expect(text.contains("belfry ca rotate"), "\(text)")
  }

  @Test
  func `another authority's certificate is foreign, even under the same name`() throws {
    let other = try CertificateAuthority.make(
      commonName: "Belfry test CA",
      nameConstraints: .init(
        hostNames: ["localhost"]),
      now: now)
    let device = try other.issueDevice(
      publicKeySPKI: ES256PrivateKey().publicKey.spkiDER, device: "42", now: now, days: 1)
    #expect(refusal(of: device, purpose: .client) == .foreignIssuer)
  }

  @Test(arguments: providerForms)
  func `a provider's certificate carries Apple's extensions`(
    environment: CertificateAuthority.ProviderEnvironment, form: CertificateAuthority.ProviderForm
  ) throws {
    let identity = try authority.issueProvider(
      bundleID: "com.example.app", environment: environment, form: form, now: now)
    let certificate = identity.certificate
    #expect(certificate.uid == "com.example.app")
    #expect(certificate.organizationalUnit == CertificateAuthority.providerUnit)
    #expect(refusal(of: certificate, purpose: .client) == nil)
    let isPlain = form == .uid && environment == .both
    #expect(
      (certificate.extensionValue(AppleExtension.development) != nil)
        == (environment != .production && !isPlain))
    #expect(
      (certificate.extensionValue(AppleExtension.production) != nil)
        == (environment != .development && !isPlain))
    let topics = certificate.extensionValue(AppleExtension.topics).flatMap(AppleExtension.topics)
    #expect(
      topics?.map(\.name)
        == (form == .universal
          ? ["com.example.app", "com.example.app.voip", "com.example.app.complication"] : nil))
  }

  @Test
  func `a provider's certificate has the kind of key that was asked for`() throws {
    for kind in CertificateAuthority.ProviderKeyKind.allCases {
      let identity = try authority.issueProvider(
        bundleID: "com.example.app", environment: .both, form: .universal, key: kind, now: now)
      #expect(refusal(of: identity.certificate, purpose: .client) == nil)
      let key = try EVPKey.reading(pem: identity.privateKeyPEM, kind: .any)
      #expect(try key.publicDER() == identity.certificate.publicKeySPKI)
      // A 2,048-bit RSA key takes up more than 256 bytes, and a point on P-256 takes up 64.
      #expect((identity.certificate.publicKeySPKI.count > 256) == (kind == .rsa))
      if kind == .rsa {
        #expect(throws: CryptoFailure.unsupportedKey) {
          try EVPKey.reading(pem: identity.privateKeyPEM)
        }
      }
    }
  }

  @Test
  func `a bundle ID longer than a common name is complete in the UID`() throws {
    let bundleID = "com.apple.mgmt.External.11111111-2222-3333-4444-555555555555"
    let provider = try authority.issueProvider(
      bundleID: bundleID, environment: .both, form: .uid, now: now)
    #expect(provider.certificate.uid == bundleID)
    #expect(provider.certificate.commonName.utf8.count == 64)
    let host = String(repeating: "a", count: 70) + ".localhost"
    let server = try authority.issueServer(names: [host], addresses: [], now: now)
    #expect(server.certificate.commonName == "belfry")
  }

  @Test
  func `the authority survives its files, and refuses another's key`() throws {
    let read = try CertificateAuthority.load(
      certificatePEM: authority.certificatePEM, privateKeyPEM: authority.privateKeyPEM)
    #expect(read.certificate == authority.certificate)
    #expect(throws: CryptoFailure.malformed(expected: "the key of this authority's certificate")) {
      try CertificateAuthority.load(
        certificatePEM: authority.certificatePEM, privateKeyPEM: ES256PrivateKey().pkcs8PEM())
    }
  }

  @Test
  func `broken certificates are refused and nothing traps`() throws {
    let der = authority.certificate.der
    #expect(throws: CryptoFailure.self) { try Certificate(der: []) }
    #expect(throws: CryptoFailure.self) { try Certificate(der: der + [0]) }
    #expect(throws: CryptoFailure.self) { try Certificate(pem: Array("nothing".utf8)) }
    for count in 0..<der.count {
      #expect(throws: CryptoFailure.self) { try Certificate(der: Array(der[..<count])) }
    }
  }
}

private let providerForms:
  [(
    CertificateAuthority.ProviderEnvironment, CertificateAuthority.ProviderForm
  )] = CertificateAuthority.ProviderEnvironment.allCases.flatMap {
    [($0, .universal), ($0, .uid)]
  }

@Suite struct AppleExtensionTests {
  /// The value in apns-protocol 2.3, encoded from a real client's configuration.
  private let published =
    bytes("3073") + bytes("0c14") + Array("com.eatthepath.pushy".utf8) + bytes("30050c03")
    + Array("app".utf8) + bytes("0c19") + Array("com.eatthepath.pushy.voip".utf8)
    + bytes("30060c04") + Array("voip".utf8) + bytes("0c21")
    + Array("com.eatthepath.pushy.complication".utf8) + bytes("300e0c0c")
    + Array("complication".utf8)

  @Test
  func `the topics' value is the published one, both ways`() {
    let topics = AppleExtension.universalTopics(of: "com.eatthepath.pushy")
    #expect(published.count == 117)
    #expect(AppleExtension.value(of: topics) == published)
    #expect(AppleExtension.topics(in: published) == topics)
  }

  @Test
  func `a value that is cut, long-winded or nested wrongly is no list of topics`() {
    for count in 0..<published.count {
      #expect(AppleExtension.topics(in: Array(published[..<count])) == nil)
    }
    for index in published.indices {
      var changed = published
      changed[index] = 0xFF
      _ = AppleExtension.topics(in: changed)
    }
    #expect(AppleExtension.topics(in: bytes("3084ffffffff")) == nil)
    #expect(AppleExtension.topics(in: bytes("3080")) == nil)
    #expect(AppleExtension.topics(in: bytes("3000")) == [])
  }

  @Test
  func `lengths over 127 survive`() {
    let topics = (0..<20).map { AppleExtension.Topic("com.example.app\($0)", tags: ["app"]) }
    #expect(AppleExtension.topics(in: AppleExtension.value(of: topics)) == topics)
  }

  @Test
  func `object identifiers encode as X.690 says`() {
    #expect(AppleExtension.topics.encoded == bytes("2a864886f76364060306"))
    #expect(AppleExtension.topics.description == "1.2.840.113635.100.6.3.6")
  }
}
