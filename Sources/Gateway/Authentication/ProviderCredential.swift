public import BelfryWire
public import Transport

/// A provider token whose signature was checked.
public final class VerifiedToken: Sendable {
  /// The key that signed it.
  public let key: ProviderVerificationKey
  /// When it was issued, in seconds since 1970.
  public let issuedAt: Int64
  /// The SHA-256 of the token's text, which identifies it.
  public let digest: SHA256.Digest

  /// A token.
  public init(key: ProviderVerificationKey, issuedAt: Int64, digest: SHA256.Digest) {
    self.key = key
    self.issuedAt = issuedAt
    self.digest = digest
  }
}

/// What a provider's certificate allows (apns-protocol 2.3).
public final class CertificateCredential: Sendable {
  /// The team that the certificate was issued to.
  public let teamID: String
  /// Every topic that it names; the first is the subject's.
  public let topics: [[UInt8]]
  /// Where it may be used.
  public let environments: Set<BelfryWire.Environment>
  /// Its serial number in hexadecimal, by which it is revoked.
  public let serial: String

  /// A credential.
  public init(
    teamID: String, topics: [[UInt8]], environments: Set<BelfryWire.Environment>,
    serial: String = ""
  ) {
    self.serial = serial
    self.teamID = teamID
    self.topics = topics
    self.environments = environments
  }

  /// The topic of a request that names none; `nil` where the certificate has several.
  var defaultTopic: [UInt8]? { topics.count == 1 ? topics.first : nil }

  /// Whether the certificate names `topic`.
  func allows(topic: Span<UInt8>) -> Bool {
    for allowed in topics where allowed.span.equals(topic) { return true }
    return false
  }
}

/// The credential under which a request was made.
public enum ProviderCredential: Sendable {
  case token(VerifiedToken)
  case certificate(CertificateCredential)

  /// The team that sends.
  var teamID: String {
    switch self {
    case .token(let token): token.key.teamID
    case .certificate(let certificate): certificate.teamID
    }
  }
}
