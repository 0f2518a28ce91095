internal import COpenSSL

/// A gateway's own certificate authority, which signs the certificates of the gateway's server, devices, and providers.
///
/// The authority's name constraints limit the host names for which it can sign certificates. Even if the authority is
/// installed in a machine's trust store, its key can't be used to impersonate other hosts on the internet.
public struct CertificateAuthority: Sendable {
  private let handle: X509Handle
  private let key: EVPKey
  /// The authority's own certificate.
  public let certificate: Certificate
  /// The authority's own certificate in PEM: the gateway's `ca.pem`.
  public let certificatePEM: [UInt8]
  /// The authority's key in PKCS#8 PEM, to be stored in a file with mode 0600.
  public let privateKeyPEM: [UInt8]

  /// A certificate in PEM with its key in PKCS#8 PEM.
  public struct Identity: Sendable {
    /// The certificate, followed by its issuer's certificate.
    public let certificateChainPEM: [UInt8]
    /// The unencrypted private key.
    public let privateKeyPEM: [UInt8]
    /// The certificate in parsed form.
    public let certificate: Certificate

    /// Creates an identity from its parts.
    public init(certificateChainPEM: [UInt8], privateKeyPEM: [UInt8], certificate: Certificate) {
      self.certificateChainPEM = certificateChainPEM
      self.privateKeyPEM = privateKeyPEM
      self.certificate = certificate
    }
  }

  /// The host names for which the authority may sign server certificates.
  ///
  /// IP addresses aren't constrained. If an authority constrained addresses, BoringSSL would reject every certificate
  /// with an address, and clients that connect to an address need that address in the certificate.
  public struct NameConstraints: Sendable {
    /// The permitted host names; each includes all its subdomains.
    public let hostNames: [String]

    /// Creates constraints with at least one name.
    ///
    /// Constraints without any host name would not constrain host names (RFC 5280 section 4.2.1.10).
    public init(hostNames: [String]) throws(CryptoFailure) {
      guard !hostNames.isEmpty else {
        throw .malformed(expected: "name constraints with at least one host name")
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

  /// Creates a new authority, valid for `days` from `now` (seconds since 1970).
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

  /// Returns true if the authority's certificate has exactly these name constraints.
  public func has(_ nameConstraints: NameConstraints) -> Bool {
    let wanted = nameConstraints.certificateExtension
    return certificate.extensionValue(wanted.identifier) == wanted.value
  }

  /// Returns the same authority with different name constraints.
  ///
  /// The name, key, and validity stay the same, so that certificates that the authority has signed remain valid, even
  /// for clients that trust its previous certificate.
  public func reissued(
    nameConstraints: NameConstraints
  ) throws(CryptoFailure) -> CertificateAuthority {
    try Self.make(
      commonName: certificate.commonName, key: key, nameConstraints: nameConstraints,
      notBefore: certificate.notBefore, notAfter: certificate.notAfter)
  }

  /// Loads an authority from the contents of its two files, and throws if they don't match.
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

  /// Loads authorities from a file of certificates and a file of keys, in the order of the certificates.
  ///
  /// Throws if the key of the first certificate is missing. Omits other certificates without a key.
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

  /// Issues a server certificate with a new key for host names and IP addresses.
  ///
  /// The certificate expires `days` after `now` (seconds since 1970), or earlier if the authority expires earlier.
  ///
  /// The certificate is valid from the start of the authority's own validity, so that a wrong clock can't produce a
  /// certificate that isn't valid yet. The start is later if the validity period would otherwise exceed the limit of
  /// some clients (`Limits.serverCertificateSecondsMax`).
  ///
  /// Names outside the constraints can be signed, but no client accepts them.
  public func issueServer(
    names: [String], addresses: [String], now: Int64, days: Int = 825
  ) throws(CryptoFailure) -> Identity {
    var ranges: [AddressRange] = []
    for text in addresses {
      guard let range = AddressRange(text), range.prefixBits == range.address.count * 8 else {
        throw .malformed(expected: "an IP address instead of '\(text)'")
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

  /// Issues a client certificate for the owner of the key in `publicKeySPKI` (DER), valid from `notBefore` to
  /// `notAfter` (seconds since 1970).
  ///
  /// If `serial` is nil, a serial number is generated.
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
