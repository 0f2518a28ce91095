internal import PushWire

/// A request to manage an app's channels (apns-protocol 5.1).
struct ChannelOrder: Sendable {
  let method: String
  let path: String
  let fields: [(name: String, value: String)]
  let body: [UInt8]

  private init(_ method: String, _ path: String, channel: String? = nil, body: [UInt8] = []) {
    assert(body.isEmpty || method == "POST", "only a request that creates a channel has a body")
    assert(channel == nil || method != "POST", "a request that creates a channel does not name one")
    self.method = method
    self.path = path
    self.body = body
    fields =
      [("apns-request-id", ProviderClient.newID())]
      + (channel.map { [("apns-channel-id", $0)] } ?? [])
  }

  static func create(_ configuration: ChannelConfiguration, of app: String) -> Self {
    Self("POST", "/1/apps/\(app)/channels", body: Array(configuration.json.utf8))
  }

  static func read(_ channel: String, of app: String) -> Self {
    Self("GET", "/1/apps/\(app)/channels", channel: channel)
  }

  static func delete(_ channel: String, of app: String) -> Self {
    Self("DELETE", "/1/apps/\(app)/channels", channel: channel)
  }

  static func list(of app: String) -> Self { Self("GET", "/1/apps/\(app)/all-channels") }

  /// Returns true if a string can be a channel's identifier.
  ///
  /// Only the service knows which channels exist.
  static func isChannelID(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= Limits.channelIDBytesMax
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2F, 0x3D, 0x5F: true
        default: false
        }
      }
  }
}
