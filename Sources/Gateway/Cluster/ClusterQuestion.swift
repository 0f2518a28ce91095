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
      bytes.append(field: id.high)
      bytes.append(field: id.low)
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
