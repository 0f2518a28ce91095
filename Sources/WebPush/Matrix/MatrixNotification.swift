internal import BelfryWire
internal import Transport

/// A notification that a Matrix homeserver sends to a push gateway, `POST /_matrix/push/v1/notify`.
///
/// The homeserver names each device by its *pushkey*, which for an app that uses UnifiedPush is the URL of the app's
/// endpoint. The message is not encrypted.
public struct MatrixNotification: Sendable {
  /// The answer to `GET`, which shows apps that the service of their endpoint is also a push gateway for Matrix.
  public static let discovery: StaticString = #"{"unifiedpush":{"gateway":"matrix"}}"#

  /// The pushkeys in UTF-8, in the order of the devices, without repetitions.
  public let pushkeys: [[UInt8]]
  /// The body to deliver: the request's JSON object without the list of devices, at most
  /// ``WebPushLimits/bodyBytesMax`` bytes.
  public let body: [UInt8]
  /// The urgency, which depends on the member `prio`.
  public let urgency: WebPushUrgency
  /// The identifier of the notification's event, or no bytes if the notification is not about an event.
  ///
  /// A homeserver repeats a request after a temporary failure. The repeated message then replaces an undelivered message
  /// with the same identifier. The identifier is longer than every `Topic`.
  public let collapseID: [UInt8]

  /// Reads the body of a request; `bodyBytes` is the length of the body, of which `bytes` may be only the beginning.
  ///
  /// Throws the refusal.
  public init(_ bytes: [UInt8], bodyBytes: Int) throws(MatrixRefusal) {
    assert(bytes.count <= bodyBytes, "the retained part is not longer than the body")
    let bytesMax = WebPushLimits.matrixRequestBytesMax
    guard bodyBytes <= bytesMax, bytes.count == bodyBytes else {
      throw MatrixRefusal(
        .tooLarge, "the body has \(bodyBytes) bytes; at most \(bytesMax) are allowed")
    }
    var request = try Self.object(bytes)
    guard let member = request["notification"] else {
      throw MatrixRefusal(.missingParameter, "the body does not have the member notification")
    }
    guard var notification = member.objectValue else {
      throw MatrixRefusal(.badJSON, "notification is not an object")
    }
    pushkeys = try Self.pushkeys(notification["devices"])
    notification["devices"] = nil
    urgency = notification["prio"] == "low" ? .normal : .high
    collapseID = Self.collapseID(notification["event_id"])
    request["notification"] = .object(notification)
    body = try Self.body(request, notification)
    assert(body.count <= WebPushLimits.bodyBytesMax, "the body fits into a message")
    assert(pushkeys.count <= WebPushLimits.matrixDevicesMax, "each device has at most one pushkey")
  }

  /// Returns the JSON body of the answer to a request that was not refused.
  ///
  /// The homeserver stops sending to the rejected pushkeys.
  public static func answer(rejecting pushkeys: [[UInt8]]) -> [UInt8] {
    let rejected = pushkeys.map { pushkey in
      JSONValue.string(String(decoding: pushkey, as: UTF8.self))
    }
    return JSONObject([("rejected", .array(rejected))]).bytes
  }

  private static func object(_ bytes: [UInt8]) throws(MatrixRefusal) -> JSONObject {
    let value: JSONValue
    do {
      value = try JSONValue(parsing: bytes)
    } catch {
      throw MatrixRefusal(.badJSON, "\(error)")
    }
    guard let object = value.objectValue else {
      throw MatrixRefusal(.badJSON, "the body is not a JSON object")
    }
    return object
  }

  private static func pushkeys(_ member: JSONValue?) throws(MatrixRefusal) -> [[UInt8]] {
    guard let member else {
      throw MatrixRefusal(.missingParameter, "notification does not have the member devices")
    }
    guard let devices = member.arrayValue else {
      throw MatrixRefusal(.badJSON, "devices is not an array")
    }
    let most = WebPushLimits.matrixDevicesMax
    guard devices.count <= most else {
      throw MatrixRefusal(
        .tooLarge, "the notification has \(devices.count) devices; at most \(most) are allowed")
    }
    var pushkeys: [[UInt8]] = []
    var known: Set<[UInt8]> = []
    for (position, device) in devices.enumerated() {
      guard let device = device.objectValue else {
        throw MatrixRefusal(.badJSON, "device \(position) is not an object")
      }
      guard let member = device["pushkey"] else {
        throw MatrixRefusal(.missingParameter, "device \(position) does not have a pushkey")
      }
      guard let text = member.stringValue else {
        throw MatrixRefusal(.badJSON, "the pushkey of device \(position) is not a string")
      }
      let pushkey = Array(text.utf8)
      if known.insert(pushkey).inserted { pushkeys.append(pushkey) }
    }
    return pushkeys
  }

  /// Returns the hash of the event's ID, which can have more bytes than the identifier of a message allows.
  private static func collapseID(_ member: JSONValue?) -> [UInt8] {
    guard let text = member?.stringValue, !text.isEmpty else { return [] }
    let digest = SHA256.hash(Array(text.utf8))
    return Array(Base64.encode(digest.bytes, url: true).utf8)
  }

  /// The members that a homeserver sends if it is configured to send only the ID of an event.
  private static let identifyingMembers = ["event_id", "room_id", "counts", "prio"]

  /// Returns the body of the message.
  ///
  /// An event can be longer than a message. In this case, the message does not have the content of the event, which the
  /// app then gets from its homeserver: an error would delay the user's next messages for as long as the homeserver
  /// repeats the request.
  private static func body(
    _ request: JSONObject, _ notification: JSONObject
  ) throws(MatrixRefusal) -> [UInt8] {
    let whole = request.bytes
    if whole.count <= WebPushLimits.bodyBytesMax { return whole }
    var shortened = notification
    shortened["content"] = nil
    let withoutContent = JSONObject([("notification", .object(shortened))]).bytes
    if withoutContent.count <= WebPushLimits.bodyBytesMax { return withoutContent }
    let members = identifyingMembers.compactMap { key in
      notification[key].map { value in (key, value) }
    }
    let shortest = JSONObject([("notification", .object(JSONObject(members)))]).bytes
    guard shortest.count <= WebPushLimits.bodyBytesMax else {
      throw MatrixRefusal(
        .tooLarge,
        "the notification has \(shortest.count) bytes without its content; "
          + "at most \(WebPushLimits.bodyBytesMax) are allowed")
    }
    return shortest
  }
}
