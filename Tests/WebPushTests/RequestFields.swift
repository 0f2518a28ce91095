@testable import WebPush

/// Returns the request that has these header fields.
func request(_ fields: [(String, String)]) -> WebPushRequest {
  var request = WebPushRequest()
  for (name, value) in fields {
    request.field(name: utf8(name).span, value: utf8(value).span)
  }
  return request
}

/// Returns the message of a request with a TTL and these fields, or nil if it is refused.
func message(
  _ fields: [(String, String)], body: [UInt8] = [], dialect: WebPushDialect = .rfc
) -> WebPushMessage? {
  guard case .accepted(let message) = request(fields).evaluate(body: body, dialect: dialect) else {
    return nil
  }
  return message
}

/// Returns the refusal of a request with these fields, or nil if it is accepted.
func refusal(
  _ fields: [(String, String)], body: [UInt8] = [], dialect: WebPushDialect = .rfc
) -> WebPushRefusal? {
  guard case .refused(let refusal) = request(fields).evaluate(body: body, dialect: dialect) else {
    return nil
  }
  return refusal
}
