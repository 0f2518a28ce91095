import BelfryWire
import PushWire
import Storage
import System
import Transport

/// A provider's connection on the legacy binary interface (apns-protocol section 7).
///
/// The provider sends frames. The gateway doesn't answer an accepted frame. It answers a faulty frame with an error
/// packet and then closes the connection, so all later frames are discarded. If the device's home is on another loop,
/// the connection therefore waits for the home's answer before it handles the next frame.
///
/// The connection is confined to its loop.
final class BinaryConnection: ProviderPeer, StreamHandler {
  let number: UInt64
  let load = ProviderLoad()
  private let front: ProviderFront
  private var stream: ByteStream?
  private var certificate: CertificateCredential?
  private var parser = BinaryFrameParser()
  private var nextSerial: Int32 = 0
  /// The identifiers of the frames that were submitted but not yet answered, by serial number.
  private var open: [Int32: UInt32?] = [:]
  private var awaited: Int32?
  /// The first faulty frame; its serial number is `.max` if the frame wasn't submitted.
  private var refusal: (serial: Int32, status: BinaryStatus, identifier: UInt32?)?
  private var lastAccepted: UInt32 = 0
  private var lastAcceptedSerial: Int32 = 0
  private var isDraining = false
  private var isClosing = false
  /// True if the provider has disconnected; frames that were received earlier are still handled.
  private var hasEnded = false
  /// True if the provider has finished sending; the provider might still read an error packet.
  private var inputHasEnded = false
  private var idleTimer: TimerID?
  private var lastReceived: Int64 = 0
  /// The arrival time of the first byte of an incomplete frame, in monotonic nanoseconds.
  private var frameBegan: Int64?

  init(number: UInt64, front: ProviderFront) {
    self.number = number
    self.front = front
  }

  // MARK: Stream

  func streamOpened(_ stream: ByteStream) {
    self.stream = stream
    guard let shown = stream.peerCertificate,
      case .accepted(let credential) = CertificateCredential.of(
        shown, in: front.directory, for: front.environment)
    else {
      front.log.info(
        "closed a binary connection: its certificate is for the other environment",
        ["peer": stream.peerDescription])
      isClosing = true
      stream.close()
      return
    }
    certificate = credential
    stream.proveProvider()
    scheduleIdleCheck()
  }

