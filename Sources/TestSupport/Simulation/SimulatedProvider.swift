import BelfryProvider
import BelfryWire
import PushWire
import Transport

/// A provider on the HTTP/2 interface that uses the real HTTP/2 client code.
///
/// The provider sends requests, receives responses, reconnects after its connection breaks, and retries requests that a
/// server reports as unprocessed.
final class SimulatedProvider: SimulatedClient, HTTP2ResponseHandler {
  /// The purpose of a request.
  enum Call {
    case push(UInt64, LinkTopic, token: [UInt8])
    /// A push that the gateway must refuse for this reason, unless it first refuses the push because of the token.
    case excess(String)
    case broadcast(UInt64)
    /// A push of a campaign.
    case campaign(PushCompletion)
    case makeChannel
    case removeChannel(ChannelID)
  }

  private struct Request {
    let call: Call
    let fields: [(name: String, value: String)]
    let body: [UInt8]
    var status = 0
    /// The time at which the request was sent on the present connection, in virtual nanoseconds.
    var sentNanoseconds: Int64 = 0
    var answer: [String: String] = [:]
    var answerBody: [UInt8] = []
  }

  private unowned let world: GatewaySimulation
  private let number: Int
  /// True if the provider authenticates with a certificate instead of tokens.
  private let hasCertificate: Bool
  /// True if the provider uses the port without TLS.
  private let isInsecure: Bool
  private var session: NGHTTP2ClientSession?
  private var connection: SimulatedConnection?
  private var isDialling = false
  /// The number of the gateway start during which the connection was opened.
  private var lifeAtOpening = 0
  private var queue: [Request] = []
  private var open: [Int32: Request] = [:]
  private var token = ""
  private var tokenMade: Int64?
  /// True after a response that requires a new connection, because the token is too old or was renewed too early.
  private var wantsFreshConnection = false
  private(set) var isOffline = false

  /// The ID of the key that signs the provider's tokens.
  let keyID: String
  /// True if an administrator's command revokes the key, or will when it succeeds.
  private(set) var isKeyBeingRevoked = false
  /// The time at which the command that revoked the key returned, in virtual nanoseconds.
  private var keyRevokedNanoseconds: Int64?

  init(_ number: Int, in world: GatewaySimulation, keyID: String = SimulatedIdentities.keyID) {
    self.number = number
    self.world = world
    self.keyID = keyID
    hasCertificate = number % 3 == 1
    isInsecure = number % 3 == 2
  }

  /// Records that an administrator begins to revoke the provider's key.
  func beginKeyRevocation() { isKeyBeingRevoked = true }

  /// Records that the provider's key is revoked on all nodes: nothing that is sent from now on may be accepted.
  func keyWasRevoked() { keyRevokedNanoseconds = world.time.now }

  /// True if the provider is not waiting for anything.
  var isIdle: Bool { queue.isEmpty && open.isEmpty }

  /// Returns true if the provider can send to this topic.
  func serves(_ topic: LinkTopic) -> Bool {
    !hasCertificate || topic.bundleID == "com.example.app1"
  }

  /// Returns a description of where a push's request is, or nil if this provider does not have the push.
  func whereabouts(of push: UInt64) -> String? {
    func isPush(_ request: Request) -> Bool {
      if case .push(push, _, _) = request.call { true } else { false }
    }
    let peer =
      "provider \(number), connection \(connection?.number ?? 0), dark \(connection?.isDark ?? false)"
    if let place = queue.firstIndex(where: isPush) {
      return
        "queued at position \(place) of \(peer), dialling \(isDialling), "
        + "streams \(session?.availableStreams ?? -1), open \(open.count)"
    }
    return open.first { isPush($0.value) }.map { "open as stream \($0.key) of \(peer)" }
  }

  var hasOpenRequests: Bool { !queue.isEmpty || !open.isEmpty }

  // MARK: Requests

