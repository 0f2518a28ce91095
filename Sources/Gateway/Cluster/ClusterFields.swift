import PushWire
import Storage

/// The encodings of the fields of messages between nodes, which ``ClusterReader`` decodes.
extension [UInt8] {
  /// Appends an integer in big-endian order.
  mutating func append<Value: FixedWidthInteger>(field value: Value) {
    for shift in stride(from: Value.bitWidth - 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: value >> Value(shift)))
    }
  }

  /// Appends the length of a text in two bytes, then the text; a text of more than 65,535 bytes is truncated.
  mutating func append(field text: String) {
    let text = Array(text.utf8.prefix(Int(UInt16.max)))
    append(field: UInt16(text.count))
    append(contentsOf: text)
  }

  /// Appends an `apns-id`, with the letter case that its provider used.
  mutating func append(fields id: NotificationID) {
    append(field: id.high)
    append(field: id.low)
    append(field: UInt8(id.isLowercase ? 1 : 0))
  }
}

/// The encoding of the lines of a delivery log.
extension DeliveryLogLine {
  /// Appends the line's encoding, without a length, because every field has one.
  func encode(into bytes: inout [UInt8]) {
    bytes.append(field: atMilliseconds)
    // The status is a part of the state, so that nodes of earlier releases can read the line.
    bytes.append(field: status.map { "\(state)\t\($0)" } ?? state)
    bytes.append(field: reason ?? "")
    bytes.append(fields: id)
    bytes.append(field: uniqueID?.high ?? 0)
    bytes.append(field: uniqueID?.low ?? 0)
    bytes.append(field: device)
    bytes.append(field: topic)
    bytes.append(field: pushType?.rawValue ?? .max)
  }

  /// Decodes the next line; nil at the end, or if it is malformed.
  init?(_ reader: inout ClusterReader) {
    guard let at = reader.take(Int64.self), let state = reader.takeText(),
      let reason = reader.takeText(), let (id, uniqueID) = reader.takeIDs(),
      let device = reader.take(UInt64.self), let topic = reader.takeText(),
      let pushType = reader.take(UInt8.self)
    else { return nil }
    self.init(
      atMilliseconds: at, state: state, reason: reason.isEmpty ? nil : reason, id: id,
      uniqueID: uniqueID.high == 0 && uniqueID.low == 0 ? nil : uniqueID, device: device,
      topic: topic, pushType: PushType(rawValue: pushType))
    guard let tab = state.utf8.lastIndex(of: UInt8(ascii: "\t")) else { return }
    self.state = String(state[..<tab])
    status = Int(state[state.utf8.index(after: tab)...])
  }
}

/// The encoding of the presences of devices.
extension DevicePresence {
  /// Appends the presence's encoding.
  func encode(into bytes: inout [UInt8]) {
    bytes.append(field: device)
    bytes.append(field: UInt8(isUp ? 1 : 0))
    bytes.append(field: lastSeenMilliseconds)
  }

  /// Decodes the next presence; nil at the end, or if it is malformed.
  init?(_ reader: inout ClusterReader) {
    guard let device = reader.take(UInt64.self), let isUp = reader.take(UInt8.self),
      let lastSeen = reader.take(Int64.self)
    else { return nil }
    self.init(device: device, isUp: isUp == 1, lastSeenMilliseconds: lastSeen)
  }
}
