internal import WebPush

/// The request that sends a message to an endpoint (RFC 8030 section 5).
struct WebPushPost: Sendable {
  /// The path and query of the endpoint.
  let path: String
  /// The encrypted message; empty for a message without content.
  let body: [UInt8]
  /// The value of `authorization`; nil if the sender does not identify itself.
  var authorization: String?
  private let ttlSeconds: Int64
  private let urgency: WebPushUrgency
  private let topic: String?

  /// Checks and encrypts a message for a subscription.
  init(
    _ notification: WebPushNotification, to subscription: WebPushSubscription
  ) throws(WebPushFault) {
    try notification.check()
    path = subscription.address.path
    ttlSeconds = notification.ttlSeconds
    urgency = notification.urgency
    topic = notification.topic
    guard !notification.content.isEmpty else {
      body = []
      return
    }
    assert(
      (subscription.point == nil) == (subscription.auth == nil),
      "a subscription has both keys or none")
    guard let point = subscription.point, let auth = subscription.auth else { throw .keysMissing }
    do throws(WebPushEncryption.Failure) {
      body = try WebPushEncryption.encrypt(
        notification.content, to: point, auth: auth, padding: max(0, notification.paddingBytes))
    } catch {
      throw .cryptography(error.description)
    }
    assert(body.count > notification.content.count, "the body contains a header and a tag")
    assert(body.count <= WebPushLimits.bodyBytesMax, "every service accepts the size of the body")
  }

  /// The header fields after the pseudo-header fields.
  var fields: [(name: String, value: String)] {
    assert(ttlSeconds >= 0, "the message was checked")
    var fields: [(name: String, value: String)] = [("ttl", String(ttlSeconds))]
    if urgency != .normal { fields.append(("urgency", "\(urgency.word)")) }
    if let topic { fields.append(("topic", topic)) }
    if !body.isEmpty {
      fields.append(("content-encoding", "aes128gcm"))
      fields.append(("content-type", "application/octet-stream"))
    }
    if let authorization { fields.append(("authorization", authorization)) }
    return fields
  }
}
