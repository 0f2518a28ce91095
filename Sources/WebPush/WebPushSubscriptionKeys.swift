internal import BelfryWire
internal import System
internal import Transport

/// The keys of a subscription, which only the app has (RFC 8291 section 2).
///
/// The app gives ``point`` and ``auth`` to its server.
public struct WebPushSubscriptionKeys: Sendable {
  let key: ECDHPrivateKey
  /// The secret of 16 bytes, called `auth`.
  public let auth: [UInt8]

  /// Generates a new key pair and a new random secret.
  public init() throws(WebPushEncryption.Failure) {
    key = try WebPushEncryption.mapped { () throws(CryptoFailure) in try ECDHPrivateKey() }
    auth = SystemRandom.bytes(WebPushLimits.authBytes)
  }

  /// Creates keys from a private number of 32 bytes and a secret of 16 bytes.
  public init(scalar: [UInt8], auth: [UInt8]) throws(WebPushEncryption.Failure) {
    guard auth.count == WebPushLimits.authBytes else { throw .authInvalid(bytes: auth.count) }
    key = try WebPushEncryption.mapped { () throws(CryptoFailure) in
      try ECDHPrivateKey(scalar: scalar)
    }
    self.auth = auth
  }

  /// Returns the private number in 32 bytes.
  public func scalar() throws(WebPushEncryption.Failure) -> [UInt8] {
    try WebPushEncryption.mapped { () throws(CryptoFailure) in try key.scalar() }
  }

  /// The public key as an uncompressed point of 65 bytes, called `p256dh`.
  public var point: [UInt8] { key.point }
  /// The public key in base64url: 87 characters.
  public var pointText: String { Base64.encode(point, url: true) }
  /// The secret in base64url: 22 characters.
  public var authText: String { Base64.encode(auth, url: true) }
}
