/// A reason for refusing a request.
///
/// There is one case for each reason that APNs defines (apns-protocol 1.10 and 5.4). ``row`` is the only definition of
/// each reason's status, wire string, legacy code, and retry advice. The table in the documentation is generated from
/// these rows.
public enum Rejection: UInt8, CaseIterable, Sendable {
  case badCollapseID
  case badDeviceToken
  case badExpirationDate
  case badMessageID
  case badPriority
  case badTopic
  case deviceTokenNotForTopic
  case duplicateHeaders
  case idleTimeout
  case invalidPushType
  case missingDeviceToken
  case missingTopic
  case payloadEmpty
  case topicDisallowed
  case badCertificate
  case badCertificateEnvironment
  case expiredProviderToken
  case forbidden
  case invalidProviderToken
  case missingProviderToken
  case unrelatedKeyIDInToken
  case badEnvironmentKeyInToken
  case badPath
  case methodNotAllowed
  case expiredToken
  case unregistered
  case payloadTooLarge
  case tooManyProviderTokenUpdates
  case tooManyRequests
  case internalServerError
  case serviceUnavailable
  case shutdown
  // The remaining reasons apply only to broadcast and channel requests.
  case featureNotEnabled
  case missingChannelID
  case badChannelID
  case channelNotRegistered
  case badRequestParams
  case badRequestPayload
  case missingPushType
  case cannotCreateChannelConfig
  case missingChannelQueueSize
  case topicMismatch

  /// The action that a sender should take after a refusal (apns-protocol 1.11).
  public enum Advice: String, Sendable {
    /// Fix the request before retrying.
    ///
    /// The same request would be refused again. After 410, delete the device token instead.
    case doNotRetry
    /// Generate a new provider token, then send the request again.
    case renewProviderToken
    /// Wait, then send the request again.
    case retryLater
    /// Wait about 15 minutes, then retry with exponential backoff.
    case retryWithBackoff
    /// Open another connection with valid credentials.
    case reconnect
  }

  /// A row of the table of rejections.
  public struct Row: Sendable {
    /// The HTTP status of the response.
    public let status: Int
    /// The string in `{"reason":…}`.
    public let reason: StaticString
    /// The status byte of the legacy error packet (apns-protocol 7.2).
    public let legacyStatus: UInt8
    /// The action that the sender should take.
    public let advice: Advice
    /// The condition under which the gateway sends this reason.
    public let when: StaticString

    init(
      _ status: Int, _ reason: StaticString, legacy: UInt8 = 255, _ when: StaticString
    ) {
      self.init(status, reason, legacy: legacy, .doNotRetry, when)
    }

    init(
      _ status: Int, _ reason: StaticString, legacy: UInt8 = 255, _ advice: Advice,
      _ when: StaticString
    ) {
      self.status = status
      self.reason = reason
      self.legacyStatus = legacy
      self.advice = advice
      self.when = when
    }
  }

