public import BelfryWire

/// A message for every device that subscribed to a channel (apns-protocol section 5): one object for all of
/// them, on every loop.
public final class Broadcast: Sendable {
  /// The channel that it goes through.
  public let channel: ChannelID
  /// The number of the channel's app.
  public let app: UInt32
  /// `apns-request-id`.
  public let id: NotificationID
  /// `apns-unique-id`.
  public let uniqueID: NotificationID
  /// Seconds since 1970 until which it is stored; 0 when it is sent once.
  public let expiration: Int64
  /// 10, 5 or 1.
  public let priority: UInt8
  /// The payload, byte for byte.
  public let payload: [UInt8]
  /// When it was accepted, in milliseconds since 1970.
  public let acceptedMilliseconds: Int64
  /// Whether its channel stores it, as its newest message, for devices that are away.
  public let isKept: Bool

  /// A message from its parts.
  public init(
    channel: ChannelID, app: UInt32, id: NotificationID, uniqueID: NotificationID,
    expiration: Int64, priority: UInt8, payload: [UInt8], acceptedMilliseconds: Int64, isKept: Bool
  ) {
    self.channel = channel
    self.app = app
    self.id = id
    self.uniqueID = uniqueID
    self.expiration = expiration
    self.priority = priority
    self.payload = payload
    self.acceptedMilliseconds = acceptedMilliseconds
    self.isKept = isKept
  }
}
