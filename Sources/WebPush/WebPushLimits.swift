/// The limits of Web Push, each with its unit and its reason.
public enum WebPushLimits {
  /// The maximum number of bytes in a body that is encrypted with `aes128gcm`.
  ///
  /// A push service must accept a body of this size (RFC 8030 section 7.2).
  public static let bodyBytesMax = 4_096
  /// The maximum number of bytes in a body that is encrypted with `aesgcm`: autopush's limit for every body.
  ///
  /// Senders that follow the draft of Web Push encryption add more padding than RFC 8291 allows, and autopush's tests
  /// send 5,624 bytes.
  public static let legacyBodyBytesMax = 5_630
  /// The maximum number of bytes in `Encryption` and in `Crypto-Key`; real values have at most 200 bytes.
  public static let legacyFieldBytesMax = 512
  /// The maximum number of bytes in a body to deliver: an `aesgcm` body with its two header fields.
  public static let deliveredBodyBytesMax = legacyBodyBytesMax + 2 * legacyFieldBytesMax + 64
  /// The maximum number of bytes in `Authorization`; known senders write at most about 500 bytes.
  public static let authorizationBytesMax = 2_048
  /// The maximum number of characters in `Topic` (RFC 8030 section 5.4).
  public static let topicBytesMax = 32
  /// The value that replaces a greater `TTL`, in seconds (RFC 8030 section 5.2).
  public static let ttlSecondsMax: Int64 = 1 << 31
  /// The maximum time from now to a token's `exp`, in seconds (RFC 8292 section 2).
  public static let tokenSecondsMax: Int64 = 86_400
  /// The number of seconds by which a token's `exp` may exceed `tokenSecondsMax`.
  ///
  /// Many senders write the longest time that is allowed, and their clocks can be ahead.
  public static let tokenSkewSecondsMax: Int64 = 300
  /// The maximum number of distinct tokens in a verifier's cache, which is emptied when it is full.
  public static let verifiedTokensMax = 4_096
  /// The maximum number of bytes in an origin: a scheme, a domain name of at most 253 bytes, and a port.
  public static let originBytesMax = 300
  /// The maximum number of bytes in a plaintext, so that the body has at most ``bodyBytesMax`` bytes (RFC 8291
  /// section 4).
  public static let plaintextBytesMax = 3_993
  /// The record size in the bodies that this module encrypts, in bytes.
  ///
  /// KUnifiedPush discards bodies with any other record size.
  public static let recordBytes: UInt32 = 4_096
  /// The maximum number of bytes that are decrypted at once: more than any push service accepts.
  public static let encryptedBytesMax = 65_536
  /// The number of bytes in the secret `auth` of a subscription (RFC 8291 section 3.2).
  public static let authBytes = 16
  /// The maximum number of bytes in a request to the Matrix push gateway: an event, which has at most 65,536 bytes, and
  /// the devices.
  public static let matrixRequestBytesMax = 131_072
  /// The maximum number of devices in such a request; known homeservers send a request for each device.
  public static let matrixDevicesMax = 100
  /// The time for which a Matrix message is stored, in seconds: the default `TTL` of most Web Push libraries.
  ///
  /// A homeserver does not say how long a notification is useful.
  public static let matrixStorageSeconds: Int64 = 28 * 86_400

  /// The maximum number of bytes of a sender's text in a message.
  static let excerptBytesMax = 64
  /// The maximum number of bytes of a field with a short value, such as `TTL`, that are recorded.
  static let shortFieldBytesMax = 64
}