  func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
    guard !isClosing else { return }
    lastReceived = front.loop.nowNanoseconds
    let arrived = unsafe bytes.assumingMemoryBound(to: UInt8.self)
    unsafe parser.append(arrived.span)
    handleFrames()
  }

  func streamAwaitsAnswers(_ stream: ByteStream) -> Bool {
    inputHasEnded = true
    handleFrames()
    return !isClosing && !open.isEmpty
  }

  func streamDrained(_ stream: ByteStream) {}

  func stream(_ stream: ByteStream, closed reason: StreamClosure) {
    if let why = reason.handshakeFailureOfClient {
      front.log.info(
        "refused a TLS handshake on the binary port",
        ["peer": stream.peerDescription, "why": why])
    }
    self.stream = nil
    hasEnded = true
    if let idleTimer { front.loop.cancel(idleTimer) }
    idleTimer = nil
    // The client might have written frames immediately before it disconnected.
    handleFrames()
    removeIfDone()
  }

  private func removeIfDone() {
    guard hasEnded, isClosing || open.isEmpty else { return }
    isClosing = true
    front.remove(self)
  }

  private func handleFrames() {
    // A frame that would exceed the limit of unanswered frames waits until the next answer arrives.
    while !isClosing, !isDraining, awaited == nil, refusal == nil, mayHandleFrame {
      switch parser.next() {
      case .incomplete:
        if parser.heldBytes == 0 {
          frameBegan = nil
        } else if frameBegan == nil {
          frameBegan = front.loop.nowNanoseconds
        }
        if parser.heldBytes < Limits.binaryHeldBytesMax { stream?.resumeReading() }
        return
      case .fault(let status, let identifier):
        refuse(status, identifier: identifier, for: status.rejection)
      case .notification(let notification):
        frameBegan = nil
        handle(notification)
      }
    }
    if parser.heldBytes >= Limits.binaryHeldBytesMax { stream?.pauseReading() }
  }

  private var mayHandleFrame: Bool {
    guard !load.hasRoom else { return true }
    front.metrics.count(.connection)
    return false
  }

  private func handle(_ notification: BinaryNotification) {
    assert(load.hasRoom, "the connection may have another unanswered push")
    if let fault = notification.sizeFault {
      refuse(fault, of: notification, for: fault.rejection)
      return
    }
    guard let certificate, let topic = certificate.topics.first else {
      refuse(.missingTopic, of: notification, for: .missingTopic)
      return
    }
    guard !front.directory.isRevoked(certificateSerial: certificate.serial) else {
      refuse(.unknown, of: notification, for: .badCertificate)
      return
    }
    // Check the payload before the token, and use the same reason for a refusal as the HTTP/2 interface (apns-protocol
    // 1.12).
    guard PayloadSyntax.isObject(notification.payload.span) else {
      refuse(.processingError, of: notification, for: .payloadEmpty)
      return
    }
    if let script = front.faults, isFaulty(notification, topic: topic, by: script) { return }
    guard let app = front.directory.app(bundleID: topic.span), app.teamID == certificate.teamID,
      let contents = front.tokens.open(notification.token.span), contents.app == app.number,
      contents.kind == .alert
    else {
      if mayBeDamaged(notification, topic: topic) {
        refuse(.serviceUnavailable, of: notification)
        return
      }
      refuse(.invalidToken, of: notification, for: .badDeviceToken)
      return
    }
    guard app.teamRate?.admits(at: front.loop.nowNanoseconds) ?? true else {
      refuse(.tooManyRequests, of: notification)
      return
    }
    let team = load.team ?? front.connections.load(ofTeam: app.teamID)
    load.team = team
    guard team.hasRoom else {
      front.metrics.count(.team)
      refuse(.serviceUnavailable, of: notification)
      return
    }
    nextSerial &+= 1
    assert(open[nextSerial] == nil && awaited == nil, "no other frame is awaited")
    open[nextSerial] = .some(notification.identifier)
    let isHere = front.context.isHome(of: contents.device)
    if !isHere { awaited = nextSerial }
    front.submit(submission(notification, contents, keep: app.keep), of: self)
  }

  /// Returns true if the topic's app, or the token's app, might exist in a damaged row.
  private func mayBeDamaged(_ notification: BinaryNotification, topic: [UInt8]) -> Bool {
    guard let app = front.directory.app(bundleID: topic.span) else {
      return front.directory.mayBeDamaged(bundleID: topic.span)
    }
    guard let contents = front.tokens.open(notification.token.span), contents.app != app.number
    else { return false }
    return front.directory.mayBeDamaged(app: contents.app)
  }

  /// Returns true if a scripted fault (`belfry fault`) has closed the connection.
  ///
  /// Faults without a counterpart on this interface, such as a delayed answer, are ignored.
  private func isFaulty(
    _ notification: BinaryNotification, topic: [UInt8], by script: FaultScript
  ) -> Bool {
    let effects = script.effects(
      token: notification.token.span, topic: topic.span,
      .request(UInt32(clamping: nextSerial), hasSentGoAway: false))
    if effects.closes {
      isClosing = true
      stream?.close(afterFlush: false)
      return true
    }
    if effects.goesAway {
      drain()
      return true
    }
    guard
      let answer = script.answer(
        token: notification.token.span, topic: topic.span, at: front.loop.unixMilliseconds,
        random: &front.context.random)
    else { return false }
    guard answer.rejection != .shutdown else {
      front.metrics.count(answer.rejection)
      drain()
      return true
    }
    refuse(answer.rejection, of: notification)
    return true
  }

  private func submission(
    _ notification: BinaryNotification, _ contents: TokenContents, keep: UInt32
  ) -> Submission {
    let latest = front.storageStartSeconds + Int64(WireLimits.storageDaysMax) * 86_400
    return Submission(
      contents, id: front.makeID(), uniqueID: front.makeID(),
      expiration: min(notification.expiration.map(Int64.init) ?? latest, latest),
      priority: notification.priority, pushType: .alert, collapseID: [],
      payload: notification.payload, acceptedMilliseconds: front.loop.unixMilliseconds, keep: keep,
      reply: front.address(of: self, nextSerial))
  }

  // MARK: Answers

  func answer(_ serial: Int32, _ answer: ProviderAnswer) {
    guard let identifier = open.removeValue(forKey: serial) else {
      return assertionFailure("an answer arrived for frame \(serial), which is not open")
    }
    assert(
      awaited == nil || awaited == serial || open[awaited ?? 0] != nil, "an awaited frame is open")
    if awaited == serial { awaited = nil }
    switch answer {
    case .accepted:
      if let identifier, serial > lastAcceptedSerial {
        lastAccepted = identifier
        lastAcceptedSerial = serial
      }
      front.metrics.accepted.add()
    case .refused(let rejection, _):
      refuse(rejection, identifier: identifier, serial: serial)
    }
    closeIfRefused()
    handleFrames()
    if isDraining, open.isEmpty { endDraining() }
    endIfAnswered()
    removeIfDone()
  }

  /// Closes the connection if the provider has finished sending and no frame is unanswered.
  private func endIfAnswered() {
    guard inputHasEnded, !hasEnded, !isClosing, open.isEmpty else { return }
    isClosing = true
    stream?.close()
  }

  private func refuse(_ rejection: Rejection, identifier: UInt32?, serial: Int32) {
    refuse(BinaryStatus(rejection), identifier: identifier, for: rejection, serial: serial)
  }

  private func refuse(_ rejection: Rejection, of notification: BinaryNotification) {
    refuse(BinaryStatus(rejection), of: notification, for: rejection)
  }

  private func refuse(
    _ status: BinaryStatus, of notification: BinaryNotification, for reason: Rejection?
  ) {
    refuse(
      status, identifier: notification.identifier, for: reason, payload: notification.payload)
  }

  /// Records a refusal; no later frame is handled.
  private func refuse(
    _ status: BinaryStatus, identifier: UInt32?, for reason: Rejection?, serial: Int32 = .max,
    payload: [UInt8] = []
  ) {
    if let reason {
      front.metrics.count(reason)
      let id = front.makeID()
      if front.noteRefusal(reason, id: id, token: [], topic: certificate?.topics.first ?? []),
        !payload.isEmpty
      {
        front.context.shared.payloads?.retain(payload, id: id, uniqueID: nil)
      }
    }
    guard !isClosing else { return }
    if let refusal, refusal.serial <= serial { return }
    refusal = (serial, status, identifier)
    front.log.info(
      "refused a notification of the binary interface",
      [
        "peer": stream?.peerDescription ?? "", "status": "\(status.rawValue)",
        "why": reason.map { "\($0.row.reason)" } ?? "not a valid frame",
      ])
    closeIfRefused()
  }

  /// Sends the error packet and closes the connection, once all earlier frames have been answered.
  ///
  /// The packet identifies the faulty frame and implies that every earlier frame was accepted. If the faulty frame has
  /// no identifier, the connection closes without a packet, because an identifier of 0 would be ambiguous
  /// (apns-protocol 7.2).
  private func closeIfRefused() {
    guard let refusal, !isClosing, open.keys.allSatisfy({ $0 > refusal.serial }) else { return }
    isClosing = true
    if let identifier = refusal.identifier {
      stream?.write(refusal.status.packet(identifier: identifier))
    }
    stream?.close()
    removeIfDone()
  }

  /// Stops handling frames.
  ///
  /// The shutdown packet, status 10, identifies the last accepted frame, so it is sent only after all answers have
  /// arrived.
  func drain() {
    guard !isClosing, !isDraining else { return }
    isDraining = true
    if open.isEmpty { endDraining() }
  }

  private func endDraining() {
    guard !isClosing else { return }
    isClosing = true
    stream?.write(BinaryStatus.shutdown.packet(identifier: lastAccepted))
    stream?.close()
    removeIfDone()
  }

  func close() {
    isClosing = true
    stream?.close(afterFlush: false)
    removeIfDone()
  }
}

/// The limits on slow and idle providers of the binary interface, which has no other keep-alive.
extension BinaryConnection: TimerTarget {
  private func scheduleIdleCheck() {
    lastReceived = max(lastReceived, front.loop.nowNanoseconds)
    idleTimer = front.loop.schedule(afterNanoseconds: Limits.idleCheckNanoseconds, self)
  }

  func timerFired(tag: UInt64) {
    idleTimer = nil
    guard !isClosing, let stream else { return }
    let now = front.loop.nowNanoseconds
    let isSlow = frameBegan.map { now - $0 >= Limits.providerRequestNanoseconds } ?? false
    guard isSlow || now - lastReceived >= Limits.providerIdleNanoseconds else {
      idleTimer = front.loop.schedule(afterNanoseconds: Limits.idleCheckNanoseconds, self)
      return
    }
    front.log.info(
      isSlow
        ? "closed a binary connection: incomplete frame after the time limit"
        : "closed an idle binary connection", ["peer": stream.peerDescription])
    close()
  }
}
