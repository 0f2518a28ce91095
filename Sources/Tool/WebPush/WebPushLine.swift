import BelfryProvider
import BelfryWire

/// The line that `belfry web-push send` prints.
///
/// Every line has the same keys, so that scripts can rely on them.
enum WebPushLine {
  static func value(
    endpoint: String, _ result: Result<WebPushOutcome, WebPushFailure>
  ) -> JSONValue {
    var line: JSONObject = [
      "endpoint": .string(endpoint), "status": nil, "location": nil, "ttl": nil, "reason": nil,
      "rule": nil, "retryAfter": nil, "error": nil,
    ]
    switch result {
    case .success(.accepted(let receipt)):
      line["status"] = .integer(Int64(receipt.status))
      line["location"] = receipt.messageURL.map { .string($0) } ?? .null
      line["ttl"] = receipt.ttlSeconds.map { .integer($0) } ?? .null
    case .success(.rejected(let refusal)):
      line["status"] = .integer(Int64(refusal.status))
      line["reason"] = refusal.reason.isEmpty ? .null : .string(refusal.reason)
      line["rule"] = refusal.message.isEmpty ? .null : .string(refusal.message)
      line["retryAfter"] = refusal.retryAfterSeconds.map { .integer($0) } ?? .null
    case .failure(let failure):
      line["error"] = .string(failure.description)
    }
    return .object(line)
  }
}
