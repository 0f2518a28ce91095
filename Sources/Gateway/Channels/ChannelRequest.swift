import PushWire
import Storage

/// A provider's request about channels, on its way to the channel service after it has passed all of the loop's checks.
struct ChannelRequest: Sendable {
  /// The connection and stream to answer, on the requesting loop.
  let connection: UInt64
  let stream: Int32
  let app: UInt32
  let call: ChannelAdmission.Call
  /// The request's `apns-request-id`.
  let id: NotificationID
  /// The `apns-unique-id` of a broadcast.
  let uniqueID: NotificationID
  /// A broadcast's payload.
  let payload: [UInt8]
}

/// The channel service's answer to a request.
enum ChannelAnswer: Sendable {
  case refused(Rejection)
  case made(ChannelID)
  case configuration(ChannelConfiguration)
  case removed
  /// The JSON list, shared by all answers until the app's channels change.
  case list([UInt8])
  case accepted(Broadcast)
}

/// A change that the channel service sends to every loop.
enum ChannelUpdate: Sendable {
  case made(ChannelID, app: UInt32)
  case removed(ChannelID)
  /// A broadcast, posted once to each loop regardless of the number of subscribed devices.
  case broadcast(Broadcast)
}

/// The channels and subscriptions of one loop, as stored when the gateway started.
struct ChannelSnapshot: Sendable {
  var channels: [(id: ChannelID, app: UInt32)] = []
  var newest: [Broadcast] = []
  var subscriptions: [(device: UInt64, channel: ChannelID, received: NotificationID?)] = []
}

extension Broadcast {
  /// Creates a channel's newest message from its record; `nil` if the channel's ID is invalid.
  convenience init?(_ record: BroadcastRecord, app: UInt32) {
    guard let channel = ChannelID(record.channel) else { return nil }
    self.init(
      channel: channel, app: app, id: record.requestID, uniqueID: record.uniqueID,
      expiration: record.expiration, priority: record.priority, payload: record.payload,
      acceptedMilliseconds: record.acceptedMilliseconds, isKept: true)
  }

  /// The message as a record of the control store.
  var record: BroadcastRecord {
    BroadcastRecord(
      channel: channel.bytes, requestID: id, uniqueID: uniqueID, expiration: expiration,
      priority: priority, payload: payload, acceptedMilliseconds: acceptedMilliseconds)
  }
}
