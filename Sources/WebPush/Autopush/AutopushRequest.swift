internal import BelfryWire

/// A message of a client in autopush's protocol: one JSON object.
enum AutopushRequest: Equatable {
  /// The first message, with the identifier that the client received earlier.
  case hello(AutopushUserAgentID?, broadcasts: [UTF8Text])
  /// The client subscribes; the key is the only one that can send to the subscription.
  case register(AutopushChannel, RegistrationKey)
  case unregister(AutopushChannel)
  /// The client has processed messages.
  case acknowledgment([Update])
  /// The client's page could not handle a message that the client had acknowledged.
  case failure
  /// The client wants to know the version of documents that Mozilla's service announces to all browsers.
  case broadcastSubscribe([UTF8Text])
  case ping

  /// The sender to which a client restricts a subscription.
  enum RegistrationKey: Equatable {
    case anySender
    case only(VAPIDPublicKey)
    case invalid
  }

  /// The outcome of one message.
  struct Update: Equatable {
    /// The identifier of the message: 16 bytes.
    let version: [UInt8]
    let outcome: AutopushOutcome
  }

  /// Parses a text message.
  ///
  /// Throws the violation, which ends the connection. Unknown members are ignored.
  init(_ text: [UInt8]) throws(WebSocketFault) {
    let object = try Self.object(text)
    guard let type = object["messageType"] else {
      // Firefox writes a ping as an empty object.
      guard object.isEmpty else { throw Self.fault("a message does not have a messageType") }
      self = .ping
      return
    }
    if type == "hello" {
      self = try Self.hello(object)
    } else if type == "register" {
      self = .register(try Self.channel(object), Self.key(object["key"]))
    } else if type == "unregister" {
      self = .unregister(try Self.channel(object))
    } else if type == "ack" {
      self = .acknowledgment(try Self.updates(object))
    } else if type == "nack" {
      self = .failure
    } else if type == "broadcast_subscribe" {
      self = .broadcastSubscribe(try Self.broadcasts(object))
    } else if type == "ping" {
      self = .ping
    } else {
      throw Self.fault("a message has an unknown messageType")
    }
  }

  private static func fault(_ text: String) -> WebSocketFault {
    WebSocketFault(.protocolError, text)
  }

  private static func object(_ text: [UInt8]) throws(WebSocketFault) -> JSONObject {
    let limits = JSONLimits(bytes: AutopushLimits.messageBytesMax, depth: AutopushLimits.depthMax)
    guard let value = try? JSONValue(parsing: text, limits: limits),
      let object = value.objectValue
    else { throw fault("a message is not a JSON object") }
    return object
  }

  private static func hello(_ object: JSONObject) throws(WebSocketFault) -> AutopushRequest {
    // The protocol before Web Push, which Mozilla's service no longer supports.
    guard object["use_webpush"]?.boolValue != false else {
      throw fault("hello must have \"use_webpush\":true")
    }
    let uaid = object["uaid"]?.stringValue.flatMap { text in
      AutopushUserAgentID(Array(text.utf8).span)
    }
    return .hello(uaid, broadcasts: try broadcasts(object))
  }

  private static func channel(_ object: JSONObject) throws(WebSocketFault) -> AutopushChannel {
    guard let text = object["channelID"]?.stringValue,
      let channel = AutopushChannel(Array(text.utf8).span)
    else {
      throw fault("channelID is not a UUID in lowercase with hyphens")
    }
    return channel
  }

  private static func key(_ member: JSONValue?) -> RegistrationKey {
    guard let member, member != .null else { return .anySender }
    guard let text = member.stringValue, let key = VAPIDPublicKey(Array(text.utf8).span) else {
      return .invalid
    }
    return .only(key)
  }

  /// Returns the updates of an acknowledgment, except those whose version no message of this service has.
  private static func updates(_ object: JSONObject) throws(WebSocketFault) -> [Update] {
    guard let updates = object["updates"]?.arrayValue else {
      throw fault("updates is not an array")
    }
    return updates.compactMap { update -> Update? in
      guard let update = update.objectValue, let text = update["version"]?.stringValue,
        let version = AutopushNotification.version(Array(text.utf8).span)
      else { return nil }
      return Update(version: version, outcome: AutopushOutcome(code: update["code"]?.integerValue))
    }
  }

  private static func broadcasts(_ object: JSONObject) throws(WebSocketFault) -> [UTF8Text] {
    guard let broadcasts = object["broadcasts"]?.objectValue else { return [] }
    guard broadcasts.count <= AutopushLimits.broadcastsMax else {
      throw fault(
        "a message has \(broadcasts.count) broadcasts; at most \(AutopushLimits.broadcastsMax) are allowed"
      )
    }
    return broadcasts.keys.map { key in UTF8Text(key) }
  }
}

/// The outcome of a message at a client: `code` in an acknowledgment.
public enum AutopushOutcome: Equatable, Sendable {
  /// Code 100, and every unknown code: the client has the message.
  case delivered
  /// Code 101: the client could not decrypt the message, and discarded it.
  case undecipherable
  /// Code 102: the client has no such subscription, or had received the message before.
  case notDelivered

  init(code: Int64?) {
    switch code {
    case 101: self = .undecipherable
    case 102: self = .notDelivered
    default: self = .delivered
    }
  }
}
