/// The certificate with which the peer proved who it is.
public final class PeerCertificate: Sendable {
  /// The certificate in DER.
  public let der: [UInt8]
  /// Subject CN; nil without one.
  public let commonName: String?
  /// Subject UID (0.9.2342.19200300.100.1.1), an APNs certificate's topic; nil without one.
  public let uid: String?
  /// Serial number, big-endian, without leading zeros.
  public let serial: [UInt8]
  /// Begin of validity, milliseconds since 1970.
  public let notBeforeUnixMilliseconds: Int64
  /// End of validity, milliseconds since 1970.
  public let notAfterUnixMilliseconds: Int64

  init() {
    der = []
    commonName = nil
    uid = nil
    serial = []
    notBeforeUnixMilliseconds = 0
    notAfterUnixMilliseconds = 0
  }

  /// The value (DER inside the OCTET STRING) of the extension with this OID, such as
  /// "1.2.840.113635.100.6.3.1".
  public func extensionValue(oid: String) -> [UInt8]? { nil }
}