  func push(
    _ number: UInt64, to token: [UInt8], topic: LinkTopic, priority: UInt8, expiration: Int64?,
    collapseID: String
  ) {
    var fields =
      Self.pushFields(token, topic) + [
        (name: "apns-id", value: GatewaySimulation.pushID(number).text),
        (name: "apns-priority", value: "\(priority)"),
      ]
    if let expiration { fields.append((name: "apns-expiration", value: "\(expiration)")) }
    if !collapseID.isEmpty { fields.append((name: "apns-collapse-id", value: collapseID)) }
    let payload = world.payload(push: number, limit: WireLimits.payloadBytesMax)
    send(.push(number, topic, token: token), fields, payload)
  }

  /// Returns the fields that every push has.
  private static func pushFields(
    _ token: [UInt8], _ topic: LinkTopic
  ) -> [(name: String, value: String)] {
    [
      (name: ":method", value: "POST"), (name: ":scheme", value: "https"),
      (name: ":path", value: "/3/device/\(Hexadecimal.encode(token))"),
      (name: ":authority", value: "localhost"), (name: "apns-topic", value: topic.bundleID),
      (name: "apns-push-type", value: "alert"),
    ]
  }

  /// Sends a campaign's push, as `ProviderClient` does.
  func submit(_ push: Push, _ done: @escaping PushCompletion) {
    var fields = [
      (name: ":method", value: "POST"), (name: ":scheme", value: "https"),
      (name: ":path", value: "/3/device/\(push.deviceToken)"),
      (name: ":authority", value: "localhost"), (name: "apns-push-type", value: "alert"),
    ]
    if let topic = push.topic { fields.append((name: "apns-topic", value: topic)) }
    if let id = push.id { fields.append((name: "apns-id", value: id)) }
    if let priority = push.priority { fields.append((name: "apns-priority", value: "\(priority)")) }
    if case .until(let seconds) = push.expiration {
      fields.append((name: "apns-expiration", value: "\(seconds)"))
    }
    send(.campaign(done), fields, push.payload)
  }

  /// Handles the exit of the provider's process, which loses the requests and the connection.
  func crash() {
    connection?.abandon()
    connection = nil
    session = nil
    queue = []
    open = [:]
  }

  /// Sends a push in which one field exceeds its limit.
  func pushTooMuch(to token: [UInt8], topic: LinkTopic) {
    var payload = GatewaySimulation.payload(push: 0)
    var extra: [(name: String, value: String)] = []
    let reason: String
    switch world.random(0...3) {
    case 0:
      payload = GatewaySimulation.longPayload(push: 0, bytes: WireLimits.payloadBytesMax + 1)
      reason = "PayloadTooLarge"
    case 1:
      let bytes = WireLimits.collapseIDBytesMax + 1
      extra = [(name: "apns-collapse-id", value: CostGrowth.combiningMarks(bytes))]
      reason = "BadCollapseId"
    case 2:
      extra = [(name: "apns-expiration", value: "9223372036854775808")]
      reason = "BadExpirationDate"
    default:
      extra = [(name: "apns-priority", value: "11")]
      reason = "BadPriority"
    }
    send(.excess(reason), Self.pushFields(token, topic) + extra, payload)
  }

  func broadcast(_ number: UInt64, to channel: ChannelID, priority: UInt8, expiration: Int64) {
    send(
      .broadcast(number),
      [
        (name: ":method", value: "POST"), (name: ":scheme", value: "https"),
        (name: ":path", value: "/4/broadcasts/apps/com.example.app1"),
        (name: ":authority", value: "localhost"),
        (name: "apns-channel-id", value: channel.text),
        (name: "apns-push-type", value: "liveactivity"),
        (name: "apns-priority", value: "\(priority)"),
        (name: "apns-expiration", value: "\(expiration)"),
      ], GatewaySimulation.payload(broadcast: number))
  }

