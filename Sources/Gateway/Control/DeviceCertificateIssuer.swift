internal import BelfryWire
package import Transport

/// An issuer of device certificates.
package protocol DeviceCertificateIssuer: Sendable {
  /// The certificates that a device receives together with its own: the issuer's, followed by the other authorities to
  /// trust.
  var certificatePEM: [UInt8] { get }

  /// The certificates that devices must trust, beginning with the issuer's.
  var trustedCertificates: [Certificate] { get }

  /// Issues a certificate to a device that has proved that it owns the key in `publicKeySPKI`.
  ///
  /// The certificate is valid for `days` from `now`, which is in seconds since 1970.
  func issueDevice(
    publicKeySPKI: [UInt8], device: String, now: Int64, days: Int
  ) throws(CryptoFailure) -> Certificate
}

extension DeviceCertificateIssuer {
  /// The hash in the TRUST frame that identifies the trusted authorities (`docs/device-link.md` 4.7).
  package var trustMark: [UInt8] { AuthorityBundle(trustedCertificates).mark }

  /// The name of the issuer's key.
  package var keyName: String { trustedCertificates.first?.keyName ?? "" }
}

extension CertificateAuthority: DeviceCertificateIssuer {
  package var trustedCertificates: [Certificate] { [certificate] }
}
