internal import BelfryWire

/// A request to the HTTP/2 provider API, assembled as its fields arrive (apns-protocol 1.3, 1.4).
///
/// The value records the content of each field; admission decides which error is reported first. A value is reused for
/// many requests. ``reset()`` keeps the capacity of the buffers, so a request of the usual size allocates no memory.
public struct PushRequest: Sendable {
  /// The value of `:method`.
  public enum Method: UInt8, Sendable { case missing, get, post, put, delete, options, other }

  /// The kind of path in `:path`.
  public enum Path: UInt8, Sendable {
    /// A path that is not part of the API.
    case other
    /// `/3/device/` followed by a token, which is stored in ``PushRequest/token``.
    case device
    /// `/3/device/` or `/3/device`: the token is missing.
    case deviceWithoutToken
    /// `/4/broadcasts/apps/BUNDLE-ID`; the bundle identifier is in ``PushRequest/bundleID``.
    case broadcast
    /// `/1/apps/BUNDLE-ID/channels`, which creates, reads, or removes one channel.
    case channels
    /// `/1/apps/BUNDLE-ID/all-channels`, which lists an app's channels.
    case allChannels
    /// `/push/` followed by the ID of a Web Push endpoint; the ID's text is in ``PushRequest/webPushID``.
    case webPush
    /// `/message/` followed by the ID of a Web Push message; the ID's text is in ``PushRequest/webPushID``.
    case webPushMessage
    /// `/_matrix/push/v1/notify`, the path of the Matrix push gateway.
    case matrixNotify
  }

  /// The state of a field whose value must follow a specific syntax.
  public enum Field<Value: Sendable>: Sendable {
    case absent
    case invalid
    case value(Value)
  }

  /// The method of the request.
  public private(set) var method = Method.missing
  /// The kind of the request's path.
  public private(set) var path = Path.other
  /// The decoded token from the path.
  ///
  /// The token is empty if the path's text is not the hexadecimal form of 1 to 100 bytes.
  public private(set) var token: [UInt8] = []
  /// The text of the ID of a Web Push endpoint or message; empty if it is too long to be one.
  public private(set) var webPushID: [UInt8] = []
  /// The bundle identifier from the path of a broadcast or channel request.
  public private(set) var bundleID: [UInt8] = []
  /// The value of `apns-id`.
  public private(set) var id = Field<NotificationID>.absent
  /// The exact text of `apns-id`, which the response echoes.
  public private(set) var idText: [UInt8] = []
  /// The value of `apns-request-id`, which broadcast and channel requests use.
  public private(set) var requestID = Field<NotificationID>.absent
  /// The exact text of `apns-request-id`.
  public private(set) var requestIDText: [UInt8] = []
  /// The value of `apns-expiration`, in seconds since 1970.
  public private(set) var expiration = Field<Int64>.absent
  /// The value of `apns-priority`: 10, 5 or 1.
  public private(set) var priority = Field<UInt8>.absent
  /// The value of `apns-push-type`.
  public private(set) var pushType = Field<PushType>.absent
  /// The state of `apns-collapse-id`, which is valid if the identifier is not too long.
  ///
  /// The bytes are in ``collapseID``.
  public private(set) var collapse = Field<Void>.absent
  /// The bytes of `apns-collapse-id`.
  public private(set) var collapseID: [UInt8] = []
  /// The bytes of `apns-topic`, or empty if absent.
  public private(set) var topic: [UInt8] = []
  /// True if `apns-topic` was sent, even if empty.
  public private(set) var hasTopic = false
  /// The bytes of `apns-channel-id`.
  public private(set) var channelID: [UInt8] = []
  /// True if `apns-channel-id` was sent, even if empty.
  public private(set) var hasChannelID = false
  /// The bytes of `authorization`, or empty if absent.
  public private(set) var authorization: [UInt8] = []
  /// True if a field of the API appeared more than once.
  public private(set) var hasDuplicates = false

  private var seen: UInt16 = 0

  /// Creates an empty request.
  public init() {}

  /// Resets this value to an empty request, but keeps the capacity of the buffers.
  public mutating func reset() {
    method = .missing
    path = .other
    token.removeAll(keepingCapacity: true)
    bundleID.removeAll(keepingCapacity: true)
    webPushID.removeAll(keepingCapacity: true)
    id = .absent
    idText.removeAll(keepingCapacity: true)
    requestID = .absent
    requestIDText.removeAll(keepingCapacity: true)
    expiration = .absent
    priority = .absent
    pushType = .absent
    collapse = .absent
    collapseID.removeAll(keepingCapacity: true)
    topic.removeAll(keepingCapacity: true)
    hasTopic = false
    channelID.removeAll(keepingCapacity: true)
    hasChannelID = false
    authorization.removeAll(keepingCapacity: true)
    hasDuplicates = false
    seen = 0
  }

