import PushWire

/// The meaning of an operation in a cluster (docs/cluster.md).
extension StoreOperation {
  /// The device that a node must have claimed for the operation; nil if the operation concerns all devices.
  package var claimedDevice: UInt64? {
    switch self {
    case .put(let notification, _): notification.key.device
    case .remove(let key, _), .withdraw(let key, _), .removeKey(let key): key.device
    case .removeDevice(let device): device
    case .removeExpired: nil
    }
  }

  /// Returns the report that the operation with this index had no effect, because the claim is lost; nil if no caller
  /// waits for the operation's result.
  package func claimLost(_ index: Int) -> DroppedNotification? {
    switch self {
    case .put(let notification, _):
      DroppedNotification(
        key: notification.key, sequence: notification.sequence, id: notification.id,
        uniqueID: notification.uniqueID, reason: .claimLost, operation: index)
    case .remove(let key, let sequence):
      DroppedNotification(
        key: key, sequence: sequence, id: NotificationID(high: 0, low: 0),
        uniqueID: NotificationID(high: 0, low: 0), reason: .claimLost, operation: index)
    case .withdraw(let key, let uniqueID):
      DroppedNotification(
        key: key, sequence: 0, id: NotificationID(high: 0, low: 0), uniqueID: uniqueID,
        reason: .claimLost, operation: index)
    case .removeKey, .removeDevice, .removeExpired: nil
    }
  }
}

extension DroppedNotification {
  /// Returns the same notification with the index of another operation.
  package func with(operation: Int) -> DroppedNotification {
    DroppedNotification(
      key: key, sequence: sequence, id: id, uniqueID: uniqueID, reason: reason,
      operation: operation)
  }
}
