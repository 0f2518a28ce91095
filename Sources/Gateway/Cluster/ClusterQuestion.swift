import PushWire
import Storage

/// A question of one node to the others, on behalf of an administrator.
enum ClusterQuestion: Equatable, Sendable {
  /// The newest lines of the node's delivery log that match a query.
  case log(DeliveryLogQuery)
  /// The devices that are connected to the node, and those that were.
  case presences

  private enum Kind: UInt8 {
    case everything = 1
    case token, notification, presences
  }

  /// Appends the question's encoding: the kind, and the token or the ID.
  func encode(into bytes: inout [UInt8]) {
    switch self {
    case .log(.everything): bytes.append(Kind.everything.rawValue)
    case .log(.token(let token)):
      bytes.append(Kind.token.rawValue)
      bytes += token
    case .log(.notification(let id)):
      bytes.append(Kind.notification.rawValue)
      bytes.append(contentsOf: ClusterFields.bytes(id.high) + ClusterFields.bytes(id.low))
    case .presences: bytes.append(Kind.presences.rawValue)
    }
  }

  /// Decodes a question; nil if it is malformed.
  static func decode(_ reader: inout ClusterReader) -> ClusterQuestion? {
    switch reader.take(UInt8.self).flatMap(Kind.init) {
    case .everything: .log(.everything)
    case .token: .log(.token(Array(reader.rest)))
    case .notification:
      if let high = reader.take(UInt64.self), let low = reader.take(UInt64.self) {
        .log(.notification(NotificationID(high: high, low: low)))
      } else {
        nil
      }
    case .presences: .presences
    case nil: nil
    }
  }
}

/// The encodings of fields, which ``ClusterReader`` decodes.
enum ClusterFields {
  /// Returns the bytes of an integer, in big-endian order.
  static func bytes<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
    stride(from: Value.bitWidth - 8, through: 0, by: -8).map {
      UInt8(truncatingIfNeeded: value >> Value($0))
    }
  }

  /// Returns the bytes of a text after their number, which is at most 65,535.
  static func bytes(_ text: String) -> [UInt8] {
    let text = Array(text.utf8.prefix(Int(UInt16.max)))
    assert(text.count <= Int(UInt16.max), "the length fits in its field")
    return bytes(UInt16(text.count)) + text
  }
}

/// The encoding of the lines of a delivery log.
extension DeliveryLogLine {
  /// Returns the line's encoding, without a length, because every field has one.
  var clusterBytes: [UInt8] {
    var bytes = ClusterFields.bytes(atMilliseconds)
    bytes += ClusterFields.bytes(state)
    bytes += ClusterFields.bytes(reason ?? "")
    bytes += ClusterFields.bytes(id.high) + ClusterFields.bytes(id.low)
    bytes.append(id.isLowercase ? 1 : 0)
    bytes += ClusterFields.bytes(uniqueID?.high ?? 0) + ClusterFields.bytes(uniqueID?.low ?? 0)
    bytes += ClusterFields.bytes(device)
    bytes += ClusterFields.bytes(topic)
    bytes.append(pushType?.rawValue ?? .max)
    return bytes
  }

  /// Decodes the next line; nil at the end, or if it is malformed.
  init?(_ reader: inout ClusterReader) {
    guard let at = reader.take(Int64.self), let state = reader.takeText(),
      let reason = reader.takeText(), let high = reader.take(UInt64.self),
      let low = reader.take(UInt64.self), let isLowercase = reader.take(UInt8.self),
      let uniqueHigh = reader.take(UInt64.self), let uniqueLow = reader.take(UInt64.self),
      let device = reader.take(UInt64.self), let topic = reader.takeText(),
      let pushType = reader.take(UInt8.self)
    else { return nil }
    self.init(
      atMilliseconds: at, state: state, reason: reason.isEmpty ? nil : reason,
      id: NotificationID(high: high, low: low, isLowercase: isLowercase == 1),
      uniqueID: uniqueHigh == 0 && uniqueLow == 0
        ? nil : NotificationID(high: uniqueHigh, low: uniqueLow),
      device: device, topic: topic, pushType: PushType(rawValue: pushType))
  }
}

/// The encoding of the presences of devices.
extension DevicePresence {
  /// Returns the presence's encoding.
  var clusterBytes: [UInt8] {
    ClusterFields.bytes(device) + [isUp ? 1 : 0] + ClusterFields.bytes(lastSeenMilliseconds)
  }

  /// Decodes the next presence; nil at the end, or if it is malformed.
  init?(_ reader: inout ClusterReader) {
    guard let device = reader.take(UInt64.self), let isUp = reader.take(UInt8.self),
      let lastSeen = reader.take(Int64.self)
    else { return nil }
    self.init(device: device, isUp: isUp == 1, lastSeenMilliseconds: lastSeen)
  }
}
