internal import WebPush

/// An error in a subscription or a message that is detected before the message is sent.
public enum WebPushFault: Error, Sendable, CustomStringConvertible {
  /// The endpoint is not a valid `https:` URL.
  case endpointInvalid
  /// The subscription's JSON text cannot be read; the associated value is the reason.
  case subscriptionInvalid(String)
  /// The subscription has only one of its two keys, or the message has content and the subscription has no keys.
  case keysMissing
  /// `p256dh` is not a point of P-256 in base64url.
  case pointInvalid
  /// `auth` is not a secret of 16 bytes in base64url.
  case authInvalid
  /// The content and its padding have more bytes than a push service must accept (RFC 8291 section 4).
  case contentTooLong(bytes: Int)
  /// The time to live is not in the range that RFC 8030 section 5.2 allows, in seconds.
  case ttlInvalid(Int64)
  /// The topic does not consist of 1 to 32 characters of the base64url alphabet (RFC 8030 section 5.4).
  case topicInvalid
  /// The sender's subject is not a `mailto:` or `https:` URI (RFC 8292 section 2.1).
  case subjectInvalid
  /// The encryption failed, or the key could not sign; the associated value is the cryptography library's message.
  case cryptography(String)

  /// A description of the error and how to fix it.
  public var description: String {
    switch self {
    case .endpointInvalid:
      "invalid endpoint: expected an https URL of at most \(Limits.endpointBytesMax) characters"
    case .subscriptionInvalid(let reason):
      "invalid subscription (\(reason)): expected the JSON object that a browser provides"
    case .keysMissing:
      "the subscription does not have p256dh and auth: both are required to send content"
    case .pointInvalid: "invalid p256dh: expected the 87 characters that the subscription contains"
    case .authInvalid: "invalid auth: expected the 22 characters that the subscription contains"
    case .contentTooLong(let bytes):
      "the text has \(bytes) bytes: the limit is \(WebPushLimits.plaintextBytesMax)"
    case .ttlInvalid(let seconds):
      "invalid TTL \(seconds): expected 0 to \(WebPushLimits.ttlSecondsMax) seconds"
    case .topicInvalid:
      "invalid topic: expected 1 to \(WebPushLimits.topicBytesMax) letters, digits, - and _"
    case .subjectInvalid:
      "invalid subject: expected mailto:NAME@DOMAIN or an https URL"
    case .cryptography(let message): "the message cannot be encrypted or signed: \(message)"
    }
  }
}
