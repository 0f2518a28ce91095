import BelfryWire
package import PushWire
import Transport
import WebPush

/// A registration of an app with the distributor: a Web Push subscription at the gateway, whose endpoint the app gets.
struct PushSubscription: Hashable, Sendable {
  /// The purpose of a subscription.
  enum Owner: Hashable, Sendable {
    case app
    /// `belfry unifiedpush test`, which removes the subscription at once.
    case test
  }

  /// The number that identifies the subscription on this device.
  let number: UInt32
  /// The hash of the VAPID key; empty if any sender can send.
  let keyHash: [UInt8]
  let owner: Owner
  var request: UnifiedPushRequest.Registration
  /// The version of the interface with which the app last registered.
  var version: UnifiedPushVersion
  /// The ID of the bus on which the app's unique name is valid; empty if the app has a well-known name.
  var bus = UTF8Text("")
  /// The URL to which application servers send; nil until the gateway has issued it.
  var endpoint: UTF8Text?
  /// True once the distributor has answered the app that it is registered.
  var isConfirmed = false
  /// True once the app has received the current endpoint.
  var isAnnounced = false

  init(
    number: UInt32, owner: Owner = .app, _ request: UnifiedPushRequest.Registration,
    _ version: UnifiedPushVersion
  ) {
    self.number = number
    self.owner = owner
    self.request = request
    self.version = version
    keyHash = VAPIDPublicKey(canonical: Array(request.vapid.utf8).span)?.digest.bytes ?? []
  }

  var token: UTF8Text { request.token }
  var service: UTF8Text { request.service }

  /// The subject of the subscription on the link to the gateway.
  var subject: WebPushSubject {
    guard let subject = WebPushSubject(number: number, keyHash: keyHash) else {
      preconditionFailure("a subscription has a valid number and hash")
    }
    return subject
  }
}

/// The state of a subscription's number, as it is stored under the number.
enum PushNumberRecord: Hashable, Sendable {
  case subscription(PushSubscription)
  /// The gateway has not confirmed yet that the subscription ended.
  case ended(WebPushSubject)
  /// The number of a subscription that ended, which the next subscription gets.
  case free(UInt32)

  var number: UInt32 {
    switch self {
    case .subscription(let subscription): subscription.number
    case .ended(let subject): subject.number
    case .free(let number): number
    }
  }

  /// Returns the key of a number's record.
  static func key(_ number: UInt32) -> String { String(number) }

  /// The change that stores the record.
  var change: RecordChange { .put(.subscriptions, key: Self.key(number), json.bytes) }

  private var json: JSONObject {
    switch self {
    case .free: return ["state": "free"]
    case .ended(let subject):
      return [
        "state": "ended", "keyHash": .string(Base64.encode(subject.keyHash, url: true)),
      ]
    case .subscription(let one):
      var object: JSONObject = [
        "state": one.owner == .test ? "test" : "active", "service": .string(one.service.string),
        "token": .string(one.token.string),
        "description": .string(one.request.description.string),
        "vapid": .string(one.request.vapid.string), "version": .integer(one.version.rawValue),
        "confirmed": .bool(one.isConfirmed), "announced": .bool(one.isAnnounced),
        "bus": .string(one.bus.string),
      ]
      if let endpoint = one.endpoint { object["endpoint"] = .string(endpoint.string) }
      return object
    }
  }

