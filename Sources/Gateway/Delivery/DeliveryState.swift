/// An event in the delivery of an accepted notification, with a label from Apple's metrics (apns-protocol section 6) or
/// one of four labels of Belfry's own: `Sent`, `Replaced`, `Stored – No Room on Device`, and `Withdrawn`.
///
/// The delivery log's files contain the raw values, so new cases must be added at the end.
public enum DeliveryState: UInt8, CaseIterable, Sendable {
  case received
  case sent
  case delivered
  case deliveredFromStorage
  case storedOffline
  case storedPower
  case replaced
  case discardedUnregistered
  case discardedUnregisteredFromStorage
  case discardedExpired
  case discardedDisabled
  case discardedDisabledFromStorage
  case storedNoRoom
  case withdrawn

  /// The label in `belfry log` and in metrics.
  public var label: String {
    switch self {
    case .received: "Received by APNs"
    case .sent: "Sent"
    case .delivered: "Delivered to Device"
    case .deliveredFromStorage: "Delivered (From Storage)"
    case .storedOffline: "Stored – Device Offline"
    case .storedPower: "Stored – Power Considerations"
    case .replaced: "Replaced"
    case .discardedUnregistered: "Discarded – Token Unregistered"
    case .discardedUnregisteredFromStorage: "Discarded – Token Unregistered (From Storage)"
    case .discardedExpired: "Discarded – Expired"
    case .discardedDisabled: "Discarded – Disabled"
    case .discardedDisabledFromStorage: "Discarded – Disabled (From Storage)"
    case .storedNoRoom: "Stored – No Room on Device"
    case .withdrawn: "Withdrawn"
    }
  }
}
