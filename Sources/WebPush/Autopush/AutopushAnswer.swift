internal import BelfryWire

/// The messages with which the service answers a client in autopush's protocol.
enum AutopushAnswer {
  /// The answer to a ping: an empty object.
  static let ping = Array("{}".utf8)

  /// Returns the answer to `hello`.
  ///
  /// Firefox closes the connection if there is no `uaid`, and creates subscriptions without keys if there is no
  /// `use_webpush`.
  static func hello(_ uaid: AutopushUserAgentID, broadcasts: [UTF8Text]) -> [UInt8] {
    JSONObject([
      ("messageType", "hello"), ("uaid", .string(uaid.text)), ("status", 200),
      ("use_webpush", true), ("broadcasts", .object(versions(of: broadcasts))),
    ]).bytes
  }

  static func registered(_ channel: AutopushChannel, endpoint: String) -> [UInt8] {
    JSONObject([
      ("messageType", "register"), ("channelID", .string(channel.text)), ("status", 200),
      ("pushEndpoint", .string(endpoint)),
    ]).bytes
  }

  static func unregistered(_ channel: AutopushChannel) -> [UInt8] {
    JSONObject([
      ("messageType", "unregister"), ("channelID", .string(channel.text)), ("status", 200),
    ]).bytes
  }

  /// Returns the answer to a refused request, whose description is ASCII.
  static func refused(_ refusal: AutopushRefusal) -> [UInt8] {
    JSONObject([
      ("messageType", refusal.isRegistration ? "register" : "unregister"),
      ("channelID", .string(refusal.channel.text)), ("status", .integer(Int64(refusal.status))),
      ("error", .string(refusal.message)),
    ]).bytes
  }

  /// Returns the answer to a request for broadcasts, which this service does not have.
  static func broadcast(_ broadcasts: [UTF8Text]) -> [UInt8] {
    JSONObject([
      ("messageType", "broadcast"), ("broadcasts", .object(versions(of: broadcasts))),
    ]).bytes
  }

  private static func versions(of broadcasts: [UTF8Text]) -> JSONObject {
    guard !broadcasts.isEmpty else { return JSONObject() }
    let errors = broadcasts.map { name -> (String, JSONValue) in
      (name.description, "Broadcast not found")
    }
    return JSONObject([("errors", .object(JSONObject(errors)))])
  }
}

/// A refused request about a subscription.
struct AutopushRefusal: Equatable {
  let isRegistration: Bool
  let channel: AutopushChannel
  let status: Int
  let message: String  // text: this module wrote it
}
