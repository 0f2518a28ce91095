/// An extension to include in a certificate.
public struct CertificateExtension: Hashable, Sendable {
  /// The object identifier of the extension.
  public let identifier: ObjectIdentifier
  /// True if a verifier that doesn't know the extension must reject the certificate.
  public let isCritical: Bool
  /// The value in DER, without the enclosing octet string.
  public let value: [UInt8]

  /// Creates an extension with its value in DER.
  public init(_ identifier: ObjectIdentifier, isCritical: Bool = false, value: [UInt8]) {
    self.identifier = identifier
    self.isCritical = isCritical
    self.value = value
  }
}

/// The extensions of RFC 5280 section 4.2 that the certificates of an authority use.
extension CertificateExtension {
  enum Usage {
    case server
    case client

    var identifier: ObjectIdentifier {
      ObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 3, self == .server ? 1 : 2)
    }
  }

  /// The basic constraints of an authority that may sign only end-entity certificates.
  static let authority = CertificateExtension(
    ObjectIdentifier(2, 5, 29, 19), isCritical: true,
    value: DER.sequence([
      DER.element(DERTag.boolean, [0xFF]), DER.element(DERTag.integer, [0]),
    ]))

  /// The basic constraints of an end-entity certificate.
  static let endEntity = CertificateExtension(
    ObjectIdentifier(2, 5, 29, 19), isCritical: true, value: DER.sequence([]))

  /// The key usages keyCertSign and cRLSign.
  static let signsCertificates = keyUsage(bits: 0x06, unused: 1)
  /// The key usage digitalSignature.
  static let signsHandshakes = keyUsage(bits: 0x80, unused: 7)

  private static func keyUsage(bits: UInt8, unused: UInt8) -> CertificateExtension {
    CertificateExtension(
      ObjectIdentifier(2, 5, 29, 15), isCritical: true,
      value: DER.element(DERTag.bitString, [unused, bits]))
  }

  static func usages(_ usages: [Usage]) -> CertificateExtension {
    CertificateExtension(
      ObjectIdentifier(2, 5, 29, 37),
      value: DER.sequence(usages.map { DER.objectIdentifier($0.identifier) }))
  }

  static func alternativeNames(hosts: [String], addresses: [AddressRange]) -> CertificateExtension {
    CertificateExtension(
      ObjectIdentifier(2, 5, 29, 17),
      value: DER.sequence(
        hosts.map { DER.element(DERTag.context(2), Array($0.utf8)) }
          + addresses.map { DER.element(DERTag.context(7), $0.address) }))
  }

  /// Returns the extension that restricts the host names for which an authority may sign (RFC 5280 section 4.2.1.10).
  static func nameConstraints(hosts: [String]) -> CertificateExtension {
    let subtrees = hosts.map { DER.sequence([DER.element(DERTag.context(2), Array($0.utf8))]) }
    return CertificateExtension(
      ObjectIdentifier(2, 5, 29, 30), isCritical: true,
      value: DER.sequence([
        DER.element(DERTag.context(0, constructed: true), Array(subtrees.joined()))
      ]))
  }

  /// Returns the key identifier as defined in RFC 7093 section 2, method 4: the first 160 bits of the hash of the
  /// SubjectPublicKeyInfo.
  static func keyIdentifier(of spki: [UInt8]) -> [UInt8] {
    Array(SHA256.hash(spki).bytes.prefix(20))
  }

  static func subjectKeyIdentifier(_ identifier: [UInt8]) -> CertificateExtension {
    CertificateExtension(
      ObjectIdentifier(2, 5, 29, 14), value: DER.element(DERTag.octetString, identifier))
  }

  static func authorityKeyIdentifier(_ identifier: [UInt8]) -> CertificateExtension {
    CertificateExtension(
      ObjectIdentifier(2, 5, 29, 35),
      value: DER.sequence([DER.element(DERTag.context(0), identifier)]))
  }
}
