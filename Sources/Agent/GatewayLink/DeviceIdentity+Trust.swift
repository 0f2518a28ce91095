public import BelfryWire
public import Transport

/// Whom a device trusts: the authorities that it was given, or those that its gateway named since.
///
/// One text in PEM has the device's certificate, the authorities and which ones these replace, so that one write changes
/// all of it: a device that is killed in between has the former ones or the new ones, and both let it in.
public struct DeviceTrust: Sendable, Equatable {
  /// The authorities that the gateway's certificate may come from.
  public let authorities: AuthorityBundle
  /// The same in PEM.
  public let authoritiesPEM: [UInt8]

  /// Begins the line, after the certificates, that names the given authorities which these replace.
  fileprivate static let replacesLabel = "Replaces: "

  /// Exactly those that were given; nothing is trusted where they cannot be read.
  public init(given: [UInt8]) {
    authorities = (try? AuthorityBundle(pem: given)) ?? AuthorityBundle([])
    authoritiesPEM = given
  }

  private init(_ authorities: AuthorityBundle, _ pem: [UInt8]) {
    self.authorities = authorities
    authoritiesPEM = pem
  }

  /// Whom the owner of `chain` trusts where it is given the authorities in `given`; nil where the chain belongs to another
  /// gateway.
  ///
  /// What was given last wins: the gateway's word counts for as long as the same is given as when it came.
  public init?(chain: [UInt8], given: [UInt8]) {
    let blocks = PEMText.blocks(of: chain, label: "CERTIFICATE").dropFirst()
    let named = blocks.compactMap { try? Certificate(pem: $0) }
    let own = DeviceTrust(given: given)
    let bundle = AuthorityBundle(named)
    if named.count == blocks.count, !named.isEmpty, Self.replaced(in: chain) == own.authorities.mark
    {
      self.init(bundle, Array(blocks.joined()))
    } else if bundle.sharesKey(with: own.authorities) {
      self = own
    } else {
      return nil
    }
  }

  /// The text with a renewed certificate and what the gateway wants to be trusted instead of `given`.
  public static func chain(
    _ certificate: Certificate, under authorities: AuthorityBundle, insteadOf given: [UInt8]
  ) throws(CryptoFailure) -> [UInt8] {
    let mark = Hexadecimal.encode(DeviceTrust(given: given).authorities.mark)
    return try certificate.pem() + authorities.pem() + Array("\(replacesLabel)\(mark)\n".utf8)
  }

  private static func replaced(in chain: [UInt8]) -> [UInt8]? {
    guard let line = chain.split(separator: 0x0A).last, line.starts(with: replacesLabel.utf8)
    else { return nil }
    let digits = line.dropFirst(replacesLabel.utf8.count)
    return Hexadecimal.decode(String(decoding: digits, as: UTF8.self).filter { !$0.isWhitespace })
  }
}

extension DeviceIdentity {
  /// What the device shows in TLS: its certificate and the one that signed it.
  public var shownChainPEM: [UInt8]? {
    chainPEM.map {
      Array(PEMText.blocks(of: $0, label: "CERTIFICATE").prefix(2).joined())
    }
  }

  /// Whom the device trusts where it is given the authorities in `given`.
  public func trust(given: [UInt8]) -> DeviceTrust {
    chainPEM.flatMap { DeviceTrust(chain: $0, given: given) } ?? DeviceTrust(given: given)
  }

  /// Whether the gateway has named authorities; where it has not, those that were given are trusted.
  var hasNamedAuthorities: Bool {
    guard let line = chainPEM?.dropLast().split(separator: 0x0A).last else { return false }
    return line.starts(with: DeviceTrust.replacesLabel.utf8)
  }

  /// What the link's machine has to know; nil before enrolment.
  public func credential(given: [UInt8]) -> LinkCredential? {
    credential(given: given, mark: DeviceTrust(given: given).authorities.mark)
  }

  /// The same; `mark` is that of what was given, which very many devices share.
  func credential(given: [UInt8], mark: [UInt8]) -> LinkCredential? {
    guard let chainPEM, let certificate = try? Certificate(pem: chainPEM) else { return nil }
    let issuer = PEMText.blocks(of: chainPEM, label: "CERTIFICATE").dropFirst().first
      .flatMap { try? Certificate(pem: $0) }
    return LinkCredential(
      publicKey: key.publicKey.spkiDER,
      trustMark: hasNamedAuthorities ? trust(given: given).authorities.mark : mark,
      renewAtSeconds: LinkCredential.renewalSeconds(
        notBefore: certificate.notBefore, notAfter: certificate.notAfter,
        authorityNotAfter: issuer?.notAfter))
  }

  /// The identity with what the gateway sent; throws where it is not this device's, or not what it says.
  public func renewed(
    with renewed: LinkFrame.Renewed, given: [UInt8], nowSeconds: Int64
  ) throws -> DeviceIdentity {
    let certificate = try Certificate(der: renewed.certificate)
    let authorities = AuthorityBundle(try renewed.authorities.map { try Certificate(der: $0) })
    guard certificate.publicKeySPKI == key.publicKey.spkiDER,
      certificate.commonName == device.map(String.init)
    else { throw CryptoFailure.malformed(expected: "a certificate of this device") }
    try CertificateChain.check(
      certificate, authorities: Array(authorities.certificates.prefix(1)), purpose: .client,
      now: nowSeconds)
    var identity = self
    identity.chainPEM = try DeviceTrust.chain(certificate, under: authorities, insteadOf: given)
    return identity
  }

  /// Whether `chain` begins with a certificate for `key`, and belongs to the gateway of the authorities in `authorityPEM`.
  public static func isChain(
    _ chain: [UInt8], of key: ES256PrivateKey, under authorityPEM: [UInt8]
  ) -> Bool {
    guard let leaf = try? Certificate(pem: chain), leaf.publicKeySPKI == key.publicKey.spkiDER
    else { return false }
    return DeviceTrust(chain: chain, given: authorityPEM) != nil
  }
}
