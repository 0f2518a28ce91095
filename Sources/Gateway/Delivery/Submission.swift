public import BelfryWire
public import Storage

/// A provider's notification on its way to the home of its device, which makes the last checks.
public struct Submission: Sendable {
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
  /// The time at which the front admitted it, in milliseconds since 1970.
  public let acceptedMilliseconds: Int64
  /// The maximum number of undelivered notifications to keep for the key; the newest are kept.
  public let keep: UInt32
  /// The destination of the answer; `nil` if the notification was read from the store or has already been answered.
  public let reply: ReplyAddress?

  /// Creates a submission from its parts.
  public init(
    key: NotificationKey, generation: UInt16, id: NotificationID, uniqueID: NotificationID,
    expiration: Int64, priority: UInt8, pushType: PushType, collapseID: [UInt8], payload: [UInt8],
    acceptedMilliseconds: Int64, keep: UInt32, reply: ReplyAddress?
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

  /// Creates the submission of a push to a token with these contents.
  init(
    _ contents: TokenContents, id: NotificationID, uniqueID: NotificationID, expiration: Int64,
    priority: UInt8, pushType: PushType, collapseID: [UInt8], payload: [UInt8],
    acceptedMilliseconds: Int64, keep: UInt32, reply: ReplyAddress?
  ) {
    self.init(
      key: NotificationKey(
        device: contents.device, app: contents.app, kind: contents.kind.rawValue),
      generation: contents.generation, id: id, uniqueID: uniqueID, expiration: expiration,
      priority: priority, pushType: pushType, collapseID: collapseID, payload: payload,
      acceptedMilliseconds: acceptedMilliseconds, keep: keep, reply: reply)
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
