internal import BelfryWire
package import Transport

/// The authorities of a gateway: one, or two while the second takes the first one's place
/// (docs/decisions/0018).
///
/// The first one signs what the listeners show, so that clients with a former `ca.pem` go on; the last one signs the
/// certificates of devices and providers, which so are good when the first one is given up.
package struct Authorities: Sendable, DeviceCertificateIssuer {
  /// In the order of `ca.pem`; each has its key.
  let signing: [CertificateAuthority]
  /// Those of `ca.pem`, also where the key of one is not there.
  let trusted: AuthorityBundle

  init(signing: [CertificateAuthority], trusted: AuthorityBundle) {
    precondition(!signing.isEmpty, "a gateway without an authority")
    assert(
      signing.allSatisfy { trusted.certificates.contains($0.certificate) },
      "an authority signs that is not trusted")
    self.signing = signing
    self.trusted = trusted
  }

  /// Signs what the listeners show.
  var server: CertificateAuthority { signing[0] }
  /// Signs for devices and providers.
  var issuer: CertificateAuthority { signing[signing.count - 1] }
  /// Whether one takes the other's place.
  var isRotating: Bool { trusted.certificates.count > 1 }

  /// What devices shall trust: the issuer first.
  package var trustedCertificates: [Certificate] {
    [issuer.certificate] + trusted.certificates.filter { $0 != issuer.certificate }
  }

  /// The same in PEM.
  package var certificatePEM: [UInt8] {
    issuer.certificatePEM
      + signing.dropLast().flatMap(\.certificatePEM)
  }

  /// What a client's certificate may be signed by, in PEM.
  var trustedPEM: [UInt8] { (try? trusted.pem()) ?? server.certificatePEM }

  package func issueDevice(
    publicKeySPKI: [UInt8], device: String, now: Int64, days: Int
  ) throws(CryptoFailure) -> Certificate {
    try issuer.issueDevice(publicKeySPKI: publicKeySPKI, device: device, now: now, days: days)
  }
}
