import BelfryWire
import Storage

/// A provider's request about channels, every check of its own passed, on its way to the control plane.
struct ChannelRequest: Sendable {
  /// The connection and stream that the answer goes to, on the loop that asked.
  let connection: UInt64
  let stream: Int32
  let app: UInt32
  let call: ChannelAdmission.Call
  /// `apns-request-id`.
  let id: NotificationID
  /// `apns-unique-id` of a broadcast.
  let uniqueID: NotificationID
  /// A broadcast's payload.
  let payload: [UInt8]
}

/// An answer of the channel service.
enum ChannelAnswer: Sendable {
  case refused(Rejection)
  case made(ChannelID)
  case configuration(ChannelConfiguration)
  case removed
  /// JSON; shared by all answers until the app's channels change.
  case list([UInt8])
  case accepted(Broadcast)
}

/// A change that the channel service sends to every loop.
enum ChannelUpdate: Sendable {
  case made(ChannelID, app: UInt32)
  case removed(ChannelID)
  /// One message per loop, however many of its devices subscribed.
  case broadcast(Broadcast)
}

/// The channels and subscriptions of one loop, as stored when the gateway starts.
struct ChannelSnapshot: Sendable {
  var channels: [(id: ChannelID, app: UInt32)] = []
  var newest: [Broadcast] = []
  var subscriptions: [(device: UInt64, channel: ChannelID, received: NotificationID?)] = []
}

extension Broadcast {
  /// Creates a channel's newest message from its record; `nil` when the channel's id is invalid.
  convenience init?(_ record: BroadcastRecord, app: UInt32) {
    guard let channel = ChannelID(record.channel) else { return nil }
    self.init(
      channel: channel, app: app, id: record.requestID, uniqueID: record.uniqueID,
      expiration: record.expiration, priority: record.priority, payload: record.payload,
      acceptedMilliseconds: record.acceptedMilliseconds, isKept: true)
  }

  /// The control store's record of it.
  var record: BroadcastRecord {
    BroadcastRecord(
      channel: channel.bytes, requestID: id, uniqueID: uniqueID, expiration: expiration,
      priority: priority, payload: payload, acceptedMilliseconds: acceptedMilliseconds)
  }
}
