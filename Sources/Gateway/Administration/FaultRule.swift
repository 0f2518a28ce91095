public import BelfryWire

/// A scripted answer, for people who test their own client (contract: `belfry fault`).
public struct FaultRule: Sendable, Hashable {
  /// Only for this device token; nil: for all.
  public var token: [UInt8]?
  /// Only for this `apns-topic`; nil: for all.
  public var topic: String?
  /// What happens instead of the regular answer.
  public var effect: Effect

  /// What happens.
  public enum Effect: Sendable, Hashable {
    /// A share (0 to 1) of the requests is refused with this reason; the timestamp, in milliseconds since 1970, is
    /// for `Unregistered`.
    case answer(Rejection, timestampMilliseconds: Int64?, share: Double)
    /// GOAWAY after this many requests of a connection.
    case goAway(afterRequests: UInt32)
    /// This many concurrent streams are allowed, and no more.
    case streams(UInt32)
    /// The flow-control window, in bytes.
    case window(bytes: UInt32)
    /// Every answer waits this long, in milliseconds.
    case delay(milliseconds: UInt32)
    /// The connection is closed without an answer.
    case close
  }

  /// A rule for all requests, or those of a token or a topic.
  public init(token: [UInt8]? = nil, topic: String? = nil, effect: Effect) {
    self.token = token
    self.topic = topic
    self.effect = effect
  }

  /// Whether the rule applies to a request to this token and topic.
  public func applies(token: Span<UInt8>, topic: Span<UInt8>) -> Bool {
    if let wanted = self.token, !wanted.span.equals(token) { return false }
    if let wanted = self.topic {
      let bytes = Array(wanted.utf8)
      return bytes.span.equals(topic)
    }
    return true
  }
}
