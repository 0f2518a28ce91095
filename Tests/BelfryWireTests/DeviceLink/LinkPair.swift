import PushWire

/// Both ends of one link, in memory.
///
/// Each end reads the bytes that the other writes, under a clock that the test controls.
final class LinkPair {
  static let device: UInt64 = 42
  static let topic = LinkTopic(bundleID: "com.example.app")
  static let token: [UInt8] = [UInt8](repeating: 7, count: 32)
  static let second: Int64 = 1_000_000_000

  var client: DeviceLinkClient
  var server: DeviceLinkServer
  var now: Int64 = 1_000_000_000_000
  var clientActions: [String] = []
  var serverActions: [String] = []
  var received: [(id: NotificationID, payload: [UInt8])] = []
  var settled: [UInt64] = []
  var persistsAtOnce = true
  /// The bytes in transit to the server, which a test can inspect or discard.
  var toServer: [UInt8] = []
  var toClient: [UInt8] = []
  var answer: (UInt16, DeviceLinkServer.Request) -> DeviceLinkServer.Answer = { _, request in
    if case .topic(.register, _) = request { return .token(handle: 0x31, token: LinkPair.token) }
    return .done
  }
  var serverSettings = DeviceLinkServer.Settings()
  /// The contents of the TRUST frame; nil for a gateway that doesn't renew certificates.
  var trustMark: [UInt8]?

  var isUp: Bool { client.isUp }
  var isOffline: Bool { client.isOffline }
  var isStopped: Bool { client.isStopped }
  var isServerClosed: Bool { server.isClosed }

  init(
    settings: DeviceLinkClient.Settings = DeviceLinkClient.Settings(),
    peer: DeviceLinkServer.Peer = .device(LinkPair.device),
    enrollment: LinkFrame.Enrollment? = nil
  ) {
    client = DeviceLinkClient(enrollment: enrollment, settings: settings)
    server = DeviceLinkServer(peer: peer, nonce: NotificationID(high: 1, low: 2), at: now)
  }

  /// Returns a pair whose link is up, with one topic registered.
  static func up(settings: DeviceLinkClient.Settings = DeviceLinkClient.Settings()) -> LinkPair {
    let pair = LinkPair(settings: settings)
    pair.client.register(.topic(topic), at: pair.now, output: &pair.toServer)
    _ = pair.client.goOnline()
    pair.open()
    pair.exchange()
    return pair
  }

  func open(peer: DeviceLinkServer.Peer = .device(LinkPair.device)) {
    toServer = []
    toClient = []
    server = DeviceLinkServer(
      peer: peer, nonce: NotificationID(high: 1, low: 2), settings: serverSettings, at: now)
    client.opened(at: now, output: &toServer)
  }

  /// Carries bytes in both directions until none remain.
  func exchange() {
    while !toServer.isEmpty || !toClient.isEmpty {
      feedServer()
      feedClient()
    }
  }

  func feedServer() {
    let bytes = toServer
    toServer = []
    bytes.withUnsafeBytes { raw in
      var input = raw
      while let action = server.next(&input, at: now, output: &toClient) { handle(action) }
    }
    server.checkInvariants()
  }

  func feedClient() {
    let bytes = toClient
    toClient = []
    bytes.withUnsafeBytes { raw in
      var input = raw
      while let action = client.next(&input, at: now, output: &toServer) { handle(action) }
    }
    client.flush(at: now, output: &toServer)
    client.checkInvariants()
  }

  func handle(_ action: DeviceLinkServer.Action) {
    switch action {
    case .proceed: return
    case .connected:
      server.accept(unixMilliseconds: 1_700_000_000_000, output: &toClient)
      if let trustMark { server.announce(trustMark: trustMark, output: &toClient) }
    case .request(let number, let request):
      server.answer(number, with: answer(number, request), output: &toClient)
    case .settled:
      while let reference = server.takeSettled() { settled.append(reference) }
    default: break
    }
    serverActions.append("\(action)")
  }

  func handle(_ action: DeviceLinkClient.Action) {
    switch action {
    case .proceed: return
    case .received(let notification, _):
      received.append((notification.id, Array(notification.payload)))
      if persistsAtOnce { client.onPersisted(notification.uniqueID, at: now) }
      return
    default: break
    }
    clientActions.append("\(action)")
  }

  func deliver(
    _ number: UInt64, handle: UInt32 = 0x31, payload: String = "{}"
  ) -> Bool {
    let notification = LinkNotification(
      handle: handle, id: NotificationID(high: 9, low: number),
      uniqueID: NotificationID(high: 8, low: number), acceptedMilliseconds: 1, expiration: 0,
      isFromStorage: false, priority: 10, pushTypeCode: 1, collapseID: [],
      payload: Array(payload.utf8))
    return server.deliver(notification, reference: number, at: now, output: &toClient)
  }

  /// Advances the clock.
  ///
  /// This method also fires the timers at both ends and carries the resulting bytes.
  func advance(seconds: Double) {
    let end = now + Int64(seconds * 1e9)
    while true {
      let next = min(client.deadline, server.deadline)
      guard next <= end else { break }
      now = max(now, next)
      if let action = client.timerFired(at: now, output: &toServer) { handle(action) }
      if let action = server.timerFired(at: now, output: &toClient) { handle(action) }
      client.checkInvariants()
      server.checkInvariants()
      exchange()
    }
    now = end
  }

  func lose(random: UInt64 = 0) {
    toServer = []
    toClient = []
    client.lost(at: now, random: random)
    client.checkInvariants()
  }
}
