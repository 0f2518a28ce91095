import PushWire
import BelfryWire

/// The credentials that a provider presents on one connection: a certificate in the TLS handshake, or a token with each
/// request.
///
/// A repeated token is not verified again until the known keys and certificates change.
struct PresentedCredentials {
  /// The certificate from the TLS handshake; nil if the provider uses tokens.
  var certificate: CertificateCredential?
  private var rules: ConnectionCredentials
  private var lastAuthorization: [UInt8] = []
  private var lastOutcome = TokenVerifier.Outcome.refused(.missingProviderToken)
  /// The version of the known credentials at the last check.
  private var checkedVersion: UInt64 = .max

  init(environment: BelfryWire.Environment) {
    rules = ConnectionCredentials(environment: environment)
  }

  /// Returns the credential of a request, or the reason for refusing it.
  mutating func credential(
    authorization: [UInt8], in directory: CredentialDirectory, _ verifier: TokenVerifier,
    atSeconds now: Int64
  ) -> Admission.Credential {
    if let certificate { return credential(certificate, in: directory) }
    if checkedVersion != directory.credentialsVersion
      || !authorization.span.equals(lastAuthorization.span)
    {
      lastAuthorization.removeAll(keepingCapacity: true)
      lastAuthorization.append(copying: authorization.span)
      lastOutcome = verifier.verify(authorization: authorization.span)
      checkedVersion = directory.credentialsVersion
    }
    switch lastOutcome {
    case .refused(let rejection):
      return .refused(rejection)
    case .verified(let token):
      if let rejection = rules.present(token, atSeconds: now) { return .refused(rejection) }
      return .accepted(.token(token))
    }
  }

  /// Returns the credential of a certificate, which might have been revoked after the handshake.
  private mutating func credential(
    _ certificate: CertificateCredential, in directory: CredentialDirectory
  ) -> Admission.Credential {
    if checkedVersion != directory.credentialsVersion {
      guard !directory.isRevoked(certificateSerial: certificate.serial) else {
        return .refused(.badCertificate)
      }
      checkedVersion = directory.credentialsVersion
    }
    return .accepted(.certificate(certificate))
  }
}
