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
      let (contents, keyHash) = tokens.openEndpoint(endpoint.token)
    else { throw WebPushRefusal(.endpointUnknown) }
    assert(contents.kind == .webPush, "an endpoint is for a Web Push subscription")
    assert(body.count <= bodyBytes, "the retained part is not longer than the body")
    let bytesMax = request.bodyBytesMax(dialect)
    guard bodyBytes <= bytesMax, body.count == bodyBytes else {
      throw WebPushRefusal(
        .bodyTooLarge, "the body has \(bodyBytes) bytes; at most \(bytesMax) are allowed")
    }
    let message: WebPushMessage
    switch request.evaluate(body: body, dialect: dialect) {
    case .accepted(let accepted): message = accepted
    case .refused(let refusal): throw refusal
    }
    guard message.body.count <= WireLimits.largePayloadBytesMax else {
      throw WebPushRefusal(
        .bodyTooLarge,
        "the body and its fields have \(message.body.count) bytes; "
          + "at most \(WireLimits.largePayloadBytesMax) are allowed")
    }
    let digest = SHA256.Digest(keyHash)
    assert((digest == nil) == keyHash.isEmpty, "a restricted endpoint contains a whole hash")
    if case .refused(let refusal) = verifier.verify(
      message.credential, restrictedTo: digest, atSeconds: now)
    {
      throw refusal
    }
    return Admitted(
      contents: contents, message: message,
      ttlSeconds: min(message.ttlSeconds, Int64(WireLimits.storageDaysMax) * 86_400))
  }
}
