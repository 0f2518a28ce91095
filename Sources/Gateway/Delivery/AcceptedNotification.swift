public import BelfryWire
public import Storage

/// The destination of the answer to a request: a loop, a connection on it, and a stream on the connection.
public struct ReplyRoute: Hashable, Sendable {
  /// The loop that owns the connection.
  public let loop: Int
  /// The connection's number on that loop, which is never reused.
  public let connection: UInt64
  /// The stream, or the frame's number on the binary interface.
  public let stream: Int32

  /// Creates a route from its parts.
  public init(loop: Int, connection: UInt64, stream: Int32) {
    self.loop = loop
    self.connection = connection
    self.stream = stream
  }
}

/// A notification that passed every check, as its provider sent it.
public struct AcceptedNotification: Sendable {
  /// The device, the app, and the kind of token.
  public let key: NotificationKey
  /// The generation in the token.
  public let generation: UInt16
  /// The notification's `apns-id`, which its provider chose or the gateway generated.
  public let id: NotificationID
  /// The notification's `apns-unique-id`, which the gateway generated.
  public let uniqueID: NotificationID
  /// The time until which the notification is stored, in seconds since 1970; 0 if delivery is attempted only once.
  public let expiration: Int64
  /// The priority: 10, 5, or 1.
  public let priority: UInt8
  /// The push type of the notification.
  public let pushType: PushType
  /// The notification's `apns-collapse-id`; empty if absent.
  public let collapseID: [UInt8]
  /// The payload, byte for byte.
  public let payload: [UInt8]
  /// The time of acceptance, in milliseconds since 1970.
  public let acceptedMilliseconds: Int64
  /// The maximum number of undelivered notifications to keep for the key; the newest are kept.
  public let keep: UInt32
  /// The destination of the answer; `nil` if the notification was read from the store or has already been answered.
  public let reply: ReplyRoute?

  /// Creates a notification from its parts.
  public init(
    key: NotificationKey, generation: UInt16, id: NotificationID, uniqueID: NotificationID,
    expiration: Int64, priority: UInt8, pushType: PushType, collapseID: [UInt8], payload: [UInt8],
    acceptedMilliseconds: Int64, keep: UInt32, reply: ReplyRoute?
  ) {
    self.key = key
    self.generation = generation
    self.id = id
    self.uniqueID = uniqueID
    self.expiration = expiration
    self.priority = priority
    self.pushType = pushType
    self.collapseID = collapseID
    self.payload = payload
    self.acceptedMilliseconds = acceptedMilliseconds
    self.keep = keep
    self.reply = reply
  }

  /// Creates a notification from a row of the store.
  init(_ stored: StoredNotification) {
    self.init(
      key: stored.key, generation: 0, id: stored.id, uniqueID: stored.uniqueID,
      expiration: stored.expiration, priority: stored.priority,
      pushType: PushType(rawValue: stored.pushType) ?? .alert, collapseID: stored.collapseID,
      payload: stored.payload, acceptedMilliseconds: stored.acceptedMilliseconds, keep: .max,
      reply: nil)
  }

  /// Creates one device's copy of a broadcast, whose provider has already been answered.
  init(_ broadcast: Broadcast, to device: UInt64) {
    self.init(
      key: NotificationKey(device: device, app: broadcast.app, kind: Self.broadcastKind),
      generation: 0, id: broadcast.id, uniqueID: broadcast.uniqueID,
      expiration: broadcast.expiration, priority: broadcast.priority, pushType: .liveActivity,
      collapseID: [], payload: broadcast.payload,
      acceptedMilliseconds: broadcast.acceptedMilliseconds, keep: .max, reply: nil)
  }

  /// The kind in the key of a broadcast's copy; no token has this kind.
  static let broadcastKind: UInt8 = 0

  /// Returns true if delivery is attempted only once and the notification is never stored.
  func isOnce(at now: Moment) -> Bool { expiration <= now.unixSeconds }
}