  /// The row for this reason.
  public var row: Row {
    switch self {
    case .badCollapseID: Row(400, "BadCollapseId", "apns-collapse-id has more than 64 bytes")
    case .badDeviceToken:
      Row(
        400, "BadDeviceToken", legacy: 8,
        "the token is malformed or forged, belongs to the other environment, or its token key was retired"
      )
    case .badExpirationDate:
      Row(
        400, "BadExpirationDate",
        "apns-expiration is not a whole number that is 0 or greater, or is not 0 for a channel that stores nothing"
      )
    case .badMessageID:
      Row(400, "BadMessageId", "apns-id or apns-request-id is not a canonical UUID")
    case .badPriority: Row(400, "BadPriority", "apns-priority is not 10, 5 or 1")
    case .badTopic: Row(400, "BadTopic", legacy: 6, "apns-topic is not a valid topic")
    case .deviceTokenNotForTopic:
      Row(400, "DeviceTokenNotForTopic", legacy: 8, "the token belongs to another app or push type")
    case .duplicateHeaders: Row(400, "DuplicateHeaders", "an APNs header occurs more than once")
    case .idleTimeout:
      Row(
        400, "IdleTimeout", .retryLater,
        "the request was not complete within 15 seconds; or, in a GOAWAY, the connection was idle")
    case .invalidPushType:
      Row(400, "InvalidPushType", "apns-push-type is unknown, or the topic does not accept it")
    case .missingDeviceToken:
      Row(400, "MissingDeviceToken", legacy: 2, "the path ends before the token")
    case .missingTopic:
      Row(
        400, "MissingTopic", legacy: 3,
        "apns-topic is missing, and the credential is not a certificate with only one topic")
    case .payloadEmpty:
      Row(400, "PayloadEmpty", legacy: 4, "the body is empty or not a JSON object")
    case .topicDisallowed:
      Row(400, "TopicDisallowed", legacy: 8, "the credential does not permit sending to this topic")
    case .badCertificate:
      Row(403, "BadCertificate", .reconnect, "the client certificate is invalid")
    case .badCertificateEnvironment:
      Row(
        403, "BadCertificateEnvironment", .reconnect,
        "the client certificate is for the other environment")
    case .expiredProviderToken:
      Row(
        403, "ExpiredProviderToken", .renewProviderToken,
        "iat is more than an hour away from the current time, or is not in seconds since 1970")
    case .forbidden: Row(403, "Forbidden", "the action is not allowed")
    case .invalidProviderToken:
      Row(
        403, "InvalidProviderToken", .renewProviderToken,
        "the provider token cannot be read, its key is unknown, revoked or of another team (iss), or its signature is wrong"
      )
    case .missingProviderToken:
      Row(
        403, "MissingProviderToken", .renewProviderToken,
        "the request has neither a certificate nor a token")
    case .unrelatedKeyIDInToken:
      Row(
        403, "UnrelatedKeyIdInToken", .reconnect,
        "the key is not related to the key of the connection's first push")
    case .badEnvironmentKeyInToken:
      Row(
        403, "BadEnvironmentKeyInToken", .renewProviderToken,
        "the key is not valid in this environment")
    case .badPath: Row(404, "BadPath", "the path is not part of the API")
    case .methodNotAllowed: Row(405, "MethodNotAllowed", "the method is not allowed for this path")
    case .expiredToken: Row(410, "ExpiredToken", legacy: 8, "the device token has expired")
    case .unregistered: Row(410, "Unregistered", legacy: 8, "the token is no longer active")
    case .payloadTooLarge:
      Row(413, "PayloadTooLarge", legacy: 7, "the body exceeds the push type's size limit")
    case .tooManyProviderTokenUpdates:
      Row(
        429, "TooManyProviderTokenUpdates", .retryLater,
        "the connection's provider token was changed again within 20 minutes")
    case .tooManyRequests:
      Row(
        429, "TooManyRequests", .retryLater,
        "too many requests for one token, connection or team")
    case .internalServerError:
      Row(500, "InternalServerError", legacy: 1, .retryWithBackoff, "the gateway failed")
    case .serviceUnavailable:
      Row(
        503, "ServiceUnavailable", legacy: 1, .retryWithBackoff,
        "the gateway is temporarily unavailable")
    case .shutdown: Row(503, "Shutdown", legacy: 10, .reconnect, "the gateway is shutting down")
    case .featureNotEnabled:
      Row(400, "FeatureNotEnabled", "broadcasts are off for this app")
    case .missingChannelID: Row(400, "MissingChannelId", "apns-channel-id is missing")
    case .badChannelID: Row(400, "BadChannelId", "apns-channel-id is not base64")
    case .channelNotRegistered:
      Row(400, "ChannelNotRegistered", "the app has no channel with this ID in this environment")
    case .badRequestParams:
      Row(400, "BadRequestParams", "the body of a channel request has an unknown field")
    case .badRequestPayload: Row(400, "BadRequestPayload", "the body is not JSON")
    case .missingPushType: Row(400, "MissingPushType", "the push type is missing")
    case .cannotCreateChannelConfig:
      Row(400, "CannotCreateChannelConfig", "the app has the maximum number of channels")
    case .missingChannelQueueSize:
      Row(400, "MissingChannelQueueSize", "message-storage-policy is missing, or neither 0 nor 1")
    case .topicMismatch:
      Row(403, "TopicMismatch", "the credential is not for the bundle ID in the path")
    }
  }

  /// The HTTP status of the response.
  @inlinable public var status: Int { row.status }

  /// The string on the wire.
  public var reason: String { "\(row.reason)" }

  /// Creates the rejection for a wire string.
  ///
  /// Returns `nil` for a string that APNs does not define. The documentation's spelling `BadEnvironmentKeyIdInToken` is
  /// accepted as well.
  public init?(reason: String) {
    let spelling = reason == "BadEnvironmentKeyIdInToken" ? "BadEnvironmentKeyInToken" : reason
    guard let found = Self.allCases.first(where: { $0.reason == spelling }) else { return nil }
    self = found
  }
}
