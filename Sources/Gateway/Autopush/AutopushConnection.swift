import BelfryWire
import PushWire
import Storage
import System
import Transport
import WebPush

/// A browser's connection, which carries bytes between the socket, autopush's protocol, and the delivery core.
///
/// The connection is confined to a loop: first to the loop that accepted it, and then to the home of its device. It
/// makes no decisions: ``AutopushServer`` implements the protocol, ``DeliveryCore`` decides what to send, and
/// ``ControlPlane`` decides who may enroll.
final class AutopushConnection: DeviceSession, StreamHandler, TimerTarget {
  let session: SessionID
  /// The device that the browser's identifier names; nil until the home has checked the identifier.
  private(set) var device: UInt64?
  /// The census slot of a browser that this loop accepted, until the browser is identified or moves to another loop.
  var slot: StreamSlot?
  /// The place in the census of a browser that another loop accepted, until the browser is identified.
  var unproven: UnprovenArrival?
  private let home: DeviceHome
  /// The parts of the handshake that decide whether the browser may enroll.
  private let opening: AutopushOpening
  private var server: AutopushServer
  /// The identifier that is being checked; nil before `hello`, and once the browser is identified.
  private var presented: AutopushUserAgentID?
  private var stream: ByteStream?
  private var isClosed = false
  /// The bytes that were received and not read.
  private var input: ArraySlice<UInt8> = []
  /// The messages that the browser might have received before.
  private var repetitions: Set<UInt64> = []
  /// The channels that were registered on this connection, by the number of their subscription.
  private var channels: [UInt32: AutopushChannel] = [:]
  private var timer = DeadlineTimer()

  init(session: SessionID, server: AutopushServer, opening: AutopushOpening, home: DeviceHome) {
    self.session = session
    self.server = server
    self.opening = opening
    self.home = home
  }

  // MARK: Stream

  func streamOpened(_ stream: ByteStream) {
    self.stream = stream
    slot?.stream = stream
    armTimer()
  }

