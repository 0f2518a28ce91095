/// A rule that a refused request violates, or another cause of a refusal.
///
/// ``row`` is the only definition of each rule's statuses and of its names in the vocabularies of autopush and Apple.
public enum WebPushRule: UInt8, CaseIterable, Sendable {
  case ttlMissing
  case ttlInvalid
  case ttlNegative
  case ttlRepeated
  case ttlZero
  case urgencyInvalid
  case urgencyRepeated
  case topicInvalid
  case topicTooLong
  case topicRepeated
  case topicNotBase64
  case encodingMissing
  case encodingUnknown
  case encodingRepeated
  case encodingLegacy
  case encryptionInvalid
  case cryptoKeyInvalid
  case bodyTooLarge
  case bodyNotEncrypted
  case authorizationMissing
  case authorizationInvalid
  case authorizationLegacy
  case tokenMissing
  case tokenMalformed
  case tokenAlgorithm
  case tokenSignature
  case keyMissing
  case keyInvalid
  case keyIsEncryptionKey
  case keyOfOtherSender
  case audienceInvalid
  case audienceOther
  case expirationInvalid
  case expirationPast
  case expirationTooFar
  case subjectInvalid
  case endpointUnknown
  case messageUnknown
  case subscriptionEnded
  case methodNotAllowed
  case requestIncomplete
  case tooManyRequests
  case internalError
  case storeUnavailable
  case overloaded
  case shutdown

  /// A row of the table of refusals.
  public struct Row: Sendable {
    /// The HTTP status in the dialect `rfc`.
    public let status: Int
    /// The HTTP status in the dialect `autopush`.
    public let autopushStatus: Int
    /// The HTTP status in the dialect `apple`.
    public let appleStatus: Int
    /// autopush's error number, if autopush has one for this cause.
    public let errorNumber: Int?
    /// Apple's word in `{"reason":…}`.
    public let reason: StaticString
    /// The condition under which the gateway refuses, which is the message if a refusal does not have its own.
    public let when: StaticString

    init(
      _ status: Int, autopush: Int? = nil, apple: Int? = nil, _ errorNumber: Int?,
      _ reason: StaticString, _ when: StaticString
    ) {
      self.status = status
      autopushStatus = autopush ?? status
      appleStatus = apple ?? status
      self.errorNumber = errorNumber
      self.reason = reason
      self.when = when
    }

    /// Creates the row of a fault in a credential: 403, but 401 in autopush.
    static func credential(_ reason: StaticString, _ when: StaticString) -> Row {
      Row(403, autopush: 401, 109, reason, when)
    }

    /// Returns the HTTP status in a dialect.
    public func status(_ dialect: WebPushDialect) -> Int {
      switch dialect {
      case .rfc: status
      case .autopush: autopushStatus
      case .apple: appleStatus
      }
    }
  }

