internal import BelfryWire
public import PushWire
public import Transport

/// The authorities that a device trusts: those that it was given, or those that its gateway has since announced.
///
/// One PEM file contains the device's certificate, the announced authorities, and the mark (a hash) of the given
/// authorities that they replace. A single write therefore updates everything. If the device is killed during the
/// change, it has either the previous authorities or the new ones, and the gateway accepts both.
public struct DeviceTrust: Sendable, Equatable {
  /// The authorities that may sign the gateway's certificate.
  public let authorities: AuthorityBundle
  /// The authorities in PEM format.
  public let authoritiesPEM: [UInt8]

  /// The prefix of the line after the certificates.
  ///
  /// The line contains the mark of the given authorities that the announced authorities replace.
  fileprivate static let replacesLabel = "Replaces: "

  /// Creates the trust of a device that trusts exactly the given authorities; if they cannot be read, the device trusts
  /// no authority.
  public init(given: [UInt8]) {
    authorities = (try? AuthorityBundle(pem: given)) ?? AuthorityBundle([])
    authoritiesPEM = given
  }

  private init(_ authorities: AuthorityBundle, _ pem: [UInt8]) {
    self.authorities = authorities
    authoritiesPEM = pem
  }

  /// Creates the trust of the device that owns `chain` and was given the authorities in `given`; nil if the chain
  /// belongs to another gateway.
  ///
  /// Newly given authorities take precedence: the authorities that the gateway announced apply only while the given
  /// authorities are the same as at the time of the announcement.
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

  /// Returns the PEM text with a renewed certificate and the authorities that the gateway announced to replace `given`.
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
  /// The certificates that the device presents in TLS: its own certificate, and the certificate of the authority that
  /// signed it.
  public var shownChainPEM: [UInt8]? {
    chainPEM.map {
      Array(PEMText.blocks(of: $0, label: "CERTIFICATE").prefix(2).joined())
    }
  }

  /// Returns the authorities that the device trusts if it is given the authorities in `given`.
  public func trust(given: [UInt8]) -> DeviceTrust {
    chainPEM.flatMap { DeviceTrust(chain: $0, given: given) } ?? DeviceTrust(given: given)
  }

  /// True if the gateway has announced authorities; if not, the device trusts the given authorities.
  var hasNamedAuthorities: Bool {
    guard let line = chainPEM?.dropLast().split(separator: 0x0A).last else { return false }
    return line.starts(with: DeviceTrust.replacesLabel.utf8)
  }

  /// Returns the credential for the link's state machine; nil before enrollment.
  public func credential(given: [UInt8]) -> LinkCredential? {
    credential(given: given, mark: DeviceTrust(given: given).authorities.mark)
  }

  /// Returns the same credential as ``credential(given:)``, but does not compute the mark of the given authorities.
  ///
  /// Many devices can share the given authorities, so the caller computes the mark once.
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

  /// Returns the identity with the certificate from an enrollment; throws if a connection with that certificate would
  /// be refused.
  ///
  /// `chainPEM` contains the certificate, then its authorities. The check can rely on the device's own clock: a
  /// certificate is valid from the beginning of its authority's validity, and the device has just checked the authority
  /// with the same clock.
  func enrolled(
    as device: UInt64, _ chainPEM: [UInt8], given: [UInt8], nowSeconds: Int64
  ) throws -> DeviceIdentity {
    let certificate = try Certificate(pem: chainPEM)
    guard certificate.publicKeySPKI == key.publicKey.spkiDER,
      certificate.commonName == String(device)
    else { throw CryptoFailure.malformed(expected: "a certificate of this device") }
    guard let trust = DeviceTrust(chain: chainPEM, given: given) else {
      throw CertificateChain.Failure.foreignIssuer
    }
    let named = PEMText.blocks(of: chainPEM, label: "CERTIFICATE").dropFirst()
      .compactMap { try? Certificate(pem: $0) }
    try CertificateChain.check(
      certificate, authorities: trust.authorities.certificates + named, purpose: .client,
      now: nowSeconds)
    var identity = self
    identity.device = device
    identity.chainPEM = chainPEM
    return identity
  }

  /// Returns the identity with the renewed certificate and authorities; throws if the certificate is not for this
  /// device, or if the authorities did not sign it.
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

  /// Returns true if `chain` begins with a certificate for `key` and belongs to the gateway with the authorities in
  /// `authorityPEM`.
  public static func isChain(
    _ chain: [UInt8], of key: ES256PrivateKey, under authorityPEM: [UInt8]
  ) -> Bool {
    guard let leaf = try? Certificate(pem: chain), leaf.publicKeySPKI == key.publicKey.spkiDER
    else { return false }
    return DeviceTrust(chain: chain, given: authorityPEM) != nil
  }
}
