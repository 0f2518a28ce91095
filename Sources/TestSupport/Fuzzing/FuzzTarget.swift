import BelfryWire
import PushWire

/// A parser for untrusted bytes, with the properties that must hold for any bytes.
///
/// `make fuzz` runs each target with libFuzzer, and `make test` runs it on the corpus in `Fuzzing/Corpus`. As libFuzzer
/// requires, a target traps if a property is violated.
public enum FuzzTarget: String, CaseIterable, Sendable {
  /// Frames of the legacy binary interface.
  case binary
  /// Frames of the device link, and the state machines of both ends.
  case link
  /// Payloads, and the bodies of requests that create a channel.
  case payload
  /// Provider tokens (JWT), without the preceding word `bearer`.
  case token
  /// The path and header fields of a request.
  case request
  /// Frames of the app link, and the messages that they contain.
  case appLink
  /// Persisted triggers, and the dates on which they fire.
  case schedule
  /// Time-zone files (TZif), such as those in `TZDIR`.
  case zone
  /// Format strings of localized strings.
  case format
  /// Requests from HTTP/1.1 clients.
  case http1
  /// Records of TLS 1.3 after the handshake.
  case tls
  /// Certificates, keys, signatures, and extensions in DER.
  case der
  /// Calls to the admin API.
  case administration
  /// An app's manifest, desktop file, and strings.
  case manifest
  /// Answers and signals from services on D-Bus.
  case bus
  /// Both HTTP/2 codecs, which must do the same with a client's bytes.
  case http2
  /// The head of a request that opens a browser's WebSocket.
  case upgrade
  /// Frames of a browser's WebSocket.
  case webSocket
  /// Messages of autopush's protocol, each on a line of its own.
  case autopush

  /// Passes the bytes to the parser.
  public func run(_ bytes: [UInt8]) {
    switch self {
    case .binary: Self.runBinary(bytes)
    case .link: Self.runLink(bytes)
    case .payload: Self.runPayload(bytes)
    case .token: Self.runToken(bytes)
    case .request: Self.runRequest(bytes)
    case .appLink: Self.runAppLink(bytes)
    case .schedule: Self.runSchedule(bytes)
    case .zone: Self.runZone(bytes)
    case .format: Self.runFormat(bytes)
    case .http1: Self.runHTTP1(bytes)
    case .tls: Self.runTLS(bytes)
    case .der: Self.runDER(bytes)
    case .administration: Self.runAdministration(bytes)
    case .manifest: Self.runManifest(bytes)
    case .bus: Self.runBus(bytes)
    case .http2: Self.runHTTP2(bytes)
    case .upgrade: Self.runUpgrade(bytes)
    case .webSocket: Self.runWebSocket(bytes)
    case .autopush: Self.runAutopush(bytes)
    }
  }

  // MARK: The legacy interface

  /// Checks that slicing the stream does not change the frames.
  private static func runBinary(_ bytes: [UInt8]) {
    let size = max(1, Int(bytes.first ?? 1))
    precondition(binaryOutcomes(bytes, slice: .max) == binaryOutcomes(bytes, slice: size))
  }

