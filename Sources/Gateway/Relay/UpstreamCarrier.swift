public import PushWire

/// A push that the gateway relays, with the fields that the sender's request contained.
public struct UpstreamPush: Sendable {
  /// The device token in hexadecimal.
  public var token: String
  /// The topic, with the suffix of the push type.
  public var topic: String
  /// The payload, unchanged, as bytes of JSON.
  public var payload: [UInt8]
  /// The value of `apns-push-type`; nil if the request did not contain the field.
  public var pushType: PushType?
  /// The value of `apns-priority`; nil if the request did not contain the field.
  public var priority: UInt8?
  /// The value of `apns-expiration`, in seconds since 1970; nil if the request did not contain the field.
  public var expiration: Int64?
  /// The value of `apns-collapse-id`; nil if the request did not contain the field.
  public var collapseID: String?
  /// The text of `apns-id`, as the sender wrote it, or an ID that the gateway generated.
  public var id: String

  /// Creates a push from its parts.
  public init(
    token: String, topic: String, payload: [UInt8], pushType: PushType? = nil,
    priority: UInt8? = nil, expiration: Int64? = nil, collapseID: String? = nil, id: String
  ) {
    self.token = token
    self.topic = topic
    self.payload = payload
    self.pushType = pushType
    self.priority = priority
    self.expiration = expiration
    self.collapseID = collapseID
    self.id = id
  }
}

/// The upstream's answer to a push.
public struct UpstreamAnswer: Sendable, Equatable {
  /// The HTTP status: 200, or that of a refusal.
  public var status: Int
  /// The reason of a refusal; empty if the answer does not contain one.
  public var reason: String  // text: only tests compare it
  /// The time in the body of a refusal, in milliseconds since 1970.
  public var timestampMilliseconds: Int64?
  /// The value of `apns-id`; empty if the answer does not contain the field.
  public var id: String  // text: only tests compare it
  /// The value of `apns-unique-id`.
  public var uniqueID: String?  // text: only tests compare it
  /// The number of seconds in `retry-after`.
  public var retryAfterSeconds: Int64?

  /// Creates an answer from its parts.
  public init(
    status: Int, reason: String = "", timestampMilliseconds: Int64? = nil, id: String,
    uniqueID: String? = nil, retryAfterSeconds: Int64? = nil
  ) {
    self.status = status
    self.reason = reason
    self.timestampMilliseconds = timestampMilliseconds
    self.id = id
    self.uniqueID = uniqueID
    self.retryAfterSeconds = retryAfterSeconds
  }
}

/// The result of an attempt to send a push to an upstream.
public enum UpstreamResult: Sendable, Equatable {
  /// The upstream processed the push and answered.
  case answered(UpstreamAnswer)
  /// The upstream did not process the push.
  case unreachable(reason: String)  // text: only tests compare it
  /// The push was sent, but no answer arrived, so the upstream might have accepted the push.
  case unknown(reason: String)  // text: only tests compare it
}

/// The state of the connection to an upstream.
public enum UpstreamState: Sendable, Equatable {
  /// No connection is open, and the next push opens one.
  case idle
  case connecting
  case connected
  /// The last attempt to connect failed.
  case failed(reason: String)  // text: only tests compare it
}

/// The address of an upstream, and the publisher's credentials for it.
public struct UpstreamAccess: Sendable, Hashable {
  /// The host name or address.
  public let host: String  // text: an operator chose it
  /// The TCP port, from 1 to 65535.
  public let port: UInt16
  /// The ID of the publisher's key.
  public let keyID: String  // text: an operator chose it
  /// The ID of the publisher's team.
  public let teamID: String  // text: an operator chose it
  /// The publisher's private key, as the text of a `.p8` file.
  public let privateKeyPEM: [UInt8]
  /// The certificate authority to trust, as PEM text; nil to trust the system's authorities.
  public let authorityPEM: [UInt8]?
}

/// The connections to an upstream with the credentials of one publisher.
///
/// A carrier never sends a push again that the upstream might have processed. All methods can be called on any thread,
/// and none of them blocks.
public protocol UpstreamCarrier: AnyObject, Sendable {
  /// The state of the connections.
  var state: UpstreamState { get }
  /// Sends a push, and calls `completion` exactly once, on any thread.
  func send(_ push: UpstreamPush, completion: @escaping @Sendable (UpstreamResult) -> Void)
  /// Opens a connection unless one is open or the pause after a failure has not ended.
  func connect()
  /// Closes the connections; pushes that are not answered yet get a result.
  func close()
}

/// A function that creates the carrier for an upstream.
public typealias UpstreamCarrierFactory =
  @Sendable (UpstreamAccess) throws -> any UpstreamCarrier