  func makeChannel() {
    send(
      .makeChannel, channelFields("POST", nil),
      Array(#"{"message-storage-policy":1,"push-type":"LiveActivity"}"#.utf8))
  }

  func removeChannel(_ id: ChannelID) { send(.removeChannel(id), channelFields("DELETE", id), []) }

  private func channelFields(_ method: String, _ id: ChannelID?) -> [(name: String, value: String)]
  {
    var fields = [
      (name: ":method", value: method), (name: ":scheme", value: "https"),
      (name: ":path", value: "/1/apps/com.example.app1/channels"),
      (name: ":authority", value: "localhost"),
    ]
    if let id { fields.append((name: "apns-channel-id", value: id.text)) }
    return fields
  }

  private func send(_ call: Call, _ fields: [(name: String, value: String)], _ body: [UInt8]) {
    queue.append(Request(call: call, fields: fields, body: body))
    advance()
  }

  /// Sends the requests that can currently be sent.
  private func advance() {
    guard let session, let connection else { return dial() }
    guard !connection.hasFinishedSending else { return }
    // If the last request was refused because of its token, the provider is about to open a new connection. Further
    // requests on this connection would be refused for the same reason.
    while !wantsFreshConnection, !queue.isEmpty, session.availableStreams > 0 {
      var request = queue[0]
      request.sentNanoseconds = world.time.now
      guard let stream = session.request(fields: authorized(request.fields), body: request.body)
      else { break }
      queue.removeFirst()
      open[stream] = request
    }
    flush()
  }

  private func authorized(
    _ fields: [(name: String, value: String)]
  ) -> [(name: String, value: String)] {
    guard !hasCertificate else { return fields }
    if tokenMade.map({ world.time.now - $0 > 40 * 60_000_000_000 }) ?? true { renewToken() }
    return fields + [(name: "authorization", value: "bearer \(token)")]
  }

  private func renewToken() {
    token = world.identities.providerToken(
      atSeconds: world.time.unixMilliseconds / 1_000, keyID: keyID)
    tokenMade = world.time.now
  }

  // MARK: Connection

  private func dial() {
    guard !isDialling, !isOffline, connection == nil, !queue.isEmpty else { return }
    isDialling = true
    world.time.after(world.random(500_000...world.profile.latencyMost * 3)) { [self] in
      isDialling = false
      guard !isOffline, connection == nil else { return }
      let ports = world.ports
      let opened =
        isInsecure
        ? world.network.connect(to: ports.insecureProvider ?? 0, as: nil, self)
        : world.network.connect(
          to: ports.providers[0],
          as: StreamIdentity(
            certificate: hasCertificate ? world.identities.providerCertificate : nil,
            negotiatedProtocol: "h2"), self)
      guard let opened else {
        world.time.after(200_000_000) { [self] in dial() }
        return
      }
      world.note("provider \(number) opens connection \(opened.number)")
      connection = opened
      lifeAtOpening = opened.process.life
      wantsFreshConnection = false
      session = NGHTTP2ClientSession()
      advance()
    }
  }

  func goOffline() {
    isOffline = true
    connection?.close()
    lost()
  }

  func goOnline() {
    isOffline = false
    advance()
  }

  var current: SimulatedConnection? { connection }

  func received(_ bytes: [UInt8], on connection: SimulatedConnection) {
    guard connection === self.connection, let session else { return }
    let status = bytes.withUnsafeBytes { session.receive($0, self) }
    world.expect(
      status == .open || session.isGoingAway,
      "the gateway violated HTTP/2 on connection \(connection.number)")
    advance()
    let isLeaving =
      session.isGoingAway || wantsFreshConnection || connection.hasFinishedSending
    if isLeaving, open.isEmpty, self.connection === connection {
      connection.close()
      lost()
    }
  }

  func closed(_ connection: SimulatedConnection) {
    guard connection === self.connection else { return }
    // The gateway drops its answers to a client that stops reading for a while, and a frozen gateway answers too late.
    if connection.hasFinishedSending, !connection.isDark, !connection.wasStalled,
      connection.process.life == lifeAtOpening, connection.process.lastFrozen == nil
    {
      world.expect(
        open.isEmpty,
        "provider \(number) finished sending, but \(open.count) of its requests were not answered")
    }
    lost()
  }

  private func lost() {
    let old = session
    session = nil
    connection = nil
    old?.connectionEnded()
    old?.receive(self)
    world.expect(open.isEmpty, "a request of provider \(number) was neither answered nor failed")
    dial()
  }

  private func flush() {
    guard let session, let connection else { return }
    var output: [UInt8] = []
    session.takeOutput { output += Array($0) }
    session.receive(self)
    // Finish sending only while few requests are open, so that their bodies fit into the flow-control window.
    let isLast = queue.isEmpty && (1...3).contains(open.count) && world.chance(0.02)
    if isLast { connection.sendLast(output) } else { connection.send(output) }
  }

  // MARK: Answers

  func responseField(
    _ streamID: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
  ) {
    let name = String(decoding: name, as: UTF8.self)
    let value = String(decoding: value, as: UTF8.self)
    if name == ":status" { open[streamID]?.status = Int(value) ?? 0 }
    open[streamID]?.answer[name] = value
  }

  func responseBody(_ streamID: Int32, bytes: UnsafeRawBufferPointer) {
    open[streamID]?.answerBody += Array(bytes)
  }

  func responseEnded(_ streamID: Int32) {
    guard let request = open.removeValue(forKey: streamID) else {
      return world.fail("a request of provider \(number) was answered twice")
    }
    handle(request)
  }

  func responseFailed(_ streamID: Int32, reason: HTTP2RequestFailure) {
    guard let request = open.removeValue(forKey: streamID) else { return }
    switch (reason, request.call) {
    case (.unprocessed, .push(let number, _, _)):
      world.ledger.sentAgain(number)
      queue.append(request)
    case (.unprocessed, _): queue.append(request)
    case (_, .push(let number, _, _)): world.ledger.orphaned(number)
    case (_, .campaign(let done)): done(.failure(.unanswered(reason: "\(reason)")))
    case (.reset(let code), _):
      world.note("a request of provider \(number) was reset with \(code)")
    case (.connectionLost, _): break
    }
    if case .reset(let code) = reason {
      world.fail("a request of provider \(number) was reset with \(code)")
    }
  }

  private func reason(_ request: Request) -> String {
    String(decoding: request.answerBody, as: UTF8.self)
  }

  /// True if request bodies might have taken too long.
  ///
  /// The client either did not read the gateway's WINDOW_UPDATE frames for a while, or sent so much at once that it had
  /// to wait for many of these frames.
  private var isSlow: Bool {
    guard let connection else { return false }
    return connection.wasStalled || connection.sentBytes > 500_000
  }

  private func handle(_ request: Request) {
    if isKeyBeingRevoked, case .push(let number, _, _) = request.call {
      let isTooLate = keyRevokedNanoseconds.map { request.sentNanoseconds >= $0 } ?? false
      world.expect(
        request.status != 200 || !isTooLate,
        "#\(number) was accepted, although its key was revoked before it was sent")
      if request.status == 403 { return world.ledger.refused(number) }
    }
    if request.status == 403 || reason(request).contains("TooManyProviderTokenUpdates") {
      world.expect(
        world.profile.hasClockSteps && !hasCertificate,
        "provider \(number) received the unexpected response \(request.status) \(reason(request))")
      tokenMade = nil
      wantsFreshConnection = true
      world.time.after(5_000_000_000) { [self] in
        queue.append(Request(call: request.call, fields: request.fields, body: request.body))
        advance()
      }
      return
    }
    if request.status == 400, reason(request).contains("IdleTimeout"), isSlow {
      queue.append(Request(call: request.call, fields: request.fields, body: request.body))
      return
    }
    switch request.call {
    case .push(let number, let topic, let token):
      world.expect(
        request.answer["apns-id"] == GatewaySimulation.pushID(number).text,
        "#\(number) was answered with the wrong apns-id \(request.answer["apns-id"] ?? "")")
      handle(number, topic, token, request)
    case .excess(let expected):
      let isRefused = request.status == 400 || request.status == 413
      world.expect(
        isRefused && (reason(request).contains(expected) || isOfToken(reason(request)))
          || [410, 500, 503].contains(request.status),
        "a push was answered with \(request.status) \(reason(request)) instead of \(expected)")
    case .broadcast(let number):
      if request.status == 200 {
        world.broadcasts.answered(number)
      } else {
        world.broadcasts.refused(number, status: request.status, reason(request))
      }
    case .campaign(let done):
      let id = request.answer["apns-id"] ?? ""
      guard request.status != 200 else {
        return done(.success(.accepted(.init(id: id, uniqueID: request.answer["apns-unique-id"]))))
      }
      let object = (try? JSONValue(parsing: request.answerBody))?.objectValue
      done(
        .success(
          .rejected(
            .init(
              status: request.status, reason: object?["reason"]?.stringValue ?? "",
              timestampMilliseconds: object?["timestamp"]?.integerValue, id: id))))
    case .makeChannel: world.madeChannel(status: request.status, request.answer["apns-channel-id"])
    case .removeChannel(let id): world.removedChannel(id, status: request.status)
    }
  }

  private func handle(_ number: UInt64, _ topic: LinkTopic, _ token: [UInt8], _ request: Request) {
    switch request.status {
    case 200: world.ledger.answered(number)
    case 500:
      world.expect(
        world.isTroubled || world.wasTroubledLately,
        "#\(number) was answered with 500 without a recent fault")
      world.ledger.refused(number)
    case 410:
      world.pushRefusedAsUnregistered(number, topic, token: token)
      world.ledger.refused(number)
    case 400 where world.controlRestorations > 0 && isOfLostRows(reason(request)):
      world.pushRefusedForItsToken(number, reason(request), token: token)
      world.ledger.refused(number)
    case 400
    where ["TopicDisallowed", "DeviceTokenNotForTopic"].contains(where: reason(request).contains)
      && connection.map {
        world.cluster?.mayLack(topic, $0.process, at: request.sentNanoseconds) ?? false
      } ?? false,
      503:
      world.ledger.sentAgain(number)
      // In a cluster, a push that is not stored is refused while its device is slow. Repetitions must not keep it busy.
      let doublings = world.cluster == nil ? 0 : (world.ledger.push(number)?.repetitions ?? 1) - 1
      world.time.after(min(60, 1 << Int64(min(6, max(0, doublings)))) * 1_000_000_000) { [self] in
        queue.append(Request(call: request.call, fields: request.fields, body: request.body))
        advance()
      }
    default:
      world.fail(
        "#\(number) was answered with the unexpected response \(request.status) \(reason(request))")
    }
  }

  private func isOfToken(_ reason: String) -> Bool {
    (world.controlRestorations > 0 || world.cluster != nil) && isOfLostRows(reason)
  }

  /// Returns true if the refusal concerns a token or an app that a restored older control store does not contain.
  private func isOfLostRows(_ reason: String) -> Bool {
    ["BadDeviceToken", "DeviceTokenNotForTopic", "TopicDisallowed"].contains(where: reason.contains)
  }

  func connectionWentAway(
    lastStreamID: Int32, errorCode: UInt32, debugData: UnsafeRawBufferPointer
  ) {
    world.expect(
      errorCode == 0 || world.isTroubled || world.wasTroubledLately,
      "provider \(number) received GOAWAY with error \(errorCode) without a recent fault")
  }

  func concurrentStreamsChanged(_ count: UInt32) {}

  func pingAcknowledged() {}
}
