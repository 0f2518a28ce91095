/// A notification or broadcast as it is sent to a device (`docs/device-link.md` 4.5).
///
/// The value owns its bytes. In the gateway, they are shared with the accepted push and copied only once, into the
/// output. A device copies them from the received frame.
public struct LinkNotification: Equatable, Sendable {
  /// The value of ``expiration`` for a notification that the gateway attempts to deliver only once.
  public static let expirationOnce: UInt64 = 0
  /// The value of ``expiration`` for a notification that does not expire.
  public static let expirationNone = UInt64.max

  /// The delivery number, counted from 1 on each connection; acknowledgments refer to it.
  public var delivery: UInt32
  /// The handle that TOKEN or SUBSCRIBED assigned to the app or channel.
  public var handle: UInt32
  /// The `apns-id` from the provider.
  public var id: NotificationID
  /// The ID that the gateway assigned when it accepted the notification; devices use it to recognize duplicates.
  public var uniqueID: NotificationID
  /// The time at which the gateway accepted the notification, in milliseconds since 1970.
  public var acceptedMilliseconds: UInt64
  /// The expiration time in seconds since 1970, ``expirationOnce``, or ``expirationNone``.
  public var expiration: UInt64
  /// True if the notification waited in the store before it was sent.
  public var isFromStorage: Bool
  /// True if the notification was sent through a channel, as BROADCAST instead of NOTIFICATION.
  public var isBroadcast: Bool
  /// The priority: 10, 5 or 1.
  public var priority: UInt8
  /// The code of the push type.
  ///
  /// An unknown code is forwarded unchanged.
  public var pushTypeCode: UInt8
  /// The collapse identifier, from 0 to 64 bytes.
  public var collapseID: [UInt8]
  /// The payload, byte for byte as the provider sent it, from 0 to 5,120 bytes.
  public var payload: [UInt8]

  /// The push type, if this version knows it.
  public var pushType: PushType? { PushType(rawValue: pushTypeCode) }

  /// Creates a notification from its parts.
  @inlinable public init(
    delivery: UInt32 = 0, handle: UInt32, id: NotificationID, uniqueID: NotificationID,
    acceptedMilliseconds: UInt64, expiration: UInt64, isFromStorage: Bool,
    isBroadcast: Bool = false, priority: UInt8, pushTypeCode: UInt8,
    collapseID: [UInt8], payload: [UInt8]
  ) {
    self.delivery = delivery
    self.handle = handle
    self.id = id
    self.uniqueID = uniqueID
    self.acceptedMilliseconds = acceptedMilliseconds
    self.expiration = expiration
    self.isFromStorage = isFromStorage
    self.isBroadcast = isBroadcast
    self.priority = priority
    self.pushTypeCode = pushTypeCode
    self.collapseID = collapseID
    self.payload = payload
  }

  /// True if the notification is within the protocol's limits, as ``encode(to:)`` requires.
  @inlinable public var isWithinLimits: Bool {
    collapseID.count <= LinkLimits.collapseIDBytesMax
      && payload.count <= LinkLimits.payloadBytesMax
  }

  /// Appends the frame to `output`, without allocating memory if the capacity is sufficient.
  ///
  /// Returns `false`, and appends nothing, if the notification exceeds the limits.
  @discardableResult
  public func encode(to output: inout [UInt8]) -> Bool {
    guard isWithinLimits else { return false }
    let writer = LinkFieldWriter(isBroadcast ? .broadcast : .notification, to: &output)
    writer.integer(delivery, to: &output)
    writer.integer(handle, to: &output)
    writer.identity(id, to: &output)
    writer.identity(uniqueID, to: &output)
    writer.integer(acceptedMilliseconds, to: &output)
    writer.integer(expiration, to: &output)
    writer.integer(UInt8(isFromStorage ? 1 : 0) | (id.isLowercase ? 2 : 0), to: &output)
    writer.integer(priority, to: &output)
    writer.integer(pushTypeCode, to: &output)
    writer.integer(UInt8(truncatingIfNeeded: collapseID.count), to: &output)
    output.append(contentsOf: collapseID)
    output.append(contentsOf: payload)
    writer.finish(&output)
    return true
  }

  init(_ reader: inout LinkFieldReader, isBroadcast: Bool) throws(LinkFault) {
    delivery = try reader.integer()
    handle = try reader.integer()
    let given = try reader.identity()
    uniqueID = try reader.identity()
    acceptedMilliseconds = try reader.integer()
    expiration = try reader.integer()
    let flags = try reader.integer(UInt8.self)
    isFromStorage = flags & 1 != 0
    id = NotificationID(high: given.high, low: given.low, isLowercase: flags & 2 != 0)
    priority = try reader.integer()
    pushTypeCode = try reader.integer()
    let collapseCount = Int(try reader.integer(UInt8.self))
    guard delivery > 0, priority == 10 || priority == 5 || priority == 1,
      collapseCount <= LinkLimits.collapseIDBytesMax
    else { throw reader.fault(.badValue) }
    collapseID = try reader.bytes(collapseCount)
    guard reader.remaining <= LinkLimits.payloadBytesMax else { throw reader.fault(.oversize) }
    payload = try reader.rest()
    self.isBroadcast = isBroadcast
  }
}
