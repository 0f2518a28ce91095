public import BelfryWire
public import Transport

/// A provider token with a verified signature.
public final class VerifiedToken: Sendable {
  /// The key that signed the token.
  public let key: ProviderVerificationKey
  /// The time at which the token was issued, in seconds since 1970.
  public let issuedAt: Int64
  /// The SHA-256 digest of the token's text, which identifies the token.
  public let digest: SHA256.Digest

  /// Creates a verified token from its parts.
  public init(key: ProviderVerificationKey, issuedAt: Int64, digest: SHA256.Digest) {
    self.key = key
    self.issuedAt = issuedAt
    self.digest = digest
  }
}

/// The permissions of a provider's certificate (apns-protocol 2.3).
public final class CertificateCredential: Sendable {
  /// The team that the certificate was issued to.
  public let teamID: String
  /// The topics that the certificate lists; the first is the subject's.
  public let topics: [[UInt8]]
  /// The environments in which the certificate is valid.
  public let environments: Set<BelfryWire.Environment>
  /// The serial number in hexadecimal, by which the certificate can be revoked.
  public let serial: String

  /// Creates a credential from its parts.
  public init(
    teamID: String, topics: [[UInt8]], environments: Set<BelfryWire.Environment>,
    serial: String = ""
  ) {
    self.serial = serial
    self.teamID = teamID
    self.topics = topics
    self.environments = environments
  }

  /// The topic of a request that doesn't specify one; `nil` if the certificate has several topics.
  var defaultTopic: [UInt8]? { topics.count == 1 ? topics.first : nil }

  /// Returns true if the certificate lists `topic`.
  func allows(topic: Span<UInt8>) -> Bool {
    for allowed in topics where allowed.span.equals(topic) { return true }
    return false
  }
}

/// The credential with which a request was made.
public enum ProviderCredential: Sendable {
  case token(VerifiedToken)
  case certificate(CertificateCredential)

  /// The ID of the sending team.
  var teamID: String {
    switch self {
    case .token(let token): token.key.teamID
    case .certificate(let certificate): certificate.teamID
    }
  }
}
