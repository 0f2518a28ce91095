internal import BelfryWire
public import PushWire

/// A scripted answer, for developers who test their own clients (contract: `belfry fault`).
public struct FaultRule: Sendable, Hashable {
  /// The device token that the rule is limited to; nil applies the rule to all tokens.
  public var token: [UInt8]?
  /// The `apns-topic` that the rule is limited to; nil applies the rule to all topics.
  public var topic: String?
  /// The effect that replaces the regular answer.
  public var effect: Effect
  /// The number of requests after which the rule expires; nil if the rule doesn't expire.
  public var times: UInt32?

  /// The effect of a rule.
  public enum Effect: Sendable, Hashable {
    /// Refuses a share (0 to 1) of the requests with this reason; the timestamp, in milliseconds since 1970, applies
    /// only to `Unregistered`.
    case answer(Rejection, timestampMilliseconds: Int64?, share: Double)
    /// Sends GOAWAY after this many requests on a connection.
    case goAway(afterRequests: UInt32)
    /// Allows at most this many concurrent streams.
    case streams(UInt32)
    /// Sets the flow-control window, in bytes.
    case window(bytes: UInt32)
    /// Delays every answer by this many milliseconds.
    case delay(milliseconds: UInt32)
    /// Closes the connection without an answer.
    case close
  }

  /// Creates a rule for all requests, or for requests to a token or with a topic.
  public init(
    token: [UInt8]? = nil, topic: String? = nil, effect: Effect, times: UInt32? = nil
  ) {
    self.token = token
    self.topic = topic
    self.effect = effect
    self.times = times
  }

  /// Returns true if the rule applies to a request to `token` with `topic`.
  public func applies(token: Span<UInt8>, topic: Span<UInt8>) -> Bool {
    if let wanted = self.token, !wanted.span.equals(token) { return false }
    if let wanted = self.topic {
      let bytes = Array(wanted.utf8)
      return bytes.span.equals(topic)
    }
    return true
  }
}
