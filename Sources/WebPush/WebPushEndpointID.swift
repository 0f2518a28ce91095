internal import BelfryWire

/// The text after `/push/` in an endpoint's URL: a sealed token in base64url.
///
/// The token of a subscription that is restricted to one sender also contains the hash of the sender's key. Only the
/// canonical text is accepted, so that each endpoint has one URL.
public struct WebPushEndpointID: Hashable, Sendable {
  /// The number of bytes in the sealed token of an unrestricted subscription, whose text has 43 characters.
  public static let tokenBytes = 32
  /// The number of bytes in the sealed token of a restricted subscription, whose text has 86 characters.
  public static let restrictedTokenBytes = 64

  /// The sealed token: 32 or 64 bytes.
  public let token: [UInt8]

  /// Creates the identifier of a sealed token, or returns nil unless it has 32 or 64 bytes.
  public init?(token: [UInt8]) {
    guard token.count == Self.tokenBytes || token.count == Self.restrictedTokenBytes else {
      return nil
    }
    self.token = token
  }

  /// Parses the canonical text, or returns nil for any other text.
  public init?(_ text: Span<UInt8>) {
    let token =
      CanonicalBase64.decode(text, bytes: Self.tokenBytes)
      ?? CanonicalBase64.decode(text, bytes: Self.restrictedTokenBytes)
    guard let token else { return nil }
    self.token = token
  }

  /// The canonical text: 43 or 86 characters.
  public var text: String { Base64.encode(token, url: true) }
}
