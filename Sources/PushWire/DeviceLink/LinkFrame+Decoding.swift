internal import BelfryWire

extension LinkFrame {
  /// Decodes a frame's body.
  ///
  /// Returns `nil` for an unknown type that the receiver should skip. For an invalid frame, throws the fault to report
  /// in CLOSE: unknown type, truncated, trailing bytes, or bad value. The result owns its bytes.
  public init?(type code: UInt8, body: UnsafeRawBufferPointer) throws(LinkFault) {
    guard let type = LinkFrameType(rawValue: code) else {
      if LinkFrameType.isSkippable(code) { return nil }
      throw LinkFault(.unknownFrame, frameType: code)
    }
    var reader = unsafe LinkFieldReader(body, frameType: code)
    self = try Self.decode(type, &reader)
    // Later versions can extend the two greetings; all other frames have an exact length.
    if type != .hello && type != .welcome { try reader.finish() }
  }

  private static func decode(
    _ type: LinkFrameType, _ reader: inout LinkFieldReader
  ) throws(LinkFault) -> LinkFrame {
    switch type {
    case .notification: .notification(try LinkNotification(&reader, isBroadcast: false))
    case .broadcast: .notification(try LinkNotification(&reader, isBroadcast: true))
    case .acknowledge: .acknowledge(through: try reader.integer())
    case .discard:
      .discard(
        delivery: try reader.integer(), LinkDiscardReason(rawValue: try reader.integer()))
    case .state: .state(DeviceState(rawValue: try reader.integer()))
    case .ping: .ping(try reader.integer())
    case .pong: .pong(try reader.integer(), intervalSeconds: try reader.integer())
    case .reconnect: .reconnect(try ReconnectHint(&reader))
    case .draining: .draining(milliseconds: try reader.integer())
    case .close:
      .close(
        LinkFault(LinkCloseReason(rawValue: try reader.integer()), frameType: try reader.integer()))
    case .hello: .hello(try Hello(&reader))
    case .welcome: .welcome(try Welcome(&reader))
    case .connect: .connect
    case .connected:
      .connected(device: try reader.integer(), unixMilliseconds: try reader.integer())
    case .ready: .ready
    case .enroll, .enrolled, .enrollRefused: try decodeEnrollment(type, &reader)
    case .trust, .renew, .renewed, .renewalRefused: try decodeRenewal(type, &reader)
    default: try decodeRequest(type, &reader)
    }
  }

  private static func decodeEnrollment(
    _ type: LinkFrameType, _ reader: inout LinkFieldReader
  ) throws(LinkFault) -> LinkFrame {
    switch type {
    case .enroll:
      return .enroll(try Enrollment(&reader))
    case .enrolled:
      let device = try reader.integer(UInt64.self)
      return .enrolled(device: device, chainPEM: try reader.rest())
    default:
      return .enrollRefused(LinkEnrollmentRefusal(rawValue: try reader.integer()))
    }
  }

  private static func decodeRequest(
    _ type: LinkFrameType, _ reader: inout LinkFieldReader
  ) throws(LinkFault) -> LinkFrame {
    let request = try reader.integer(UInt16.self)
    switch type {
    case .token:
      let handle = try reader.integer(UInt32.self)
      let token = try reader.shortBytes(1...LinkLimits.tokenBytesMax)
      return .token(request: request, handle: handle, token: token)
    case .refused:
      return .refused(request: request, LinkRefusal(rawValue: try reader.integer()))
    case .subscribe, .unsubscribe:
      let bundleID = try reader.shortText(1...255)
      let channel = try reader.shortBytes(1...LinkLimits.channelIDBytesMax)
      return type == .subscribe
        ? .subscribe(request: request, bundleID: bundleID, channel: channel)
        : .unsubscribe(request: request, bundleID: bundleID, channel: channel)
    case .subscribed:
      return .subscribed(request: request, handle: try reader.integer())
    case .done:
      return .done(request: request)
    default:
      guard let verb = TopicVerb(rawValue: type.rawValue),
        let kind = TokenKind(rawValue: try reader.integer())
      else { throw reader.fault(.badValue) }
      let topic = LinkTopic(bundleID: try reader.shortText(1...255), kind: kind)
      return .topic(verb, request: request, topic)
    }
  }
}

extension LinkFrame.Hello {
  init(_ reader: inout LinkFieldReader) throws(LinkFault) {
    oldestVersion = try reader.integer()
    newestVersion = try reader.integer()
    state = DeviceState(rawValue: try reader.integer())
    window = try reader.integer()
    provedSeconds = try reader.integer()
    failedSeconds = try reader.integer()
    // Frames from older devices end here.
    renews = reader.remaining > 0 ? try reader.integer(UInt8.self) & 1 != 0 : false
    guard oldestVersion > 0, oldestVersion <= newestVersion, window > 0 else {
      throw reader.fault(.badValue)
    }
  }
}

extension LinkFrame.Welcome {
  init(_ reader: inout LinkFieldReader) throws(LinkFault) {
    version = try reader.integer()
    bodyBytesMax = try reader.integer()
    intervalSeconds = try reader.integer()
    nonce = try reader.identity()
    // Frames from older gateways end here.
    if reader.remaining > 0 { environment = Environment(rawValue: try reader.integer()) }
    webPushOrigin =
      reader.remaining > 0 ? try reader.shortText(0...LinkLimits.webPushOriginBytesMax) : ""
    guard version > 0, intervalSeconds > 0 else { throw reader.fault(.badValue) }
  }
}

extension LinkFrame.Enrollment {
  init(_ reader: inout LinkFieldReader) throws(LinkFault) {
    let keyBytes = Int(try reader.integer(UInt16.self))
    guard (1...LinkLimits.publicKeyBytesMax).contains(keyBytes) else {
      throw reader.fault(.badValue)
    }
    publicKey = try reader.bytes(keyBytes)
    proof = try reader.bytes(LinkLimits.proofBytes)
    code = try reader.shortText(0...LinkLimits.enrollmentCodeBytesMax)
    name = try reader.shortText(0...LinkLimits.deviceNameBytesMax)
  }
}

extension LinkFrame.ReconnectHint {
  init(_ reader: inout LinkFieldReader) throws(LinkFault) {
    afterMilliseconds = try reader.integer()
    jitterMilliseconds = try reader.integer()
    host = try reader.shortText(0...LinkLimits.hostBytesMax)
    port = try reader.integer()
  }
}
