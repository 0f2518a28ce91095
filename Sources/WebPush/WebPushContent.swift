/// The content of a message, in the form that its encryption requires.
public enum WebPushContent: Equatable, Sendable {
  /// A message without a body, which only wakes the app.
  case empty
  /// A body that contains everything a receiver needs (RFC 8291).
  case aes128gcm([UInt8])
  /// A body whose salt and key are in header fields, as in the draft `draft-ietf-webpush-encryption-04`.
  case aesgcm(AESGCMContent)

  /// Reads the content from a body that was delivered.
  ///
  /// Every text has a content: a body that is not in the form of an `aesgcm` message is in the form of an `aes128gcm`
  /// message.
  public init(deliveredBody: [UInt8]) {
    if deliveredBody.isEmpty {
      self = .empty
    } else if let content = AESGCMContent(deliveredBody: deliveredBody) {
      self = .aesgcm(content)
    } else {
      self = .aes128gcm(deliveredBody)
    }
  }

  /// The body to deliver to an app, at most ``WebPushLimits/deliveredBodyBytesMax`` bytes.
  public var deliveredBody: [UInt8] {
    switch self {
    case .empty: []
    case .aes128gcm(let body): body
    case .aesgcm(let content): content.deliveredBody
    }
  }
}
