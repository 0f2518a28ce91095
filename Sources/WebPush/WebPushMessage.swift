/// A message that a request to an endpoint contains.
public struct WebPushMessage: Sendable {
  /// The time for which to store the message, in seconds; 0 means to deliver it now or never (RFC 8030 section 5.2).
  public let ttlSeconds: Int64
  /// The urgency, which is not sent to the device (RFC 8030 section 5.3).
  public let urgency: WebPushUrgency
  /// The topic, which identifies the messages that this message replaces, or nil (RFC 8030 section 5.4).
  ///
  /// A topic has 1 to 32 bytes, and is not sent to the device.
  public let topic: [UInt8]?
  /// The encrypted content of the message.
  public let content: WebPushContent
  /// The sender's credential, which is not verified yet, or nil if the sender sent none.
  public let credential: VAPIDCredential?

  /// The body to store and deliver, which is empty for a message without content.
  public var body: [UInt8] { content.deliveredBody }
}
