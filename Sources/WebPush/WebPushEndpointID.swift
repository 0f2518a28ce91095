internal import BelfryWire

/// The text after `/push/` in an endpoint's URL: a sealed token in base64url.
///
/// The token of a subscription that is restricted to one sender also contains the hash of the sender's key, and the token
/// of a browser's subscription contains the channel that the browser chose. Only the canonical text is accepted, so that
/// each endpoint has one URL.
public struct WebPushEndpointID: Hashable, Sendable {
  /// The number of bytes in the sealed token of an unrestricted subscription, whose text has 43 characters.
  public static let tokenBytes = 32
  /// The number of bytes in the sealed token of a restricted subscription, whose text has 86 characters.
  public static let restrictedTokenBytes = 64

  /// The number of bytes that a channel adds to a sealed token; the text then has 64 or 107 characters.
  public static let channelBytes = 16

  /// The numbers of bytes that a sealed token can have.
  private static let lengths = [
    tokenBytes, restrictedTokenBytes, tokenBytes + channelBytes,
    restrictedTokenBytes + channelBytes,
  ]

  /// The sealed token: 32, 48, 64 or 80 bytes.
  public let token: [UInt8]

  /// Creates the identifier of a sealed token, or returns nil for a token of any other length.
  public init?(token: [UInt8]) {
    guard Self.lengths.contains(token.count) else { return nil }
    self.token = token
  }

  /// Parses the canonical text, or returns nil for any other text.
  public init?(_ text: Span<UInt8>) {
    for length in Self.lengths {
      guard let token = CanonicalBase64.decode(text, bytes: length) else { continue }
      self.token = token
      return
    }
    return nil
  }

  /// The canonical text: 43, 64, 86 or 107 characters.
  public var text: String { Base64.encode(token, url: true) }
}
