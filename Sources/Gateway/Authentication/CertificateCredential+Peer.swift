import BelfryWire
import PushWire
import Storage
import Transport

/// The creation of a credential from a provider's certificate that TLS has already verified.
extension CertificateCredential {
  /// The outcome of reading a certificate.
  enum Reading {
    case accepted(CertificateCredential)
    case refused(Rejection)
  }

  /// Returns the credential of a certificate, derived from Apple's certificate extensions (apns-protocol 2.3).
  ///
  /// A universal certificate lists its topics; for any other certificate, the only topic is the subject's UID. If the
  /// certificate lists no environments, it is valid in both.
  static func of(
    _ certificate: Certificate, in directory: CredentialDirectory,
    for environment: BelfryWire.Environment
  ) -> Reading {
    guard !directory.isRevoked(certificateSerial: certificate.serial) else {
      return .refused(.badCertificate)
    }
    guard let team = directory.team(certificateSerial: certificate.serial) else {
      let mayBeDamaged = directory.damage.mayHave(.certificate(certificate.serial))
      return .refused(mayBeDamaged ? .serviceUnavailable : .badCertificate)
    }
    var environments: Set<BelfryWire.Environment> = []
    if certificate.extensionValue(AppleExtension.development) != nil {
      environments.insert(.sandbox)
    }
    if certificate.extensionValue(AppleExtension.production) != nil {
      environments.insert(.production)
    }
    if environments.isEmpty { environments = Set(BelfryWire.Environment.allCases) }
    guard environments.contains(environment) else {
      return .refused(.badCertificateEnvironment)
    }
    var topics: [[UInt8]] = []
    if let value = certificate.extensionValue(AppleExtension.topics),
      let listed = AppleExtension.topics(in: value)
    {
      topics = listed.map { Array($0.name.utf8) }
    }
    if topics.isEmpty, let uid = certificate.uid { topics = [Array(uid.utf8)] }
    guard !topics.isEmpty else { return .refused(.badCertificate) }
    return .accepted(
      CertificateCredential(
        teamID: team, topics: topics, environments: environments, serial: certificate.serial))
  }
}
