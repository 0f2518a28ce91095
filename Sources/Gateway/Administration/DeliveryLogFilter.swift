internal import BelfryWire
public import PushWire

/// Conditions on lines of the delivery log; a line must meet all of them.
///
/// Strings are compared byte by byte, because providers can choose any bytes as a topic. The comparison of topics,
/// reasons, and text ignores the case of ASCII letters.
public struct DeliveryLogFilter: Sendable {
  /// A substring of the topic, including its suffix, in lowercase ASCII; nil matches every topic.
  private var topic: [UInt8]?
  /// The label of the state; nil matches every state.
  public var state: String?
  /// A substring of the reason for a rejection, in lowercase ASCII; nil matches every line.
  private var reason: [UInt8]?
  /// The push type; nil matches every type.
  public var pushType: PushType?
  /// The number of the device; nil matches every device.
  public var device: UInt64?
  /// The earliest time, in milliseconds since 1970.
  public var sinceMilliseconds: Int64?
  /// The end of the time range, in milliseconds since 1970; lines at exactly that time don't match.
  public var untilMilliseconds: Int64?
  /// A substring of the topic, state, reason, device number, or one of the IDs, in lowercase ASCII; nil matches every
  /// line.
  public var text: [UInt8]?

  /// The maximum length, in bytes, of `text`.
  public static let textBytesMax = 128

  /// Creates a filter that matches every line.
  public init() {}

  /// Creates a filter from the query of a call: `topic`, `state`, `reason`, `type`, `device`, `since`, `until`, and
  /// `q`.
  public init(query: [(name: String, value: String)]) throws(AdministrationFailure) {
    func value(_ name: String) -> String? {
      query.first { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
    }
    topic = value("topic")?.utf8.map(Self.lowercased)
    if let text = value("state") {
      let labels =
        DeliveryState.allCases.map(\.label) + [
          DeliveryLogLine.refused, DeliveryLogLine.relayed, DeliveryLogLine.unknown,
        ]
      guard labels.contains(where: { $0.hasSameBytes(as: text) }) else {
        throw AdministrationFields.wrong("state", text, "one of \(labels.joined(separator: ", "))")
      }
      state = text
    }
    reason = value("reason")?.utf8.map(Self.lowercased)
    if let text = value("type") {
      let bytes = Array(text.utf8)
      guard let type = PushType(bytes.span) else {
        throw AdministrationFields.wrong("type", text, "an apns-push-type, such as alert")
      }
      pushType = type
    }
    if let text = value("device") {
      guard let number = UInt64(text) else {
        throw AdministrationFields.wrong("device", text, "a device's number")
      }
      device = number
    }
    sinceMilliseconds = try Self.milliseconds(value("since"), "since")
    untilMilliseconds = try Self.milliseconds(value("until"), "until")
    if let text = value("q") {
      guard text.utf8.count <= Self.textBytesMax else {
        throw AdministrationFields.wrong("q", text, "at most \(Self.textBytesMax) bytes")
      }
      self.text = text.utf8.map(Self.lowercased)
    }
  }

  private static func milliseconds(
    _ text: String?, _ name: String
  ) throws(AdministrationFailure) -> Int64? {
    guard let text else { return nil }
    guard let number = Int64(text), number >= 0 else {
      throw AdministrationFields.wrong(name, text, "milliseconds since 1970")
    }
    return number
  }

  /// Returns true if a line meets all conditions.
  func matches(_ line: DeliveryLogLine) -> Bool {
    if let sinceMilliseconds, line.atMilliseconds < sinceMilliseconds { return false }
    if let untilMilliseconds, line.atMilliseconds >= untilMilliseconds { return false }
    if let device, line.device != device { return false }
    if let pushType, line.pushType != pushType { return false }
    if let state, !line.state.hasSameBytes(as: state) { return false }
    if let topic, !Self.contains(topic, in: line.topic) { return false }
    if let reason, !Self.contains(reason, in: line.reason ?? "") { return false }
    guard let text else { return true }
    return contains(text, in: line)
  }

  private func contains(_ text: [UInt8], in line: DeliveryLogLine) -> Bool {
    let texts = [
      line.topic, line.state, line.reason ?? "", "\(line.device)", line.id.text,
      line.uniqueID?.text ?? "",
    ]
    return texts.contains { Self.contains(text, in: $0) }
  }

  /// Returns true if `part`, in lowercase ASCII, occurs in `text`, which is short.
  private static func contains(_ part: [UInt8], in text: String) -> Bool {
    let text = text.utf8.map(lowercased)
    guard part.count <= text.count else { return false }
    return (0...(text.count - part.count)).contains { start in
      text[start..<(start + part.count)].elementsEqual(part)
    }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte + 0x20 : byte
  }
}