  /// The row for this rule.
  public var row: Row {
    switch self {
    case .ttlMissing: Row(400, 111, "BadTtl", "the field TTL is missing")
    case .ttlInvalid: Row(400, 111, "BadTtl", "TTL is not a whole number of seconds")
    case .ttlNegative: Row(400, 114, "BadTtl", "TTL is negative")
    case .ttlRepeated: Row(400, 111, "BadTtl", "TTL occurs more than once")
    case .ttlZero: Row(400, 111, "BadTtl", "TTL is 0, which Apple does not accept")
    case .urgencyInvalid:
      Row(400, nil, "BadUrgency", "Urgency is not very-low, low, normal or high")
    case .urgencyRepeated: Row(400, nil, "BadUrgency", "Urgency occurs more than once")
    case .topicInvalid:
      Row(
        400, 113, "BadWebPushTopic", "Topic has characters that are not in the base64url alphabet")
    case .topicTooLong: Row(400, 113, "BadWebPushTopic", "Topic has more than 32 characters")
    case .topicRepeated: Row(400, 113, "BadWebPushTopic", "Topic occurs more than once")
    case .topicNotBase64:
      Row(400, 113, "BadWebPushTopic", "Topic is not base64url, which Apple requires")
    case .encodingMissing:
      Row(400, 110, "BadWebPushRequest", "the request has a body, but no Content-Encoding")
    case .encodingUnknown:
      Row(400, 110, "BadWebPushRequest", "Content-Encoding is neither aes128gcm nor aesgcm")
    case .encodingRepeated:
      Row(400, 110, "BadWebPushRequest", "Content-Encoding occurs more than once")
    case .encodingLegacy:
      Row(400, 110, "BadWebPushRequest", "Content-Encoding is aesgcm, which Apple does not accept")
    case .encryptionInvalid:
      Row(400, 110, "BadWebPushRequest", "Encryption does not have a valid salt for aesgcm")
    case .cryptoKeyInvalid:
      Row(400, 110, "BadWebPushRequest", "Crypto-Key does not have a valid dh for aesgcm")
    case .bodyTooLarge: Row(413, 104, "PayloadTooLarge", "the body is too large")
    case .bodyNotEncrypted:
      Row(400, 110, "BadWebPushRequest", "the body does not begin with the header of aes128gcm")
    case .authorizationMissing:
      Row(
        401, apple: 403, 109, "BadJwtToken",
        "the subscription is restricted to one sender, and the request has no Authorization")
    case .authorizationInvalid:
      .credential("BadAuthorizationHeader", "Authorization is not of the form 'vapid t=..., k=...'")
    case .authorizationLegacy:
      .credential("BadAuthorizationHeader", "the scheme is not vapid, which Apple requires")
    case .tokenMissing: .credential("BadJwtToken", "Authorization does not have a token (t)")
    case .tokenMalformed:
      .credential("BadJwtToken", "the token is not a JWT: three base64url segments, two with JSON")
    case .tokenAlgorithm: .credential("BadJwtToken", "the token's alg is not ES256")
    case .tokenSignature:
      .credential("BadJwtToken", "the token's signature does not verify with the key (k)")
    case .keyMissing:
      .credential("BadVapidPublicKey", "the request does not have the key of the token (k)")
    case .keyInvalid:
      .credential("BadVapidPublicKey", "the key (k) is not a point of P-256 in 65 bytes")
    case .keyIsEncryptionKey:
      Row(
        400, 110, "BadVapidPublicKey",
        "the key (k) is also the key that encrypts the body: use two different keys")
    case .keyOfOtherSender:
      Row(
        403, autopush: 401, apple: 400, 109, "VapidPkHashMismatch",
        "the key (k) is not the key to which the subscription is restricted")
    case .audienceInvalid:
      .credential("BadJwtToken", "the token's aud is neither a string nor an array of strings")
    case .audienceOther:
      .credential("BadJwtToken", "the token's aud does not contain this endpoint's origin")
    case .expirationInvalid: .credential("BadJwtToken", "the token's exp is not a number")
    case .expirationPast: .credential("BadJwtToken", "the token's exp is in the past")
    case .expirationTooFar:
      .credential("BadJwtToken", "the token's exp is more than 24 hours ahead")
    case .subjectInvalid:
      .credential("BadJwtToken", "the token's sub is neither a mailto: nor an https: URI")
    case .endpointUnknown: Row(404, 102, "BadPath", "the path is not an endpoint of this service")
    case .messageUnknown: Row(404, 102, "BadPath", "the path is not a message of this service")
    case .subscriptionEnded:
      Row(410, 106, "Unregistered", "the subscription has ended: delete the endpoint")
    case .methodNotAllowed:
      Row(405, nil, "MethodNotAllowed", "the method is not allowed for this path")
    case .requestIncomplete:
      Row(408, apple: 400, nil, "IdleTimeout", "the request was not complete in time")
    case .tooManyRequests:
      Row(429, nil, "TooManyRequests", "too many requests for one endpoint, sender or address")
    case .internalError: Row(500, 999, "InternalServerError", "the gateway failed")
    case .storeUnavailable:
      Row(503, 201, "ServiceUnavailable", "the gateway cannot store messages at the moment")
    case .overloaded: Row(503, 202, "ServiceUnavailable", "the gateway is overloaded")
    case .shutdown: Row(503, 202, "Shutdown", "the gateway is shutting down")
    }
  }
}
