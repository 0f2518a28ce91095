internal import COpenSSL

/// An X.509 certificate, parsed once into plain values.
public struct Certificate: Sendable, Hashable {
  /// The certificate in DER.
  public let der: [UInt8]
  /// The subject's common name; empty if the subject has no common name.
  public let commonName: String
  /// The subject's UID (0.9.2342.19200300.100.1.1): the bundle identifier in Apple's certificates.
  public let uid: String?
  /// The subject's first organizational unit, which indicates the purpose of a certificate that Belfry issued.
  public let organizationalUnit: String?
  /// The serial number's bytes, without leading zeros.
  public let serialNumber: [UInt8]
  /// The start of validity, in seconds since 1970.
  public let notBefore: Int64
  /// The end of validity, in seconds since 1970.
  public let notAfter: Int64
  /// The public key as SubjectPublicKeyInfo in DER.
  public let publicKeySPKI: [UInt8]

  private let extensions: [Extension]

  private struct Extension: Hashable, Sendable {
    let identifier: [UInt8]
    let value: [UInt8]
  }

  /// Returns the value of the extension `oid`, or nil if the certificate doesn't have this extension.
  public func extensionValue(_ oid: ObjectIdentifier) -> [UInt8]? {
    let encoded = oid.encoded
    return extensions.first { $0.identifier == encoded }?.value
  }

  /// The host names for which the certificate is valid: its alternative names, or its common name if it has no
  /// alternative names.
  public var hostNames: [String] {
    let identifier = CertificateExtension.alternativeNames(hosts: [], addresses: []).identifier
    guard let value = extensionValue(identifier) else {
      return commonName.isEmpty ? [] : [commonName]
    }
    var outer = DERReader(value)
    guard var names = outer.sequence() else { return [] }
    var hosts: [String] = []
    while let tag = names.nextTag, let name = names.element(tag: tag) {
      if tag == DERTag.context(2) { hosts.append(String(decoding: name, as: UTF8.self)) }
    }
    return hosts
  }

  /// Returns true if the certificate is valid for `host`, which is a host name or an IP address (RFC 6125 section 6).
  public func isFor(_ host: String) -> Bool {
    (try? X509Handle(der: der))?.isFor(host) ?? false
  }

  /// Returns the certificate in PEM.
  public func pem() throws(CryptoFailure) -> [UInt8] {
    try X509Handle(der: der).pem()
  }

  /// Parses the certificate in `der`, and throws if any bytes follow it.
  public init(der: [UInt8]) throws(CryptoFailure) {
    try self.init(X509Handle(der: der))
  }

  /// Parses the first certificate in `pem`.
  public init(pem: [UInt8]) throws(CryptoFailure) {
    try self.init(X509Handle(pem: pem))
  }

  init(_ handle: X509Handle) throws(CryptoFailure) {
    der = try handle.der()
    commonName = handle.subjectText(NID_commonName) ?? ""
    uid = handle.subjectText(NID_userId)
    organizationalUnit = handle.subjectText(NID_organizationalUnitName)
    serialNumber = try handle.serialNumber()
    notBefore = try handle.seconds(.notBefore)
    notAfter = try handle.seconds(.notAfter)
    publicKeySPKI = try handle.publicKeySPKI()
    extensions = handle.extensions().map { Extension(identifier: $0.identifier, value: $0.value) }
  }
}

/// The verified certificate of a TLS peer.
public typealias PeerCertificate = Certificate