  func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
    guard !isClosed else { return }
    unsafe input.append(contentsOf: bytes)
    while !isClosed {
      let action = write { server.next(&input, at: home.loop.nowNanoseconds, output: &$0) }
      guard let action else { break }
      perform(action)
    }
    input = []
    // A browser can let the gateway produce several times as many bytes as it sends.
    if stream.pendingOutputBytes > Limits.browserOutputBytesMax {
      stream.pauseReading()
      server.outputStalled(at: home.loop.nowNanoseconds)
    }
    armTimer()
  }

  func streamDrained(_ stream: ByteStream) {
    server.outputDrained()
    stream.resumeReading()
  }

  func stream(_ stream: ByteStream, closed reason: StreamClosure) {
    isClosed = true
    self.stream = nil
    slot = nil
    unproven = nil
    timer.cancel(on: home.loop)
    home.remove(self)
  }

  func timerFired(tag: UInt64) {
    timer.fired()
    guard !isClosed else { return }
    let action = write { server.timerFired(at: home.loop.nowNanoseconds, output: &$0) }
    if let action { perform(action) }
    armTimer()
  }

  private func armTimer() {
    if !isClosed { timer.arm(for: server.deadline, on: home.loop, self) }
  }

  /// Sends the bytes that `body` appends to a buffer, and returns the result of `body`.
  @discardableResult
  private func write<Answer>(_ body: (inout [UInt8]) -> Answer) -> Answer {
    var output = home.takeScratch()
    let answer = body(&output)
    if !output.isEmpty { stream?.write(output) }
    home.returnScratch(&output)
    return answer
  }

  // MARK: Actions

  private func perform(_ action: AutopushServer.Action) {
    switch action {
    case .identify(let uaid):
      if let uaid { identify(as: uaid) } else { enroll() }
    case .register(let number, let channel, let key):
      let other = channels[channel.number]
      guard other == nil || other == channel else {
        return refuse(number, "another subscription has the same number: choose another channelID")
      }
      handle(.register, channel, keyHash: key?.digest.bytes ?? [], request: number)
    case .unregister(let number, let channel):
      handle(.unregister, channel, keyHash: [], request: number)
    case .settled(let settlements):
      for settlement in settlements { settle(settlement) }
    case .pinged:
      guard let device else { return }
      home.onDeviceActivity(device, session)
    case .close(let code, let text):
      close(code, text)
    }
  }

  private func handle(
    _ verb: LinkFrame.TopicVerb, _ channel: AutopushChannel, keyHash: [UInt8], request: UInt16
  ) {
    guard let device else {
      return assertionFailure("a connection without a device made a request")
    }
    home.handle(
      verb, channel, keyHash: keyHash, of: device, request: request, session: session)
  }

  private func settle(_ settlement: AutopushServer.Settlement) {
    guard let device else {
      return assertionFailure("a connection without a device was sent a message")
    }
    let isRepetition = repetitions.remove(settlement.reference) != nil
    switch settlement.outcome {
    case .delivered, .undecipherable:
      home.acknowledge(device, session, sequence: settlement.reference)
    case .notDelivered where isRepetition:
      // The browser recognized the second copy.
      home.acknowledge(device, session, sequence: settlement.reference)
    case .notDelivered:
      home.discard(device, session, sequence: settlement.reference, .unknownHandle)
    }
  }

  private func close(_ code: WebSocketCloseCode, _ text: String) {
    isClosed = true
    timer.cancel(on: home.loop)
    if code != .normal && code != .goingAway {
      home.log.info(
        "closing a browser's connection",
        ["peer": stream?.peerDescription ?? "", "code": "\(code.rawValue)", "why": text])
    }
    stream?.close()
  }

  private func refuse(_ request: UInt16, _ message: String) {
    write { server.refuse(request, status: 500, message, output: &$0) }
  }

  // MARK: Identity

  /// Asks the control plane for a new device.
  private func enroll() {
    assert(device == nil, "a browser enrolls only once on a connection")
    home.context.ask(
      .enrollAutopush(session, opening, peer: stream?.peerDescription ?? ""))
  }

  /// Identifies the browser as the device that its identifier names, on the home of this device.
  ///
  /// A browser with an unknown identifier becomes a new device, and drops its subscriptions.
  func identify(as uaid: AutopushUserAgentID) {
    guard !isClosed else { return }
    let claim = uaid.claim
    guard home.context.isHome(of: claim.number) else { return moveToHome(of: claim, uaid) }
    guard home.cluster == nil else {
      presented = uaid
      return home.context.ask(.findAutopush(session, claim))
    }
    if home.devices.has(claim) { accept(uaid) } else { refuseUnknown(claim) }
  }

  /// Handles the answer of a cluster's store about whether the store has the device with the presented identifier.
  func answerIdentity(isKnown: Bool?) {
    guard !isClosed, let presented else { return }
    switch isKnown {
    case true?: home.park(session, of: presented.claim)
    case false?: refuseUnknown(presented.claim)
    case nil: end(.storeFailed)
    }
  }

  /// Identifies the browser once this node may write its device's rows.
  func attachClaimed() {
    guard !isClosed, let uaid = presented else { return }
    presented = nil
    // The store had the device a moment ago.
    guard home.devices.has(uaid.claim) else { return end(.storeFailed) }
    accept(uaid)
  }

  private func refuseUnknown(_ claim: DeviceClaim) {
    if home.isDamaged(claim.number) { return end(.storeFailed) }
    home.metrics.unknownDevices.add()
    enroll()
  }

  /// Begins the session of the device with this identifier.
  private func accept(_ uaid: AutopushUserAgentID) {
    let claim = uaid.claim
    // Only a browser that knows the identifier learns that its device was revoked.
    if home.registrations.isRevoked(claim.number) {
      home.log.info(
        "refused a revoked device",
        ["peer": stream?.peerDescription ?? "", "device": "\(claim.number)"])
      return end(.revoked)
    }
    guard home.hasRoomForDevice(from: stream?.peerAddress?.host) else {
      return end(.internalError, "too many devices are connected")
    }
    proveDevice()
    unproven = nil
    device = claim.number
    home.countConnected(claim.number, session)
    write { server.identify(as: uaid, at: home.loop.nowNanoseconds, output: &$0) }
    home.connect(
      claim.number, session, topics: home.registrations.webPushSubscriptions(of: claim.number),
      window: server.freeWindow, power: DevicePower())
    armTimer()
  }

  private func moveToHome(of claim: DeviceClaim, _ uaid: AutopushUserAgentID) {
    guard let stream else { return }
    // The device is not identified yet, but the slot belongs to this loop.
    if let slot = slot as? ConnectionSlot { unproven = slot.arrival }
    proveDevice()
    isClosed = true
    self.stream = nil
    timer.cancel(on: home.loop)
    home.move(
      self, stream.detach(unread: Array(input)),
      AutopushArrival(server: server, opening: opening, uaid: uaid, unproven: unproven),
      to: claim.number)
  }

  /// Gives up the slot among the connections that have not authenticated.
  private func proveDevice() {
    (slot as? ConnectionSlot)?.proveDevice()
    slot = nil
  }

  func answerEnrollment(_ answer: AutopushEnrollment) {
    switch answer {
    case .enrolled(let uaid): identify(as: uaid)
    case .refused(let refusal) where refusal.isTemporary:
      end(.internalError, "the gateway cannot add a device now: \(refusal.description)")
    case .refused(let refusal):
      end(
        .staysAway,
        "the gateway does not add this device: \(refusal.reason(hasCode: !opening.code.isEmpty))")
    }
  }

  // MARK: Calls of the home

  /// Answers a request about a subscription once its change is on disk.
  func answer(_ request: RegistrationTable.Request, with reply: RegistrationTable.Reply) {
    guard !isClosed else { return }
    switch reply {
    case .token(let entry): answer(request, with: entry)
    case .done, .notRegistered:
      channels[request.key.app] = nil
      write { server.answerRemoval(request.number, output: &$0) }
    case .tooMany: refuse(request.number, "the device has reached its limit of subscriptions")
    case .tryLater: refuse(request.number, "the gateway cannot store the change now")
    }
  }

  private func answer(_ request: RegistrationTable.Request, with entry: RegistrationTable.Entry) {
    guard let channel = server.channel(ofRequest: request.number) else {
      return assertionFailure("request \(request.number) was answered before")
    }
    let contents = TokenContents(
      environment: home.environment, kind: .webPush, generation: entry.generation,
      app: request.key.app, device: request.key.device)
    let token = home.tokens.sealEndpoint(
      contents, keyHash: request.keyHash, channel: channel.bytes)
    guard let endpoint = WebPushEndpointID(token: token) else {
      return refuse(request.number, "the gateway has no token key")
    }
    channels[request.key.app] = channel
    write {
      server.answerRegistration(
        request.number, endpoint: "\(home.linkSettings.webPushOrigin)/push/\(endpoint.text)",
        output: &$0)
    }
    home.addTopic(request.key, session)
  }

  func deliver(_ entry: DeliveryEntry) {
    guard !isClosed else { return }
    assert(entry.key.device == device, "a message is sent to its own device")
    // The ID of the message is the channel ID of its subscription.
    guard let channel = AutopushChannel(bytes: entry.id.bytes),
      let notification = AutopushNotification(
        channel: channel, version: entry.uniqueID.bytes,
        content: WebPushContent(deliveredBody: entry.payload))
    else { return assertionFailure("an ID has 16 bytes") }
    if entry.isRepetition { repetitions.insert(entry.sequence) }
    let isSent = write {
      server.deliver(
        notification, reference: entry.sequence, at: home.loop.nowNanoseconds, output: &$0)
    }
    assert(isSent, "the window has room for the message")
    armTimer()
  }

  func end(_ reason: SessionEnd) {
    switch reason {
    case .replaced: end(.normal, "the same browser connected again")
    case .revoked: end(.staysAway, "the device was revoked")
    case .storeFailed: end(.internalError, "the gateway cannot read its store now")
    }
  }

  func end(_ code: WebSocketCloseCode, _ text: String) {
    guard !isClosed else { return }
    perform(write { server.close(code, text, output: &$0) })
  }
}
