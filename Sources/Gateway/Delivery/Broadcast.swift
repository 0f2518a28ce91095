public import BelfryWire

/// A message for every device that subscribed to a channel (apns-protocol section 5).
///
/// All devices on all loops share one object.
public final class Broadcast: Sendable {
  /// The channel that the message is sent to.
  public let channel: ChannelID
  /// The number of the channel's app.
  public let app: UInt32
  /// The broadcast's `apns-request-id`, which its provider chose or the gateway generated.
  public let id: NotificationID
  /// The broadcast's `apns-unique-id`, which the gateway generated.
  public let uniqueID: NotificationID
  /// The time until which the message is stored, in seconds since 1970; 0 if it is sent only once.
  public let expiration: Int64
  /// The priority: 10, 5, or 1.
  public let priority: UInt8
  /// The payload, byte for byte.
  public let payload: [UInt8]
  /// The time of acceptance, in milliseconds since 1970.
  public let acceptedMilliseconds: Int64
  /// True if the channel stores the message, as its newest one, for devices that are offline.
  public let isKept: Bool

  /// Creates a message from its parts.
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