  private static func binaryOutcomes(
    _ bytes: [UInt8], slice: Int
  ) -> [BinaryFrameParser.Outcome] {
    var parser = BinaryFrameParser()
    var outcomes: [BinaryFrameParser.Outcome] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(slice))
      rest = rest.dropFirst(slice)
      parser.append(piece.span)
      while true {
        let outcome = parser.next()
        if outcome == .incomplete { break }
        outcomes.append(outcome)
        if case .notification(let notification) = outcome { _ = notification.sizeFault }
        if case .fault = outcome { return outcomes }
      }
    }
    return outcomes
  }

  // MARK: The device link

  /// Checks that a valid frame is unchanged after it is written and parsed again, and that neither state machine traps.
  private static func runLink(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let body = Array(bytes.dropFirst())
    readFrame(body)
    runServer(body, peer: first & 1 == 0 ? .device(7) : .unenrolled, slice: Int(first >> 1) + 1)
    runClient(body, enrolls: first & 1 == 1, slice: Int(first >> 1) + 1)
  }

  private static func readFrame(_ bytes: [UInt8]) {
    guard let type = bytes.first else { return }
    bytes.dropFirst().withUnsafeBytes { body in
      guard let frame = try? LinkFrame(type: type, body: body) else { return }
      var written: [UInt8] = []
      frame.encode(to: &written)
      written.withUnsafeBytes { written in
        let header = LinkLimits.headerBytes
        precondition(written.count >= header && written[2] == type)
        let again = try? LinkFrame(
          type: type, body: UnsafeRawBufferPointer(rebasing: written[header...]))
        precondition(again == frame)
      }
    }
  }

  private static func runServer(_ bytes: [UInt8], peer: DeviceLinkServer.Peer, slice: Int) {
    var server = DeviceLinkServer(peer: peer, nonce: NotificationID(high: 1, low: 2), at: 0)
    var output: [UInt8] = []
    var time: Int64 = 0
    for piece in pieces(bytes, slice) {
      piece.withUnsafeBytes { raw in
        var input = raw
        while let action = server.next(&input, at: time, output: &output) {
          time += 1_000_000
          switch action {
          case .enroll: _ = server.answerEnrollment(.refused(.wrongCode), output: &output)
          case .connected:
            server.accept(unixMilliseconds: 1, output: &output)
            server.announce(trustMark: [UInt8](repeating: 1, count: 32), output: &output)
          case .renew(let key):
            server.answerRenewal(
              key.count & 1 == 0
                ? .refused(.tryLater, afterSeconds: 1)
                : .renewed(.init(certificate: key, authorities: [key])), output: &output)
          case .ready: deliver(to: &server, at: time, output: &output)
          case .request(let number, _): server.answer(number, with: .done, output: &output)
          case .settled: while server.takeSettled() != nil {}
          case .close: return
          case .proceed, .discarded, .stateChanged, .pinged: break
          }
        }
      }
      _ = server.timerFired(at: time, output: &output)
      server.checkInvariants()
    }
  }

  private static func deliver(
    to server: inout DeviceLinkServer, at time: Int64, output: inout [UInt8]
  ) {
    for reference in 1...3 as ClosedRange<UInt64> {
      let notification = LinkNotification(
        handle: 1, id: NotificationID(high: 0, low: reference),
        uniqueID: NotificationID(high: 1, low: reference), acceptedMilliseconds: 1,
        expiration: 0, isFromStorage: false, priority: 10, pushTypeCode: 1, collapseID: [],
        payload: [0x7B, 0x7D])
      _ = server.deliver(notification, reference: reference, at: time, output: &output)
    }
  }

  private static func runClient(_ bytes: [UInt8], enrolls: Bool, slice: Int) {
    let enrollment = LinkFrame.Enrollment(publicKey: [1], proof: [], code: "code", name: "name")
    var client = DeviceLinkClient(enrollment: enrolls ? enrollment : nil)
    var output: [UInt8] = []
    var time: Int64 = 0
    let topic = LinkSubject.topic(LinkTopic(bundleID: "com.example.app"))
    if !enrolls {
      client.use(
        LinkCredential(
          publicKey: [1], trustMark: [UInt8](repeating: 0, count: 32), renewAtSeconds: 1))
    }
    client.register(topic, at: time, output: &output)
    _ = client.goOnline()
    client.opened(at: time, output: &output)
    for piece in pieces(bytes, slice) {
      piece.withUnsafeBytes { raw in
        var input = raw
        while let action = client.next(&input, at: time, output: &output) {
          time += 1_000_000
          switch action {
          case .sign:
            client.signed([UInt8](repeating: 1, count: 64), at: time, output: &output)
          case .received(let notification, _): client.onPersisted(notification.uniqueID, at: time)
          case .renewed(let renewed):
            if renewed.certificate.count & 1 == 0 { client.renewalFailed(at: time) }
          case .disconnect: return
          default: break
          }
        }
      }
      client.flush(at: time, output: &output)
      client.checkInvariants()
    }
    client.lost(at: time, random: 1)
  }

  private static func pieces(_ bytes: [UInt8], _ size: Int) -> [[UInt8]] {
    stride(from: 0, to: bytes.count, by: size).map { start in
      Array(bytes[start..<min(bytes.count, start + size)])
    }
  }

  // MARK: JSON

  /// Checks that a parsed value is unchanged after it is written and parsed again.
  ///
  /// Also checks that the two parsers agree on whether the bytes are a JSON object. One parser creates values; the
  /// other only validates.
  private static func runPayload(_ bytes: [UInt8]) {
    _ = try? ChannelConfiguration(bytes)
    let isObject = PayloadSyntax.isObject(bytes.span)
    guard let value = try? JSONValue(parsing: bytes, limits: JSONLimits(bytes: 8_192, depth: 64))
    else { return }
    let again = try? JSONValue(parsing: value.bytes, limits: JSONLimits(bytes: 65_536, depth: 64))
    precondition(again == value)
    precondition(isObject == (value.objectValue != nil))
  }

  private static func runToken(_ bytes: [UInt8]) {
    if let start = ProviderToken.start(in: bytes.span) {
      precondition(start <= bytes.count)
      _ = try? ProviderToken(bytes.span.extracting(start..<bytes.count))
    }
    guard let token = try? ProviderToken(bytes.span) else { return }
    precondition(token.signedByteCount < bytes.count)
    _ = ProviderToken.isFresh(issuedAt: token.issuedAt, atSeconds: 1_700_000_000)
  }

  // MARK: Requests

  /// Parses the first line as the path and the other lines as `name: value`.
  ///
  /// A reused request object must behave like a new one.
  private static func runRequest(_ bytes: [UInt8]) {
    var used = PushRequest()
    take(bytes, into: &used)
    used.reset()
    var fresh = PushRequest()
    take(bytes, into: &used)
    take(bytes, into: &fresh)
    precondition(used.path == fresh.path && used.token == fresh.token)
    precondition(used.bundleID == fresh.bundleID && used.topic == fresh.topic)
    precondition(used.token.count <= WireLimits.deviceTokenBytesMax)
    precondition(used.collapseID.count <= WireLimits.collapseIDBytesMax)
    precondition(used.bundleID.count <= WireLimits.topicBytesMax)
    if TopicParts.isWellFormed(used.topic.span) {
      let parts = TopicParts(used.topic.span)
      precondition((1...used.topic.count).contains(parts.bundleIDBytes))
    }
    if case .value(let id) = used.id {
      precondition(NotificationID(Array(id.text.utf8).span) == id)
    }
    if let channel = Base64.decode(used.channelID.span) {
      precondition(Base64.decode(Array(Base64.encode(channel, url: true).utf8).span) == channel)
      if let id = ChannelID(channel) { precondition(id.bytes == channel) }
    }
  }

  private static func take(_ bytes: [UInt8], into request: inout PushRequest) {
    for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
    {
      let line = Array(line)
      guard index > 0 else {
        request.handleField(name: Array(":path".utf8).span, value: line.span)
        continue
      }
      let colon = line.dropFirst().firstIndex(of: 0x3A) ?? line.endIndex
      let value = Array(line[colon...].dropFirst(2))
      request.handleField(name: Array(line[..<colon]).span, value: value.span)
    }
  }
}
