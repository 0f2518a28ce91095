internal import BelfryWire
public import Transport

/// The public key that identifies a sender, a point of P-256 (RFC 8292 section 3.2).
public struct VAPIDPublicKey: Hashable, Sendable {
  /// The uncompressed point: 65 bytes.
  public let point: [UInt8]
  let key: ES256PublicKey

  /// The number of characters in the canonical text.
  public static let textBytes = 87

  /// Reads an uncompressed point of 65 bytes, or returns nil if the point is not on the curve.
  public init?(point: [UInt8]) {
    guard let key = try? ES256PublicKey(point: point) else { return nil }
    self.point = point
    self.key = key
  }

  /// Reads the base64 form of a point.
  ///
  /// Senders and browsers also write padding and the standard alphabet, so the text can have 87 or 88 characters.
  public init?(_ text: Span<UInt8>) {
    guard text.count <= Self.textBytes + 1, let point = Base64.decode(text) else { return nil }
    self.init(point: point)
  }

  /// Reads the base64url form without padding, 87 characters, the only form that UnifiedPush accepts for `vapid`.
  public init?(canonical text: Span<UInt8>) {
    guard let point = CanonicalBase64.decode(text, bytes: 65) else { return nil }
    self.init(point: point)
  }

  /// The base64url form without padding: 87 characters.
  public var text: String { Base64.encode(point, url: true) }

  /// The SHA-256 hash of the point, which identifies the key to which a subscription is restricted.
  public var digest: SHA256.Digest { SHA256.hash(point) }
}
