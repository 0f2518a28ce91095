public import WebPush

/// A message for a subscription, which the client encrypts so that only the subscription's app can read it.
public struct WebPushNotification: Sendable {
  /// The plaintext: at most 3,993 bytes together with the padding.
  ///
  /// A message without content only wakes the app, and needs no keys.
  public var content: [UInt8]
  /// The time for which the service stores the message for a device that is offline, in seconds.
  ///
  /// With 0, the message is delivered now or never. A service can store the message for a shorter time, which its
  /// response states.
  public var ttlSeconds: Int64
  /// The urgency, by which a device that saves power delays or accepts messages.
  public var urgency: WebPushUrgency
  /// The topic: the message replaces an undelivered message of the same subscription with the same topic.
  ///
  /// A topic has 1 to 32 characters of the base64url alphabet. Apple's service also requires a length that base64url
  /// can have, which is not 1 modulo 4.
  public var topic: String?
  /// The number of zero bytes that hide the length of the content from the service.
  public var paddingBytes: Int

  /// Creates a message that is stored for up to 4 weeks, with normal urgency and without a topic or padding.
  public init(
    _ content: [UInt8], ttlSeconds: Int64 = 2_419_200, urgency: WebPushUrgency = .normal,
    topic: String? = nil, paddingBytes: Int = 0
  ) {
    self.content = content
    self.ttlSeconds = ttlSeconds
    self.urgency = urgency
    self.topic = topic
    self.paddingBytes = paddingBytes
  }

  /// The maximum number of bytes in the content of a message without padding.
  package static let contentBytesMax = WebPushLimits.plaintextBytesMax

  /// The maximum time for which a service stores a message, in seconds.
  package static let ttlSecondsMax = WebPushLimits.ttlSecondsMax

  /// Creates a message whose urgency has the same effect as an `apns-priority` of 10, 5 or 1.
  package init(
    _ content: [UInt8], ttlSeconds: Int64, priority: UInt8, topic: String?
  ) {
    let urgency = WebPushUrgency.allCases.last { $0.priority == priority }
    self.init(content, ttlSeconds: ttlSeconds, urgency: urgency ?? .normal, topic: topic)
  }

  /// True if push services accept a text as the topic of a message.
  ///
  /// Apple's service decodes a topic as base64url, which never has a length of 1 modulo 4.
  package static func isTopic(_ text: String) -> Bool {
    let bytes = text.utf8
    return (1...WebPushLimits.topicBytesMax).contains(bytes.count) && bytes.count % 4 != 1
      && bytes.allSatisfy(\.isBase64URL)
  }

  /// Throws if a service would refuse the message.
  func check() throws(WebPushFault) {
    let (bytes, overflow) = content.count.addingReportingOverflow(max(0, paddingBytes))
    guard !overflow, bytes <= WebPushLimits.plaintextBytesMax else {
      throw .contentTooLong(bytes: overflow ? .max : bytes)
    }
    guard (0...WebPushLimits.ttlSecondsMax).contains(ttlSeconds) else {
      throw .ttlInvalid(ttlSeconds)
    }
    if let topic {
      let isValid =
        (1...WebPushLimits.topicBytesMax).contains(topic.utf8.count)
        && topic.utf8.allSatisfy(\.isBase64URL)
      guard isValid else { throw .topicInvalid }
    }
  }
}