  /// Handles one header field or pseudo-header field.
  ///
  /// Unknown fields are ignored (apns-protocol 1.3).
  public mutating func handleField(name: Span<UInt8>, value: Span<UInt8>) {
    switch name.count {
    case 5 where name.equals(":path"):
      parsePath(value)
    case 7 where name.equals(":method"):
      method = Self.method(value)
    case 7 where name.equals("apns-id"):
      guard isFirst(.id) else { return }
      id = NotificationID(value).map { .value($0) } ?? .invalid
      if value.count <= 128 { idText.append(copying: value) }
    case 10 where name.equals("apns-topic"):
      guard isFirst(.topic) else { return }
      hasTopic = true
      topic.append(copying: value)
    case 13 where name.equals("authorization"):
      guard isFirst(.authorization) else { return }
      authorization.append(copying: value)
    case 13 where name.equals("apns-priority"):
      guard isFirst(.priority) else { return }
      priority = Self.priority(value)
    case 14 where name.equals("apns-push-type"):
      guard isFirst(.pushType) else { return }
      pushType = PushType(value).map { .value($0) } ?? .invalid
    case 15 where name.equals("apns-expiration"):
      guard isFirst(.expiration) else { return }
      expiration = Self.seconds(value)
    case 15 where name.equals("apns-channel-id"):
      guard isFirst(.channelID) else { return }
      hasChannelID = true
      channelID.append(copying: value)
    case 15 where name.equals("apns-request-id"):
      guard isFirst(.requestID) else { return }
      requestID = NotificationID(value).map { .value($0) } ?? .invalid
      if value.count <= 128 { requestIDText.append(copying: value) }
    case 16 where name.equals("apns-collapse-id"):
      guard isFirst(.collapseID) else { return }
      collapse = value.count <= WireLimits.collapseIDBytesMax ? .value(()) : .invalid
      if value.count <= WireLimits.collapseIDBytesMax { collapseID.append(copying: value) }
    default:
      return
    }
  }

  private enum Known: UInt16 {
    case id = 1
    case topic = 2
    case authorization = 4
    case priority = 8
    case pushType = 16
    case expiration = 32
    case channelID = 64
    case requestID = 128
    case collapseID = 256
  }

  /// Returns true for the first occurrence of a field.
  ///
  /// A second occurrence is recorded in ``hasDuplicates``, and causes the request to be refused.
  private mutating func isFirst(_ field: Known) -> Bool {
    guard seen & field.rawValue == 0 else {
      hasDuplicates = true
      return false
    }
    seen |= field.rawValue
    return true
  }

  private static func method(_ value: Span<UInt8>) -> Method {
    if value.equals("POST") { return .post }
    if value.equals("GET") { return .get }
    if value.equals("PUT") { return .put }
    if value.equals("DELETE") { return .delete }
    if value.equals("OPTIONS") { return .options }
    return .other
  }

  private static func priority(_ value: Span<UInt8>) -> Field<UInt8> {
    if value.equals("10") { return .value(10) }
    if value.equals("5") { return .value(5) }
    if value.equals("1") { return .value(1) }
    return .invalid
  }

  /// Parses a whole number of seconds without a sign.
  ///
  /// Negative and fractional values are refused (apns-protocol section 10).
  private static func seconds(_ value: Span<UInt8>) -> Field<Int64> {
    guard value.count > 0, value.count <= 18 else { return .invalid }
    var seconds: Int64 = 0
    for index in value.indices {
      let digit = value[index] &- 0x30
      guard digit < 10 else { return .invalid }
      seconds = seconds * 10 + Int64(digit)
    }
    return .value(seconds)
  }

  private mutating func parsePath(_ value: Span<UInt8>) {
    let prefix = 10
    if value.count >= prefix, value.extracting(0..<prefix).equals("/3/device/") {
      guard value.count > prefix else {
        path = .deviceWithoutToken
        return
      }
      let text = value.extracting(prefix..<value.count)
      for index in text.indices where text[index] == 0x2F { return }
      path = .device
      guard text.count <= WireLimits.deviceTokenBytesMax * 2 else { return }
      _ = Hexadecimal.decode(text, appendingTo: &token)
      return
    }
    if value.equals("/3/device") {
      path = .deviceWithoutToken
      return
    }
    parseAppPath(value)
  }

  private mutating func parseAppPath(_ value: Span<UInt8>) {
    if value.count > 19, value.extracting(0..<19).equals("/4/broadcasts/apps/") {
      parseBundleID(value.extracting(19..<value.count), as: .broadcast)
    } else if value.count > 8, value.extracting(0..<8).equals("/1/apps/") {
      let rest = value.extracting(8..<value.count)
      if rest.count > 9, rest.extracting((rest.count - 9)..<rest.count).equals("/channels") {
        parseBundleID(rest.extracting(0..<(rest.count - 9)), as: .channels)
      } else if rest.count > 13,
        rest.extracting((rest.count - 13)..<rest.count).equals("/all-channels")
      {
        parseBundleID(rest.extracting(0..<(rest.count - 13)), as: .allChannels)
      }
    } else if value.count > 6, value.extracting(0..<6).equals("/push/") {
      parseWebPushID(value.extracting(6..<value.count), as: .webPush)
    } else if value.count > 9, value.extracting(0..<9).equals("/message/") {
      parseWebPushID(value.extracting(9..<value.count), as: .webPushMessage)
    } else if value.extracting(0..<Self.countBeforeQuery(value)).equals("/_matrix/push/v1/notify") {
      path = .matrixNotify
    }
  }

  private mutating func parseWebPushID(_ text: Span<UInt8>, as path: Path) {
    self.path = path
    let count = Self.countBeforeQuery(text)
    guard count <= WireLimits.webPushIDBytesMax else { return }
    webPushID.append(copying: text.extracting(0..<count))
  }

  /// Returns the number of bytes before the query that a client can append, such as `?up=1`, which has no meaning here.
  private static func countBeforeQuery(_ text: Span<UInt8>) -> Int {
    var count = 0
    while count < text.count, text[count] != 0x3F { count += 1 }
    return count
  }

  private mutating func parseBundleID(_ text: Span<UInt8>, as path: Path) {
    guard TopicParts.isWellFormed(text) else { return }
    for index in text.indices where text[index] == 0x2F { return }
    bundleID.append(copying: text)
    self.path = path
  }
}

extension [UInt8] {
  /// Appends the bytes without making an intermediate copy.
  @inlinable public mutating func append(copying bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
