internal import BelfryWire
public import PushWire

/// The key under which undelivered notifications are stored: a device token without its generation.
public struct NotificationKey: Hashable, Sendable {
  /// The number of the device.
  public let device: UInt64
  /// The number of the app.
  public let app: UInt32
  /// The token's kind, as the raw value of a `TokenKind`.
  public let kind: UInt8

  /// Creates a key from its parts.
  public init(device: UInt64, app: UInt32, kind: UInt8) {
    self.device = device
    self.app = app
    self.kind = kind
  }

  /// Creates the key of the notifications to a device token with these contents.
  public init(_ contents: TokenContents) {
    self.init(device: contents.device, app: contents.app, kind: contents.kind.rawValue)
  }
}

/// The times of a stored notification.
public struct StoredTimes: Sendable, Hashable {
  /// The time of acceptance in milliseconds since 1970.
  public let acceptedMilliseconds: Int64
  /// The time at which the notification expires, in seconds since 1970; `.max` if it never expires.
  public let expiration: Int64

  /// Creates the times from their values.
  public init(acceptedMilliseconds: Int64, expiration: Int64) {
    self.acceptedMilliseconds = acceptedMilliseconds
    self.expiration = expiration
  }
}

/// A notification that was accepted but is not yet acknowledged by its device.
public struct StoredNotification: Sendable, Hashable {
  /// The recipient of the notification.
  public let key: NotificationKey
  /// The position in the order of acceptance, which starts at 1 and is unique within a store.
  public let sequence: UInt64
  /// The value of `apns-id`.
  public let id: NotificationID
  /// The value of `apns-unique-id`.
  public let uniqueID: NotificationID
  /// The time at which the notification expires, in seconds since 1970; `.max` if it never expires.
  public let expiration: Int64
  /// The priority: 10, 5, or 1.
  public let priority: UInt8
  /// The raw value of a `PushType`.
  public let pushType: UInt8
  /// The value of `apns-collapse-id`; empty if absent.
  public let collapseID: [UInt8]
  /// The payload, byte for byte as the provider sent it.
  public let payload: [UInt8]
  /// The time of acceptance in milliseconds since 1970.
  public let acceptedMilliseconds: Int64

  /// Creates a notification from its parts.
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
