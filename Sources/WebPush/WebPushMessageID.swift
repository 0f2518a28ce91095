internal import BelfryWire

/// The text after `/message/` in the URL of a message: the message's number and the sealed token of its endpoint.
///
/// The text has 64 characters of base64url, or 107 if the subscription is restricted to one sender. Only the canonical
/// text is accepted, so that each message has one URL.
public struct WebPushMessageID: Hashable, Sendable {
  /// The number of random bytes that identify a message of an endpoint.
  public static let messageBytes = 16
  /// The number of characters in the text of a message to an unrestricted subscription.
  public static let textBytes = 64
  /// The number of characters in the text of a message to a restricted subscription.
  public static let restrictedTextBytes = 107

  /// The identifier of the message among the messages of its endpoint: 16 bytes.
  public let message: [UInt8]
  /// The endpoint to which the message was sent.
  public let endpoint: WebPushEndpointID

  /// Creates an identifier from its two parts, or returns nil unless `message` has 16 bytes and the endpoint's token has
  /// no channel.
  public init?(message: [UInt8], endpoint: WebPushEndpointID) {
    let lengths = [WebPushEndpointID.tokenBytes, WebPushEndpointID.restrictedTokenBytes]
    guard message.count == Self.messageBytes, lengths.contains(endpoint.token.count) else {
      return nil
    }
    self.message = message
    self.endpoint = endpoint
  }

  /// Parses the canonical text, or returns nil for any other text.
  public init?(_ text: Span<UInt8>) {
    let tokenBytes =
      text.count == Self.textBytes
      ? WebPushEndpointID.tokenBytes : WebPushEndpointID.restrictedTokenBytes
    guard let bytes = CanonicalBase64.decode(text, bytes: Self.messageBytes + tokenBytes),
      let endpoint = WebPushEndpointID(token: Array(bytes[Self.messageBytes...]))
    else { return nil }
    message = Array(bytes[..<Self.messageBytes])
    self.endpoint = endpoint
  }

  /// The canonical text: 64 or 107 characters.
  public var text: String { Base64.encode(message + endpoint.token, url: true) }
}
