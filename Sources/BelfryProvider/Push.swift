public import PushWire

/// A notification for a device, as its sender specifies it.
public struct Push: Sendable {
  /// The time at which the service can discard the notification.
  public enum Expiration: Sendable, Equatable {
    /// The header is omitted, and the service's own policy applies: up to 30 days (apns-protocol section 4).
    case servicePolicy
    /// The service makes a single attempt and does not store the push.
    case once
    /// The service stores the push until this time, in seconds since 1970.
    case until(unixSeconds: Int64)

    /// The value of `apns-expiration`; `nil` if the header is omitted.
    var headerValue: String? {
      switch self {
      case .servicePolicy: nil
      case .once: "0"
      case .until(let unixSeconds): String(unixSeconds)
      }
    }
  }

  /// The device token, as hexadecimal text exactly as the app sent it.
  public var deviceToken: String
  /// The `apns-topic` header; `nil` omits it, which is allowed for a certificate with a single topic.
  public var topic: String?
  /// The payload, byte for byte as it will be sent.
  public var payload: [UInt8]
  /// The `apns-push-type` header; `nil` omits it, so that the service infers the type.
  public var type: PushType?
  /// The `apns-priority` header: 10, 5, or 1; `nil` omits it.
  public var priority: UInt8?
  /// The time until which the service stores the push for a device that is offline (`apns-expiration`).
  public var expiration: Expiration
  /// The value of `apns-collapse-id`, at most 64 bytes.
  public var collapseID: String?
  /// The `apns-id` header, in canonical lowercase text.
  ///
  /// If the push has no ID, the client generates one. The service and the device can then recognize a push that must be
  /// sent twice as the same notification.
  public var id: String?

  /// Creates a push with the service's defaults: an alert, delivered immediately, stored under the service's policy.
  public init(
    to deviceToken: String, topic: String?, payload: [UInt8], type: PushType? = .alert,
    priority: UInt8? = nil, expiration: Expiration = .servicePolicy, collapseID: String? = nil,
    id: String? = nil
  ) {
    self.deviceToken = deviceToken
    self.topic = topic
    self.payload = payload
    self.type = type
    self.priority = priority
    self.expiration = expiration
    self.collapseID = collapseID
    self.id = id
  }

  /// Returns the request's header fields (apns-protocol 1.3, 1.4), pseudo-header fields first.
  func fields(authority: String, authorization: String?) -> [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = [
      (":method", "POST"), (":scheme", "https"), (":authority", authority),
      (":path", "/3/device/" + deviceToken),
    ]
    if let authorization { fields.append(("authorization", authorization)) }
    if let topic { fields.append(("apns-topic", topic)) }
    if let type { fields.append(("apns-push-type", "\(type.name)")) }
    if let id { fields.append(("apns-id", id)) }
    if let expiration = expiration.headerValue { fields.append(("apns-expiration", expiration)) }
    if let priority { fields.append(("apns-priority", String(priority))) }
    if let collapseID { fields.append(("apns-collapse-id", collapseID)) }
    return fields
  }

  /// The reason that the push cannot be written as a request; nil if it can.
  ///
  /// The service checks all other values.
  var fault: String? {
    guard !deviceToken.isEmpty else { return "the device token is empty" }
    guard deviceToken.utf8.allSatisfy(Self.isPathByte) else {
      return "the device token is not hexadecimal text"
    }
    for value in [topic, collapseID, id] {
      if let value, !value.utf8.allSatisfy(Self.isFieldByte) {
        return "a header value contains a control character"
      }
    }
    return nil
  }

  private static func isPathByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
    default: false
    }
  }

  private static func isFieldByte(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F }
}
