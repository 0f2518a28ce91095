internal import BelfryWire

/// An update of a Live Activity for all devices that are subscribed to a channel (apns-protocol section 5).
public struct BroadcastPush: Sendable, Equatable {
  /// The app's bundle identifier, without a suffix.
  public let app: String
  /// The channel's identifier, as ``ProviderClient/createChannel(of:storage:)`` returned it.
  public let channel: String
  /// The payload, byte for byte as it will be sent.
  public let payload: [UInt8]
  /// The time until which the channel stores the broadcast for disconnected devices; a channel without storage allows
  /// only `once`.
  public let expiration: Push.Expiration
  /// The value of the `apns-priority` header: 10, or 5 to save power on the devices.
  public let priority: Push.Priority

  /// Creates a broadcast from typed content and validates it before it is sent.
  ///
  /// Throws an error for a broadcast that the service would refuse. The content must be an update or an end, because a
  /// broadcast cannot start an activity.
  public init(
    _ content: LiveActivityContent, to channel: String, of app: String,
    expiration: Push.Expiration = .once, priority: Push.Priority = .immediate
  ) throws(PushFault) {
    if case .start = content.event {
      throw .badValue(member: "event", wanted: "an update or an end")
    }
    guard priority != .low else { throw .badPriority(priority, type: "broadcast") }
    guard expiration != .servicePolicy else {
      throw .badValue(member: "expiration", wanted: "once or a date")
    }
    guard Push.isApp(app) else { throw .badApp(app) }
    guard ChannelOrder.isChannelID(channel) else {
      throw .badValue(member: "channel", wanted: "a channel's identifier in base64")
    }
    // The limit for broadcasts is higher than for pushes of the same type (apns-protocol 5.3).
    payload = try PushContent.liveActivity(content)
      .payload(bytesMax: WireLimits.largePayloadBytesMax)
    self.app = app
    self.channel = channel
    self.expiration = expiration
    self.priority = priority
  }

  var path: String { "/4/broadcasts/apps/\(app)" }

  var fields: [(name: String, value: String)] {
    assert(expiration.headerValue != nil, "a broadcast has an expiration")
    return [
      ("apns-channel-id", channel), ("apns-push-type", "liveactivity"),
      ("apns-expiration", expiration.headerValue ?? "0"), ("apns-priority", "\(priority.rawValue)"),
      ("apns-request-id", ProviderClient.newID()),
    ]
  }
}
