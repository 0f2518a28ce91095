import BelfryWire
import PushWire
import Transport
import WebPush

/// The Web Push service of a loop: the checks of requests to endpoints and messages (docs/web-push.md).
///
/// The front is confined to its loop.
final class WebPushFront {
  /// The origin of the endpoints, such as `https://push.example.org`.
  let origin: String  // text: an operator chose it
  let dialect: WebPushDialect
  private let verifier: VAPIDVerifier

  /// Creates the service of an origin; returns nil if the text is not an origin.
  init?(origin: String, dialect: WebPushDialect) {
    guard let parsed = WebPushOrigin(Array(origin.utf8).span) else { return nil }
    assert(!origin.isEmpty, "the service has an origin")
    self.origin = origin
    self.dialect = dialect
    verifier = VAPIDVerifier(origins: [parsed], dialect: dialect)
  }

  /// A message that passed the checks, except those that only the device's home can perform.
  struct Admitted {
    let contents: TokenContents
    /// The channel ID that a browser chose for the subscription; nil for other devices.
    let channel: NotificationID?
    /// The hash of the only key that can send to the subscription; empty if it is not restricted.
    let keyHash: [UInt8]
    let message: WebPushMessage
    /// The number of seconds for which the gateway stores the message; 0 for one attempt.
    let ttlSeconds: Int64

    /// The time until which the gateway stores the message, in seconds since 1970; 0 if it attempts delivery only once.
    func expiration(atSeconds now: Int64) -> Int64 {
      assert(ttlSeconds >= 0 && now >= 0, "times are not negative")
      return ttlSeconds == 0 ? 0 : now + ttlSeconds
    }
  }

  /// Checks `POST /push/ID`; `bodyBytes` is the length of the body, of which `body` may be only the beginning.
  ///
  /// Throws the refusal.
  func admit(
    _ request: WebPushRequest, endpoint id: [UInt8], body: [UInt8], bodyBytes: Int,
    atSeconds now: Int64, tokens: DeviceTokenCodec
  ) throws(WebPushRefusal) -> Admitted {
    guard let endpoint = WebPushEndpointID(id.span),
      let (contents, keyHash, channel) = tokens.openEndpoint(endpoint.token)
    else { throw WebPushRefusal(.endpointUnknown) }
    assert(contents.kind == .webPush, "an endpoint is for a Web Push subscription")
    assert(body.count <= bodyBytes, "the retained part is not longer than the body")
    // The device link carries no more; a browser's WebSocket does.
    let deliveredBytesMax =
      channel.isEmpty ? WireLimits.largePayloadBytesMax : WebPushLimits.deliveredBodyBytesMax
    let bytesMax = min(request.bodyBytesMax(dialect), deliveredBytesMax)
    guard bodyBytes <= bytesMax, body.count == bodyBytes else {
      throw WebPushRefusal(
        .bodyTooLarge, "the body has \(bodyBytes) bytes; at most \(bytesMax) are allowed")
    }
    let message: WebPushMessage
    switch request.evaluate(body: body, dialect: dialect) {
    case .accepted(let accepted): message = accepted
    case .refused(let refusal): throw refusal
    }
    guard message.body.count <= deliveredBytesMax else {
      throw WebPushRefusal(
        .bodyTooLarge,
        "the body and its fields have \(message.body.count) bytes; "
          + "at most \(deliveredBytesMax) are allowed")
    }
    try verify(message.credential, keyHash: keyHash, atSeconds: now)
    return Admitted(
      contents: contents, channel: NotificationID(bytes: channel), keyHash: keyHash,
      message: message,
      ttlSeconds: min(message.ttlSeconds, Int64(WireLimits.storageDaysMax) * 86_400))
  }

  /// A message that a request names, whose sender has proved its right to ask about it.
  struct NamedMessage {
    let contents: TokenContents
    let uniqueID: NotificationID
  }

  /// Checks `GET` or `DELETE` of `/message/ID`, which requires the same authorization as sending the message did.
  ///
  /// Throws the refusal.
  func identify(
    _ request: WebPushRequest, message id: [UInt8], atSeconds now: Int64, tokens: DeviceTokenCodec
  ) throws(WebPushRefusal) -> NamedMessage {
    guard let message = WebPushMessageID(id.span),
      let uniqueID = NotificationID(bytes: message.message),
      let (contents, keyHash, _) = tokens.openEndpoint(message.endpoint.token)
    else { throw WebPushRefusal(.messageUnknown) }
    assert(contents.kind == .webPush, "an endpoint is for a Web Push subscription")
    try verify(try request.credential(dialect), keyHash: keyHash, atSeconds: now)
    return NamedMessage(contents: contents, uniqueID: uniqueID)
  }

  private func verify(
    _ credential: VAPIDCredential?, keyHash: [UInt8], atSeconds now: Int64
  ) throws(WebPushRefusal) {
    let digest = SHA256.Digest(keyHash)
    assert((digest == nil) == keyHash.isEmpty, "a restricted endpoint contains a whole hash")
    if case .refused(let refusal) = verifier.verify(
      credential, restrictedTo: digest, atSeconds: now)
    {
      throw refusal
    }
  }

  /// The subscription of a Matrix pushkey.
  struct Recipient {
    let contents: TokenContents
    /// The channel ID that a browser chose for the subscription; nil for other devices.
    let channel: NotificationID?
  }

  /// Returns the subscription of a Matrix pushkey, which is the URL of an endpoint.
  ///
  /// Throws the refusal, which is final. A homeserver has no VAPID key, so it can't send to a subscription that is
  /// restricted to one sender.
  func subscription(
    ofPushkey pushkey: [UInt8], tokens: DeviceTokenCodec
  ) throws(WebPushRefusal) -> Recipient {
    let origin = Array(origin.utf8)
    guard let endpoint = WebPushEndpointID(url: pushkey.span, origin: origin.span),
      let (contents, keyHash, channel) = tokens.openEndpoint(endpoint.token)
    else {
      throw WebPushRefusal(
        .endpointUnknown, "the pushkey is not the URL of an endpoint of this service")
    }
    assert(contents.kind == .webPush, "an endpoint is for a Web Push subscription")
    guard keyHash.isEmpty else { throw WebPushRefusal(.authorizationMissing) }
    return Recipient(contents: contents, channel: NotificationID(bytes: channel))
  }
}