  /// Reads a record; nil if it is damaged.
  init?(key: String, record: [UInt8]) {
    guard let number = UInt32(key), number <= WebPushSubject.numberMax,
      let object = (try? JSONValue(parsing: record))?.objectValue
    else { return nil }
    switch object["state"]?.stringValue {  // text: the agent wrote the record
    case "free": self = .free(number)
    case "ended":
      guard let text = object["keyHash"]?.stringValue,
        let keyHash = Base64.decode(Array(text.utf8).span),
        let subject = WebPushSubject(number: number, keyHash: keyHash)
      else { return nil }
      self = .ended(subject)
    case "active", "test":
      guard let service = object["service"]?.stringValue, let token = object["token"]?.stringValue,
        let version = object["version"]?.integerValue.flatMap(UnifiedPushVersion.init(rawValue:))
      else { return nil }
      var request = UnifiedPushRequest.Registration(
        service: UTF8Text(service), token: UTF8Text(token))
      request.description = UTF8Text(object["description"]?.stringValue ?? "")
      request.vapid = UTF8Text(object["vapid"]?.stringValue ?? "")
      guard
        request.vapid.isEmpty || VAPIDPublicKey(canonical: Array(request.vapid.utf8).span) != nil
      else { return nil }
      var one = PushSubscription(
        number: number, owner: object["state"] == "test" ? .test : .app, request, version)
      one.endpoint = object["endpoint"]?.stringValue.map { UTF8Text($0) }
      one.isConfirmed = object["confirmed"]?.boolValue == true
      one.isAnnounced = object["announced"]?.boolValue == true
      one.bus = UTF8Text(object["bus"]?.stringValue ?? "")
      self = .subscription(one)
    default: return nil
    }
  }
}

/// A Web Push message for an app, which is kept until the app has it.
package struct ReceivedWebPush: Hashable, Sendable {
  package let subject: WebPushSubject
  /// The ID that the gateway assigned; the app gets its text in lowercase.
  package let id: NotificationID
  /// The body that the application server sent, which only the app can decrypt.
  package let payload: [UInt8]
  /// The expiration time in seconds since 1970, or one of the special values of `LinkNotification`.
  package let expiration: UInt64

  /// Creates a message as the gateway sent it.
  package init(
    subject: WebPushSubject, id: NotificationID, payload: [UInt8],
    expiration: UInt64 = LinkNotification.expirationNone
  ) {
    self.subject = subject
    self.id = id
    self.payload = payload
    self.expiration = expiration
  }

  /// True if the message is delivered now or never (TTL 0).
  var isForNow: Bool { expiration == LinkNotification.expirationOnce }

  /// Returns true if the message must not be delivered anymore.
  func isExpired(atUnixMilliseconds now: Int64) -> Bool {
    guard !isForNow, expiration != LinkNotification.expirationNone else { return false }
    return Int64(clamping: expiration) <= now / 1_000
  }
}

/// A message that waits for its app.
struct StoredWebPush: Hashable, Sendable {
  /// The token of the registration to which the message belongs.
  let token: UTF8Text
  let message: ReceivedWebPush

  /// Returns the key of the message with this number among all messages.
  static func key(_ number: UInt64) -> String { String(number) }

  var record: [UInt8] {
    let object: JSONObject = [
      "token": .string(token.string), "id": .string(message.id.text),
      "subscription": .integer(Int64(message.subject.number)),
      "keyHash": .string(Base64.encode(message.subject.keyHash, url: true)),
      "expiration": .string(String(message.expiration)),
      "payload": .string(Base64.encode(message.payload, url: true)),
    ]
    return object.bytes
  }

  /// Reads a record; nil if it is damaged.
  init?(record: [UInt8]) {
    guard let object = (try? JSONValue(parsing: record))?.objectValue,
      let token = object["token"]?.stringValue,
      let id = object["id"]?.stringValue.flatMap({ NotificationID(Array($0.utf8).span) }),
      let number = object["subscription"]?.integerValue.flatMap(UInt32.init(exactly:)),
      let keyHash = object["keyHash"]?.stringValue.flatMap({ Base64.decode(Array($0.utf8).span) }),
      let subject = WebPushSubject(number: number, keyHash: keyHash),
      let expiration = object["expiration"]?.stringValue.flatMap(UInt64.init),
      let payload = object["payload"]?.stringValue.flatMap({ Base64.decode(Array($0.utf8).span) })
    else { return nil }
    self.init(
      token: UTF8Text(token),
      message: ReceivedWebPush(subject: subject, id: id, payload: payload, expiration: expiration))
  }

  init(token: UTF8Text, message: ReceivedWebPush) {
    self.token = token
    self.message = message
  }
}
