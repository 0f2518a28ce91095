internal import BelfryWire
package import Transport

/// The certificate authorities of a gateway: one, or two during a rotation (docs/decisions/0018).
///
/// The first authority signs the listeners' certificates, so that clients with the previous `ca.pem` continue to work.
/// The last authority signs the certificates of devices and providers, so that these certificates remain valid after
/// the first authority is retired.
package struct Authorities: Sendable, DeviceCertificateIssuer {
  /// The authorities whose keys are available, in the same order as in `ca.pem`.
  let signing: [CertificateAuthority]
  /// The authorities in `ca.pem`, including any whose key is missing.
  let trusted: AuthorityBundle

  init(signing: [CertificateAuthority], trusted: AuthorityBundle) {
    precondition(!signing.isEmpty, "a gateway has at least one authority")
    assert(
      signing.allSatisfy { trusted.certificates.contains($0.certificate) },
      "every signing authority is trusted")
    self.signing = signing
    self.trusted = trusted
  }

  /// The authority that signs the listeners' certificates.
  var server: CertificateAuthority { signing[0] }
  /// The authority that signs the certificates of devices and providers.
  var issuer: CertificateAuthority { signing[signing.count - 1] }
  /// True during a rotation.
  var isRotating: Bool { trusted.certificates.count > 1 }

  /// The certificates that devices must trust, beginning with the issuer's.
  package var trustedCertificates: [Certificate] {
    [issuer.certificate] + trusted.certificates.filter { $0 != issuer.certificate }
  }

  /// The certificates that devices must trust, in PEM.
  package var certificatePEM: [UInt8] {
    issuer.certificatePEM
      + signing.dropLast().flatMap(\.certificatePEM)
  }

  /// The authorities that can sign a client's certificate, in PEM.
  var trustedPEM: [UInt8] { (try? trusted.pem()) ?? server.certificatePEM }

  package func issueDevice(
    publicKeySPKI: [UInt8], device: String, now: Int64, days: Int
  ) throws(CryptoFailure) -> Certificate {
    try issuer.issueDevice(publicKeySPKI: publicKeySPKI, device: device, now: now, days: days)
  }
}
