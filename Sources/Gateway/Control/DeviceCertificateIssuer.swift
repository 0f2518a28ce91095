internal import BelfryWire
package import Transport

/// Issues the certificates of a gateway's devices.
package protocol DeviceCertificateIssuer: Sendable {
  /// The issuer's own certificate, which a device gets with its own; other authorities that it shall trust follow.
  var certificatePEM: [UInt8] { get }

  /// The authorities that devices shall trust, the issuer first.
  var trustedCertificates: [Certificate] { get }

  /// The certificate of a device that proved to own the key in `publicKeySPKI`, valid for `days` from `now`
  /// (seconds since 1970).
  func issueDevice(
    publicKeySPKI: [UInt8], device: String, now: Int64, days: Int
  ) throws(CryptoFailure) -> Certificate
}

extension DeviceCertificateIssuer {
  /// What TRUST says (`docs/device-link.md` 4.7).
  package var trustMark: [UInt8] { AuthorityBundle(trustedCertificates).mark }

  /// The name of the issuer's key.
  package var keyName: String { trustedCertificates.first?.keyName ?? "" }
}

extension CertificateAuthority: DeviceCertificateIssuer {
  package var trustedCertificates: [Certificate] { [certificate] }
}
