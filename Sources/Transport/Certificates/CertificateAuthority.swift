internal import COpenSSL

/// A gateway's own authority: it signs the gateway's server certificate, its devices' and its
/// providers'.
///
/// Its name constraints keep it from signing for other host names, so that installing it in a
/// machine's store cannot be used to impersonate other hosts of the Internet.
public struct CertificateAuthority: Sendable {
  private let handle: X509Handle
  private let key: EVPKey
  /// Its own certificate.
  public let certificate: Certificate
  /// Its own certificate in PEM: the gateway's `ca.pem`.
  public let certificatePEM: [UInt8]
  /// Its key in PKCS#8 PEM, to be kept in a file of mode 0600.
  public let privateKeyPEM: [UInt8]

  /// A certificate in PEM with its key in PKCS#8 PEM.
  public struct Identity: Sendable {
    /// The certificate, its issuer after it.
    public let certificateChainPEM: [UInt8]
    /// The key, unencrypted.
    public let privateKeyPEM: [UInt8]
    /// The certificate, read.
    public let certificate: Certificate

    /// An identity from its parts.
    public init(certificateChainPEM: [UInt8], privateKeyPEM: [UInt8], certificate: Certificate) {
      self.certificateChainPEM = certificateChainPEM
      self.privateKeyPEM = privateKeyPEM
      self.certificate = certificate
    }
  }

  /// The host names that the authority may sign server certificates for.
  ///
  /// IP addresses are not constrained: BoringSSL refuses every certificate with an address whose
  /// authority constrains addresses, and clients that connect to an address need it in the certificate.
  public struct NameConstraints: Sendable {
    /// Host names; each with all names under it.
    public let hostNames: [String]

    /// At least one name: without any, host names would be free too (RFC 5280 section 4.2.1.10).
    public init(hostNames: [String]) throws(CryptoFailure) {
      guard !hostNames.isEmpty else {
        throw .malformed(expected: "name constraints: name a host at least")
      }
      self.hostNames = hostNames
    }

    var certificateExtension: CertificateExtension { .nameConstraints(hosts: hostNames) }
  }

  private init(_ handle: X509Handle, _ key: EVPKey) throws(CryptoFailure) {
    self.handle = handle
    self.key = key
    certificate = try Certificate(handle)
    certificatePEM = try handle.pem()
    privateKeyPEM = try key.pkcs8PEM()
  }

  /// A fresh authority, valid for `days` from `now` (seconds since 1970).
  public static func make(
    commonName: String, nameConstraints: NameConstraints, now: Int64, days: Int = 3_650
  ) throws(CryptoFailure) -> CertificateAuthority {
    try make(
      commonName: commonName, key: EVPKey.generate(), nameConstraints: nameConstraints,
      notBefore: now - Limits.clockSkewSeconds, notAfter: now + Int64(days) * 86_400)
  }

  private static func make(
    commonName: String, key: EVPKey, nameConstraints: NameConstraints, notBefore: Int64,
    notAfter: Int64
  ) throws(CryptoFailure) -> CertificateAuthority {
    let form = CertificateForm(
      commonName: commonName, notBefore: notBefore, notAfter: notAfter, publicKey: key,
      extensions: [
        .authority, .signsCertificates, .usages([.server, .client]),
        nameConstraints.certificateExtension,
      ])
    return try CertificateAuthority(form.signed(by: key, issuer: nil), key)
  }

  /// Whether its certificate has exactly these name constraints.
  public func has(_ nameConstraints: NameConstraints) -> Bool {
    let wanted = nameConstraints.certificateExtension
    return certificate.extensionValue(wanted.identifier) == wanted.value
  }

  /// The same authority with other name constraints: name, key and time stay, so that what it has
  /// signed holds, also for those who trust its former certificate.
  public func reissued(
    nameConstraints: NameConstraints
  ) throws(CryptoFailure) -> CertificateAuthority {
    try Self.make(
      commonName: certificate.commonName, key: key, nameConstraints: nameConstraints,
      notBefore: certificate.notBefore, notAfter: certificate.notAfter)
  }

  /// The authority whose two files these are; fails where they do not belong together.
  public static func load(
    certificatePEM: [UInt8], privateKeyPEM: [UInt8]
  ) throws(CryptoFailure) -> CertificateAuthority {
    let handle = try X509Handle(pem: certificatePEM)
    let key = try EVPKey.reading(pem: privateKeyPEM)
    guard try handle.publicKeySPKI() == key.publicDER() else {
      throw .malformed(expected: "the key of this authority's certificate")
    }
    return try CertificateAuthority(handle, key)
  }

