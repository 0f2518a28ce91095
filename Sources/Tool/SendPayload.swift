import BelfryProvider
import BelfryWire

/// A payload that `belfry send` creates from its options (apns-protocol section 3).
struct SendPayload {
  let title: String?
  let body: String?
  let badge: Int64?
  let sound: String?
  let category: String?
  let isBackground: Bool

  /// The payload as compact JSON.
  var bytes: [UInt8] {
    var alert = JSONObject()
    alert["title"] = title.map { .string($0) }
    alert["body"] = body.map { .string($0) }
    var aps = JSONObject()
    if !alert.isEmpty { aps["alert"] = .object(alert) }
    aps["badge"] = badge.map { .integer($0) }
    aps["sound"] = sound.map { .string($0) }
    aps["category"] = category.map { .string($0) }
    if isBackground { aps["content-available"] = 1 }
    return JSONObject([("aps", .object(aps))]).bytes
  }
}

/// The line that `belfry send` prints for a token.
///
/// Every line has the same keys, so that scripts can rely on them.
enum SendLine {
  static func value(
    token: String, id: String, _ result: Result<PushOutcome, ProviderFailure>, _ advice: SendAdvice
  ) -> JSONValue {
    var line: JSONObject = [
      "token": .string(token), "status": nil, "apnsID": nil, "uniqueID": nil, "reason": nil,
      "timestamp": nil, "error": nil, "state": nil,
    ]
    switch result {
    case .success(.accepted(let receipt)):
      line["status"] = 200
      line["state"] = "Received by APNs"
      line["apnsID"] = .string(receipt.id)
      line["uniqueID"] = receipt.uniqueID.map { .string($0) } ?? .null
    case .success(.rejected(let refusal)):
      line["status"] = .integer(Int64(refusal.status))
      line["state"] = "Refused"
      line["apnsID"] = .string(refusal.id)
      line["reason"] = .string(refusal.reason)
      line["timestamp"] = refusal.timestampMilliseconds.map { .integer($0) } ?? .null
    case .failure(let failure):
      line["apnsID"] = .string(id)
      line["error"] = .string(advice.message(failure))
    }
    return .object(line)
  }
}
