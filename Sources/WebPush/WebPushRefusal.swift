internal import BelfryWire

/// A refused request: the rule that it violates, and a message with the values.
///
/// A sender deletes a subscription after most refusals with a status of 400 to 499. A condition that can pass, such as
/// overload, therefore has the status 429 or 500 to 599.
public struct WebPushRefusal: Error, Sendable {
  /// The rule that the request violates.
  public let rule: WebPushRule
  /// A description of the violation with the sender's values, in ASCII.
  public let message: String
  /// The number of seconds after which the sender should retry, for 429 and 503.
  public let retryAfterSeconds: Int?

  /// Creates a refusal; without a message of its own, the message is the rule's condition.
  ///
  /// Without `retryAfterSeconds`, a 503 asks the sender to retry after 120 seconds, as autopush does.
  public init(_ rule: WebPushRule, _ message: String? = nil, retryAfterSeconds: Int? = nil) {
    self.rule = rule
    self.message = message ?? "\(rule.row.when)"
    self.retryAfterSeconds =
      retryAfterSeconds ?? (rule.row.status == 503 ? Self.retryAfterSecondsDefault : nil)
  }

  /// The number of seconds in autopush's `Retry-After`.
  private static let retryAfterSecondsDefault = 120
  /// The number of seconds for which autopush lets a sender cache the end of a subscription.
  private static let endedSecondsMax = 86_400

  /// Returns the HTTP status of the response.
  public func status(_ dialect: WebPushDialect) -> Int { rule.row.status(dialect) }

  /// Returns the JSON body of the response.
  ///
  /// Except in the dialect `apple`, the object has the members of autopush and Apple's `reason`, so that each kind of
  /// sender finds the words that it knows.
  public func body(_ dialect: WebPushDialect) -> [UInt8] {
    let row = rule.row
    if dialect == .apple { return JSONObject([("reason", .string("\(row.reason)"))]).bytes }
    let status = row.status(dialect)
    var object = JSONObject([("code", .integer(Int64(status)))])
    if let number = row.errorNumber { object["errno"] = .integer(Int64(number)) }
    object["error"] = .string("\(Self.title(status))")
    object["message"] = .string(message)
    object["reason"] = .string("\(row.reason)")
    return object.bytes
  }

  /// Returns the header fields that the status requires, in lowercase, in addition to the body's type and length.
  public func fields(_ dialect: WebPushDialect) -> [(name: StaticString, value: String)] {
    switch status(dialect) {
    case 401: [("www-authenticate", "vapid")]
    case 410: [("cache-control", "max-age=\(Self.endedSecondsMax)")]
    case 429, 503: retryAfterSeconds.map { [("retry-after", "\($0)")] } ?? []
    default: []
    }
  }

  /// Returns the title of a status (RFC 9110 section 15), which autopush calls `error`.
  static func title(_ status: Int) -> StaticString {
    switch status {
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 410: "Gone"
    case 413: "Payload Too Large"
    case 429: "Too Many Requests"
    case 503: "Service Unavailable"
    default: "Internal Server Error"
    }
  }
}
