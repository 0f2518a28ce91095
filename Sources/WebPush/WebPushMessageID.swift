internal import BelfryWire

/// The text after `/message/` in the URL of a message: the message's number and the sealed token of its endpoint.
///
/// The text has 64 characters of base64url, which has only one text for 48 bytes.
public struct WebPushMessageID: Hashable, Sendable {
  /// The number of random bytes that identify a message of an endpoint.
  public static let messageBytes = 16
  /// The number of characters in the text.
  public static let textBytes = 64

  /// The identifier of the message among the messages of its endpoint: 16 bytes.
  public let message: [UInt8]
  /// The endpoint to which the message was sent.
  public let endpoint: WebPushEndpointID

  /// Creates an identifier from its two parts, or returns nil unless `message` has 16 bytes and the token 32.
  public init?(message: [UInt8], endpoint: WebPushEndpointID) {
    guard message.count == Self.messageBytes,
      endpoint.token.count == WebPushEndpointID.tokenBytes
    else { return nil }
    self.message = message
    self.endpoint = endpoint
  }

  /// Parses the canonical text, or returns nil for any other text.
  public init?(_ text: Span<UInt8>) {
    let count = Self.messageBytes + WebPushEndpointID.tokenBytes
    guard let bytes = CanonicalBase64.decode(text, bytes: count),
      let endpoint = WebPushEndpointID(token: Array(bytes[Self.messageBytes...]))
    else { return nil }
    message = Array(bytes[..<Self.messageBytes])
    self.endpoint = endpoint
  }

  /// The canonical text: 64 characters.
  public var text: String { Base64.encode(message + endpoint.token, url: true) }
}
