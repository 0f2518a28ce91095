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

/// An accepted notification on its way to a device.
///
/// `@unchecked Sendable`: the provider's loop builds it and hands it over; from then on its mutable
/// fields are touched by its device's home loop alone.
public final class AcceptedNotification: @unchecked Sendable {
  /// How safe the notification is from a crash.
  enum Durability: Equatable {
    /// Tried once, never stored (expiration 0).
    case none
    /// Waits for a commit, at the latest at this monotonic time.
    case staged(deadlineNanoseconds: Int64)
    /// Part of the commit that runs.
    case committing
    /// On disk.
    case stored
    /// Its channel keeps it, for all devices at once.
    case channel
  }

  /// The device, app and kind of token.
  public let key: NotificationKey
  /// The generation that the token carried.
  public let generation: UInt16
  /// `apns-id`.
  public let id: NotificationID
  /// `apns-unique-id`.
  public let uniqueID: NotificationID
  /// Seconds since 1970 until which it is kept; 0 for once.
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
  /// How many undelivered ones of the key are kept.
  public let keep: UInt32
  /// Where the answer goes; `nil` for one that came from the store or was answered before.
  public let reply: ReplyRoute?

  /// The order of acceptance on this device's loop.
  public internal(set) var sequence: UInt64 = 0
  var durability = Durability.none
  var isAnswered = false
  var isAcknowledged = false
  /// Whether it waited on disk.
  public internal(set) var isFromStore = false
  var isDropped = false
  /// The message of a channel that this is one device's copy of.
  public private(set) var broadcast: Broadcast?
  /// What a broadcast's frame names its channel by.
  public private(set) var channelHandle: UInt32 = 0
  /// Whether the delivery log tells of it: of a broadcast's thousands of copies it tells of some.
  private(set) var isLogged = true
  var heldSinceNanoseconds: Int64 = 0
  /// Until then the app has had its background pushes.
  var throttledUntilNanoseconds: Int64 = 0
  /// It has been counted against its app's background pushes.
  var hasPassedThrottle = false
  /// Its device was connected when it came, and its power does not keep it back: it takes no other's
  /// place in memory, nor another its, for what an app keeps is what waits for a device that is away.
  var isForConnected = false
  /// Why the store dropped its row while it was on its way.
  var lostRow: DroppedNotification.Reason?
  /// Rows of those that it replaced, which go with its own.
  var replacedRows: [UInt64] = []

  /// A notification that a provider sent.
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

  /// A notification as the store gave it back.
  convenience init(_ stored: StoredNotification) {
    self.init(
      key: stored.key, generation: 0, id: stored.id, uniqueID: stored.uniqueID,
      expiration: stored.expiration, priority: stored.priority,
      pushType: PushType(rawValue: stored.pushType) ?? .alert, collapseID: stored.collapseID,
      payload: stored.payload, acceptedMilliseconds: stored.acceptedMilliseconds, keep: .max,
      reply: nil)
    sequence = stored.sequence
    durability = .stored
    isAnswered = true
    isFromStore = true
  }

  /// A device's copy of a broadcast, whose provider needs no answer of it.
  convenience init(
    _ broadcast: Broadcast, to device: UInt64, handle: UInt32, isLogged: Bool, sequence: UInt64
  ) {
    self.init(
      key: NotificationKey(device: device, app: broadcast.app, kind: Self.broadcastKind),
      generation: 0, id: broadcast.id, uniqueID: broadcast.uniqueID,
      expiration: broadcast.expiration, priority: broadcast.priority, pushType: .liveActivity,
      collapseID: [], payload: broadcast.payload,
      acceptedMilliseconds: broadcast.acceptedMilliseconds, keep: .max, reply: nil)
    self.broadcast = broadcast
    self.isLogged = isLogged
    self.sequence = sequence
    channelHandle = handle
    durability = broadcast.isKept ? .channel : .none
    isAnswered = true
  }

  /// Stands for no token's kind.
  static let broadcastKind: UInt8 = 0

  /// It goes to its device after a wait: from storage, where that is what the provider was told.
  func waited() {
    if durability == .stored || durability == .channel { isFromStore = true }
  }

  /// What the store keeps of it.
  var stored: StoredNotification {
    StoredNotification(
      key: key, sequence: sequence, id: id, uniqueID: uniqueID, expiration: expiration,
      priority: priority, pushType: pushType.rawValue, collapseID: collapseID, payload: payload,
      acceptedMilliseconds: acceptedMilliseconds)
  }

  /// Whether it is tried once and never stored.
  func isOnce(at now: Moment) -> Bool { expiration <= now.unixSeconds }
}