  /// The authorities of a file with several certificates whose keys are in the other file, in the order of the
  /// certificates; fails where the first one's key is not there.
  ///
  /// Certificates without a key are left out.
  public static func loadAll(
    certificatesPEM: [UInt8], privateKeysPEM: [UInt8]
  ) throws(CryptoFailure) -> [CertificateAuthority] {
    var keys: [[UInt8]: EVPKey] = [:]
    for block in PEMText.blocks(of: privateKeysPEM, label: "PRIVATE KEY") {
      let key = try EVPKey.reading(pem: block)
      keys[try key.publicDER()] = key
    }
    var authorities: [CertificateAuthority] = []
    for block in PEMText.blocks(of: certificatesPEM, label: "CERTIFICATE") {
      let handle = try X509Handle(pem: block)
      guard let key = keys[try handle.publicKeySPKI()] else {
        guard !authorities.isEmpty else {
          throw .malformed(expected: "the key of this authority's certificate")
        }
        continue
      }
      authorities.append(try CertificateAuthority(handle, key))
    }
    guard !authorities.isEmpty else { throw .malformed(expected: "a certificate in PEM") }
    return authorities
  }

  /// A server certificate with a fresh key for host names and addresses, valid until `days` from
  /// `now` (seconds since 1970).
  ///
  /// It begins with its authority, so that a wrong clock issues none that is not valid yet; but no earlier
  /// than clients accept that count its whole time (`Limits.serverCertificateSecondsMax`).
  ///
  /// Names outside the constraints are signed, but no client accepts them.
  public func issueServer(
    names: [String], addresses: [String], now: Int64, days: Int = 825
  ) throws(CryptoFailure) -> Identity {
    var ranges: [AddressRange] = []
    for text in addresses {
      guard let range = AddressRange(text), range.prefixBits == range.address.count * 8 else {
        throw .malformed(expected: "an IP address: `\(text)`")
      }
      ranges.append(range)
    }
    let serverKey = try EVPKey.generate()
    let notAfter = min(now + Int64(days) * 86_400, certificate.notAfter)
    let earliest = min(now - Limits.clockSkewSeconds, notAfter - Limits.serverCertificateSecondsMax)
    let form = CertificateForm(
      commonName: names.first { $0.utf8.count <= Limits.commonNameBytesMax } ?? "belfry",
      organizationalUnit: "Belfry server",
      notBefore: max(certificate.notBefore, earliest), notAfter: notAfter, publicKey: serverKey,
      extensions: [
        .endEntity, .signsHandshakes, .usages([.server]),
        .alternativeNames(hosts: names, addresses: ranges),
      ])
    return try identity(form, key: serverKey)
  }

  /// A client certificate for the owner of the key in `publicKeySPKI` (DER), from `notBefore` to
  /// `notAfter` (seconds since 1970).
  ///
  /// `serial` is made where it is nil.
  public func issueClient(
    publicKeySPKI: [UInt8], commonName: String, uid: String? = nil,
    organizationalUnit: String? = nil, serial: [UInt8]? = nil, notBefore: Int64, notAfter: Int64,
    extensions: [CertificateExtension] = []
  ) throws(CryptoFailure) -> Certificate {
    try issueClient(
      key: ES256PublicKey(spkiDER: publicKeySPKI).key, commonName: commonName, uid: uid,
      organizationalUnit: organizationalUnit, serial: serial, notBefore: notBefore,
      notAfter: notAfter, extensions: extensions)
  }

  func issueClient(
    key publicKey: EVPKey, commonName: String, uid: String? = nil,
    organizationalUnit: String? = nil, serial: [UInt8]? = nil, notBefore: Int64, notAfter: Int64,
    extensions: [CertificateExtension] = []
  ) throws(CryptoFailure) -> Certificate {
    let form = CertificateForm(
      commonName: commonName, organizationalUnit: organizationalUnit, uid: uid,
      serial: serial ?? CertificateForm.randomSerial(), notBefore: notBefore, notAfter: notAfter,
      publicKey: publicKey,
      extensions: [.endEntity, .signsHandshakes, .usages([.client])] + extensions)
    return try Certificate(form.signed(by: key, issuer: handle))
  }

  private func identity(_ form: CertificateForm, key: EVPKey) throws(CryptoFailure) -> Identity {
    let signed = try form.signed(by: self.key, issuer: handle)
    return Identity(
      certificateChainPEM: try signed.pem() + certificatePEM, privateKeyPEM: try key.pkcs8PEM(),
      certificate: try Certificate(signed))
  }
}
