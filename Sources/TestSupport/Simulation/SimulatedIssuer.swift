import Gateway
import Synchronization
import Transport

/// A gateway's authority that issues each certificate only once per process, because signing takes time.
///
/// All certificates for the same device number have the same length, regardless of their keys and signatures. The
/// authority's own certificate also has a fixed length.
final class SimulatedIssuer: DeviceCertificateIssuer {
  private struct Subject: Hashable {
    let device: String
    let publicKeySPKI: [UInt8]
  }

  private let authority: CertificateAuthority
  private let issued = Mutex<[Subject: Certificate]>([:])
  /// The length, in bytes, of about half of all DER-encoded signatures.
  private static let signatureBytes = 71
  /// The lifetime of a certificate in days, counted from the creation of the authority.
  ///
  /// The lifetime is longer than any world.
  private static let days = 3_000

  let certificatePEM: [UInt8]
  var trustedCertificates: [Certificate] { [authority.certificate] }

  init(_ authority: CertificateAuthority) {
    self.authority = authority
    certificatePEM = authority.certificatePEM
  }

  func issueDevice(
    publicKeySPKI: [UInt8], device: String, now: Int64, days: Int
  ) throws(CryptoFailure) -> Certificate {
    let subject = Subject(device: device, publicKeySPKI: publicKeySPKI)
    if let known = issued.withLock({ $0[subject] }) { return known }
    var certificate: Certificate
    repeat {
      certificate = try authority.issueDevice(
        publicKeySPKI: publicKeySPKI, device: device, now: SimulatedIdentities.issuedSeconds,
        days: Self.days)
    } while !Self.endsWithUsualSignature(certificate.der)
    issued.withLock { issued in
      if issued.count >= 4_096 { issued.removeAll() }
      issued[subject] = certificate
    }
    return certificate
  }

  /// Returns true if the certificate ends with a signature of the usual length.
  ///
  /// Such a signature is a bit string without unused bits that contains a sequence.
  static func endsWithUsualSignature(_ der: [UInt8]) -> Bool {
    let end = [0x03, UInt8(signatureBytes + 1), 0, 0x30, UInt8(signatureBytes - 2)]
    return der.suffix(signatureBytes + 3).prefix(end.count).elementsEqual(end)
  }
}
