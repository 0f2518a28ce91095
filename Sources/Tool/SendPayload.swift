import BelfryProvider
import Foundation

/// The payload that `belfry send` makes of its options (apns-protocol section 3).
struct SendPayload {
  let title: String?
  let body: String?
  let badge: Int?
  let sound: String?
  let category: String?
  let isBackground: Bool

  private struct Whole: Encodable {
    let aps: Payload
  }

  private struct Payload: Encodable {
    let alert: Alert?
    let badge: Int?
    let sound: String?
    let category: String?
    let contentAvailable: Int?

    enum CodingKeys: String, CodingKey {
      case alert, badge, sound, category
      case contentAvailable = "content-available"
    }
  }

  private struct Alert: Encodable {
    let title: String?
    let body: String?
  }

  /// Compact JSON.
  func bytes() throws -> [UInt8] {
    let alert = title == nil && body == nil ? nil : Alert(title: title, body: body)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    return Array(
      try encoder.encode(
        Whole(
          aps: Payload(
            alert: alert, badge: badge, sound: sound, category: category,
            contentAvailable: isBackground ? 1 : nil))))
  }
}

/// What `belfry send` prints of one token: the same keys in every line.
struct SendLine: Encodable {
  let token: String
  var status: Int?
  var apnsID: String?
  var uniqueID: String?
  var reason: String?
  /// With status 410: milliseconds since 1970.
  var timestamp: Int64?
  /// Why there is no answer.
  var error: String?

  init(token: String, _ result: Result<PushOutcome, ProviderFailure>) {
    self.token = token
    switch result {
    case .success(.accepted(let receipt)):
      self.status = 200
      self.apnsID = receipt.id
      self.uniqueID = receipt.uniqueID
    case .success(.rejected(let refusal)):
      self.status = refusal.status
      self.apnsID = refusal.id
      self.reason = refusal.reason
      self.timestamp = refusal.timestampMilliseconds
    case .failure(let failure):
      self.error = "\(failure)"
    }
  }

  private enum CodingKeys: String, CodingKey {
    case token, status, apnsID, uniqueID, reason, timestamp, error
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(token, forKey: .token)
    // `encode`, not `encodeIfPresent`: a key that is missing now and then breaks scripts.
    try container.encode(status, forKey: .status)
    try container.encode(apnsID, forKey: .apnsID)
    try container.encode(uniqueID, forKey: .uniqueID)
    try container.encode(reason, forKey: .reason)
    try container.encode(timestamp, forKey: .timestamp)
    try container.encode(error, forKey: .error)
  }

  var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}
