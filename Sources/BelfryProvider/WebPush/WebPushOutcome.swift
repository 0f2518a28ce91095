internal import BelfryWire
internal import WebPush

/// A push service's response to a Web Push message.
///
/// A refusal is also a response, so it is a value and not an error.
public enum WebPushOutcome: Sendable {
  /// The service accepted the message, which does not mean that a device received it.
  case accepted(Receipt)
  /// The service refused the message.
  case rejected(Refusal)

  /// The response to an accepted message.
  public struct Receipt: Sendable {
    /// The HTTP status, which is usually 201.
    public let status: Int
    /// The URL of the message (`Location`), or nil if the service does not provide one.
    public let messageURL: String?
    /// The time for which the service stores the message, in seconds (`TTL`), or nil if the service does not state it.
    public let ttlSeconds: Int64?

    /// Creates a receipt from the response's status and header fields.
    public init(status: Int, messageURL: String?, ttlSeconds: Int64?) {
      self.status = status
      self.messageURL = messageURL
      self.ttlSeconds = ttlSeconds
    }
  }

  /// A refusal as it was received.
  public struct Refusal: Sendable {
    /// The HTTP status of the response.
    public let status: Int
    /// Apple's word for the reason, such as `BadJwtToken`; empty if the response does not contain one.
    public let reason: String
    /// The service's description of the rule that the message violates; empty if the response does not contain one.
    public let message: String
    /// The time, in seconds, after which the service asks the sender to retry; nil if the service does not specify it.
    public let retryAfterSeconds: Int64?

    /// Creates a refusal from its parts.
    public init(
      status: Int, reason: String, message: String, retryAfterSeconds: Int64? = nil
    ) {
      self.status = status
      self.reason = reason
      self.message = message
      self.retryAfterSeconds = retryAfterSeconds
    }

    /// True if the subscription no longer exists; the sender must then delete it.
    ///
    /// RFC 8030 section 7.3 requires status 404 for an expired subscription. Most services respond with 410.
    public var isSubscriptionEnded: Bool { status == 404 || status == 410 }

    /// True if the cause is temporary; the sender can then send the message again later.
    public var isTemporary: Bool { status == 408 || status == 429 || status >= 500 }
  }

  /// Reads a response of the service at `origin`, with which a relative `Location` begins.
  init(_ answer: ServiceAnswer, origin: WebPushOrigin) {
    guard (200..<300).contains(answer.status) else {
      self = .rejected(Refusal(answer))
      return
    }
    let location = answer.location.map { location in
      location.utf8.first == UInt8(ascii: "/") ? origin.text + location : location
    }
    self = .accepted(
      Receipt(status: answer.status, messageURL: location, ttlSeconds: answer.ttlSeconds))
  }
}

extension WebPushOutcome.Refusal {
  /// Reads the bodies that services use: Mozilla's `message`, Apple's `reason`, a nested `error`, or plain text.
  init(_ answer: ServiceAnswer) {
    assert(answer.retryAfterSeconds ?? 0 >= 0, "the requested pause is not negative")
    let object = (try? JSONValue(parsing: answer.body))?.objectValue
    self.init(
      status: answer.status, reason: object?["reason"]?.stringValue ?? "",
      message: object.map(Self.message) ?? Self.plainText(answer.body),
      retryAfterSeconds: answer.retryAfterSeconds)
  }

  private static func message(_ object: JSONObject) -> String {
    let error = object["error"]
    return object["message"]?.stringValue ?? error?.objectValue?["message"]?.stringValue
      ?? error?.stringValue ?? ""
  }

  /// Returns the printable beginning of a body that is not JSON; a page in HTML does not describe the rule.
  private static func plainText(_ body: [UInt8]) -> String {
    guard body.first != UInt8(ascii: "<") else { return "" }
    let line = body.prefix(Limits.refusalTextBytesMax).prefix { (0x20..<0x7F).contains($0) }
    return String(decoding: line, as: UTF8.self)
  }
}
