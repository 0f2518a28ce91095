public import BelfryWire

/// What undelivered notifications are kept under: a device token without its generation.
public struct NotificationKey: Hashable, Sendable {
  /// The device's number.
  public let device: UInt64
  /// The app's number.
  public let app: UInt32
  /// The token's kind, a `TokenKind`'s raw value.
  public let kind: UInt8

  /// A key from its parts.
  public init(device: UInt64, app: UInt32, kind: UInt8) {
    self.device = device
    self.app = app
    self.kind = kind
  }
}

/// A notification that was accepted and that its device has not acknowledged.
public struct StoredNotification: Sendable, Hashable {
  /// Whom it is for.
  public let key: NotificationKey
  /// Its place in the order of acceptance, from 1; no two in a store have the same.
  public let sequence: UInt64
  /// `apns-id`.
  public let id: NotificationID
  /// `apns-unique-id`.
  public let uniqueID: NotificationID
  /// When it is no longer worth delivering, seconds since 1970; `.max`: never.
  public let expiration: Int64
  /// 10, 5 or 1.
  public let priority: UInt8
  /// A `PushType`'s raw value.
  public let pushType: UInt8
  /// `apns-collapse-id`; empty: none.
  public let collapseID: [UInt8]
  /// The provider's bytes, untouched.
  public let payload: [UInt8]
  /// When it was accepted, milliseconds since 1970.
  public let acceptedMilliseconds: Int64

  /// A notification from its parts.
  public init(
    key: NotificationKey, sequence: UInt64, id: NotificationID, uniqueID: NotificationID,
    expiration: Int64, priority: UInt8, pushType: UInt8, collapseID: [UInt8], payload: [UInt8],
    acceptedMilliseconds: Int64
  ) {
    self.key = key
    self.sequence = sequence
    self.id = id
    self.uniqueID = uniqueID
    self.expiration = expiration
    self.priority = priority
    self.pushType = pushType
    self.collapseID = collapseID
    self.payload = payload
    self.acceptedMilliseconds = acceptedMilliseconds
  }
}
