import BelfryWire

/// A response while its frames arrive.
struct ResponseAccumulator {
  private var status = 0
  private var id = ""
  private var uniqueID: String?
  private var retryAfter: Int64?
  private var channelID: String?
  private var body: [UInt8] = []
  private let bodyBytesMax: Int

  /// A response of which so many bytes of the body are retained.
  init(bodyBytesMax: Int) { self.bodyBytesMax = bodyBytesMax }

  /// Adds a header field; fields that mean nothing to a sender are ignored.
  mutating func appendField(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    switch unsafe String(decoding: name, as: UTF8.self) {
    case ":status": status = unsafe Int(String(decoding: value, as: UTF8.self)) ?? 0
    case "apns-id", "apns-request-id": id = unsafe String(decoding: value, as: UTF8.self)
    case "apns-unique-id": uniqueID = unsafe String(decoding: value, as: UTF8.self)
    case "apns-channel-id": channelID = unsafe String(decoding: value, as: UTF8.self)
    case "retry-after":
      // The form with a date is for caches and people: a client of a push service needs seconds.
      retryAfter = unsafe Int64(String(decoding: value, as: UTF8.self)).map { max(0, $0) }
    default: return
    }
  }

  /// Adds a piece of the body, up to its bound.
  mutating func appendBody(_ bytes: UnsafeRawBufferPointer) {
    let room = bodyBytesMax - body.count
    unsafe body.append(contentsOf: bytes.prefix(max(0, room)))
  }

  /// What the complete response says.
  func answer() -> ServiceAnswer {
    ServiceAnswer(outcome: outcome(), channelID: channelID, body: body)
  }

  /// The outcome that it states (apns-protocol 1.7, 1.8; 201 and 204 are those of channels, 5.1).
  private func outcome() -> PushOutcome {
    if status == 200 || status == 201 || status == 204 {
      return .accepted(.init(id: id, uniqueID: uniqueID))
    }
    // A proxy's answer may have any body: what is not APNs' leaves the reason empty.
    let body = (try? JSONValue(parsing: self.body))?.objectValue
    return .rejected(
      .init(
        status: status, reason: body?["reason"]?.stringValue ?? "",
        timestampMilliseconds: body?["timestamp"]?.integerValue, id: id,
        retryAfterSeconds: retryAfter))
  }
}
