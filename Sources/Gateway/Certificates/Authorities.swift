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

/// A test of whether the gateway still trusts the authority that signed a certificate.
struct AuthorityTrust {
  private let names: [String]
  private let hasFirst: Bool

  init(_ authorities: Authorities) {
    names = authorities.trusted.certificates.map(\.keyName)
    // Earlier releases, which could not rotate the authority, issued the certificates whose authority is unknown. A
    // gateway's first authority signed them; the names of its successors end with a number.
    hasFirst = authorities.trusted.certificates.contains {
      !$0.commonName.hasPrefix("\(GatewayFolder.authorityName) ")
    }
  }

  /// Returns true if the authority is trusted; a nil name means an authority whose name is unknown.
  func includes(_ authority: String?) -> Bool {
    authority.map { names.contains($0) } ?? hasFirst
  }
}
