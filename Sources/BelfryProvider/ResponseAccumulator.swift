import BelfryWire

/// A response that is assembled as its frames arrive.
struct ResponseAccumulator {
  private var status = 0
  private var id = ""
  private var uniqueID: String?
  private var retryAfter: Int64?
  private var channelID: String?
  private var location: String?
  private var ttl: Int64?
  private var body: [UInt8] = []
  private let bodyBytesMax: Int

  /// Creates a response that retains at most this many bytes of its body.
  init(bodyBytesMax: Int) { self.bodyBytesMax = bodyBytesMax }

  /// Adds a header field.
  ///
  /// Fields that are irrelevant to a sender are ignored.
  mutating func appendField(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    switch unsafe String(decoding: name, as: UTF8.self) {
    case ":status": status = unsafe Int(String(decoding: value, as: UTF8.self)) ?? 0
    case "apns-id", "apns-request-id": id = unsafe String(decoding: value, as: UTF8.self)
    case "apns-unique-id": uniqueID = unsafe String(decoding: value, as: UTF8.self)
    case "apns-channel-id": channelID = unsafe String(decoding: value, as: UTF8.self)
    case "location": location = unsafe String(decoding: value, as: UTF8.self)
    case "ttl": ttl = unsafe Int64(String(decoding: value, as: UTF8.self))
    case "retry-after":
      // Read only the form that specifies seconds. The form that specifies a date is not useful to a client of a push
      // service.
      retryAfter = unsafe Int64(String(decoding: value, as: UTF8.self)).map { max(0, $0) }
    default: return
    }
  }

  /// Adds a part of the body, up to the limit.
  mutating func appendBody(_ bytes: UnsafeRawBufferPointer) {
    let room = bodyBytesMax - body.count
    unsafe body.append(contentsOf: bytes.prefix(max(0, room)))
  }

  /// Returns the content of the complete response.
  func answer() -> ServiceAnswer {
    ServiceAnswer(
      outcome: outcome(), status: status, retryAfterSeconds: retryAfter, location: location,
      ttlSeconds: ttl, channelID: channelID, body: body)
  }

  /// Returns the outcome of the response (apns-protocol 1.7, 1.8; 201 and 204 are responses to channel requests, 5.1).
  private func outcome() -> PushOutcome {
    if status == 200 || status == 201 || status == 204 {
      return .accepted(.init(id: id, uniqueID: uniqueID))
    }
    // A response from a proxy can have any body; if the body is not in APNs format, the reason is empty.
    let body = (try? JSONValue(parsing: self.body))?.objectValue
    return .rejected(
      .init(
        status: status, reason: body?["reason"]?.stringValue ?? "",
        timestampMilliseconds: body?["timestamp"]?.integerValue, id: id,
        retryAfterSeconds: retryAfter))
  }
}
