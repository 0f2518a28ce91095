public import BelfryWire
public import Storage

/// Where the answer to a request goes: a loop, a connection on it, a stream on that.
public struct ReplyRoute: Hashable, Sendable {
  /// The loop that holds the connection.
  public let loop: Int
  /// The connection's number on that loop; never used again.
  public let connection: UInt64
  /// The stream, or the frame's number on the binary interface.
  public let stream: Int32

  /// A route.
  public init(loop: Int, connection: UInt64, stream: Int32) {
    self.loop = loop
    self.connection = connection
    self.stream = stream
  }
}

/// A notification that passed every check, with what its provider sent.
public struct AcceptedNotification: Sendable {
  /// The device, app and kind of token.
  public let key: NotificationKey
  /// The generation that the token carried.
  public let generation: UInt16
  /// `apns-id`.
  public let id: NotificationID
  /// `apns-unique-id`.
  public let uniqueID: NotificationID
  /// Seconds since 1970 until which it is stored; 0 when it is tried once.
  public let expiration: Int64
  /// 10, 5 or 1.
  public let priority: UInt8
  /// The push type.
  public let pushType: PushType
  /// `apns-collapse-id`, empty for none.
  public let collapseID: [UInt8]
  /// The payload, byte for byte.
  public let payload: [UInt8]
  /// When it was accepted, in milliseconds since 1970.
  public let acceptedMilliseconds: Int64
  /// How many undelivered notifications of the key are kept, the newest.
  public let keep: UInt32
  /// Where the answer goes; `nil` for one that came from the store or was answered before.
  public let reply: ReplyRoute?

  /// A notification from its parts.
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

  /// Creates one device's copy of a broadcast; the provider has been answered.
  init(_ broadcast: Broadcast, to device: UInt64) {
    self.init(
      key: NotificationKey(device: device, app: broadcast.app, kind: Self.broadcastKind),
      generation: 0, id: broadcast.id, uniqueID: broadcast.uniqueID,
      expiration: broadcast.expiration, priority: broadcast.priority, pushType: .liveActivity,
      collapseID: [], payload: broadcast.payload,
      acceptedMilliseconds: broadcast.acceptedMilliseconds, keep: .max, reply: nil)
  }

  /// A value that no token kind has.
  static let broadcastKind: UInt8 = 0

  /// Whether it is tried once and never stored.
  func isOnce(at now: Moment) -> Bool { expiration <= now.unixSeconds }
}
