import PushWire
import Storage
import System
import Transport

/// A device's connection, which carries bytes between the socket, the link's protocol, and the delivery core.
///
/// The connection is confined to its device's home. It makes no decisions: ``DeviceLinkServer`` implements the
/// protocol, ``DeliveryCore`` decides what to send, and ``ControlPlane`` decides who may enroll and register.
final class DeviceConnection: DeviceSession, StreamHandler, TimerTarget {
  let session: SessionID
  /// The device that the certificate identifies; `nil` for a device that is enrolling.
  let device: UInt64?
  /// The census slot of a connection without a device certificate.
  var slot: StreamSlot?
  private let home: DeviceHome
  private var stream: ByteStream?
  private var link: DeviceLinkServer
  private var topics: Set<NotificationKey> = []
  private var channels: Set<ChannelID> = []
  private var isReady = false
  private var isClosed = false
  /// True if the control store contains the device with the certificate's key.
  private let isKnown: Bool
  /// The device's certificate and token key, which are reported to the control plane once the device is ready.
  private var arrival: Arrival?
  private var timer = DeadlineTimer()

  /// A separate object, so that its memory can be freed after the report; the connection is usually idle from then on.
  private final class Arrival {
    let certificate: DeviceArrival
    init(_ certificate: DeviceArrival) { self.certificate = certificate }
  }

  init(session: SessionID, device claim: DeviceClaim?, isKnown: Bool, home: DeviceHome) {
    let device = claim?.number
    assert(device != nil || isKnown, "only a device with a certificate can be unknown")
    self.session = session
    self.device = device
    self.isKnown = isKnown
    self.home = home
    arrival = claim.map {
      Arrival(
        DeviceArrival(device: $0.number, serial: $0.serial, tokenKey: home.rotation.tokenKey))
    }
    link = DeviceLinkServer(
      peer: device.map { .device($0) } ?? .unenrolled, nonce: home.context.makeID(),
      settings: home.linkSettings, at: home.loop.nowNanoseconds)
  }

  // MARK: Stream

  func streamOpened(_ stream: ByteStream) {
    self.stream = stream
    slot?.stream = stream
    home.metrics.countDeviceConnection(hasOwnRecords: stream.hasOwnRecords)
    if let device, home.registrations.isRevoked(device) {
      home.log.info(
        "refused a revoked device", ["peer": stream.peerDescription, "device": "\(device)"])
      end(.revoked)
      return
    }
    if !isKnown, let device, home.isDamaged(device) {
      home.log.warning(
        "refused a device whose row may be damaged: it retries later",
        ["peer": stream.peerDescription, "device": "\(device)"])
      end(.internalFailure)
      return
    }
    guard isKnown else {
      home.metrics.unknownDevices.add()
      home.log.warning(
        "refused a device that is not in this data folder: it enrolls again; was the folder restored from a backup?",
        ["peer": stream.peerDescription, "device": device.map(String.init) ?? ""])
      end(.unknownDevice)
      return
    }
    armTimer()
  }

  func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
    guard !isClosed else { return }
    var input = unsafe bytes
    while !isClosed {
      var output = home.takeScratch()
      let action = unsafe link.next(&input, at: home.loop.nowNanoseconds, output: &output)
      send(&output)
      guard let action else { break }
      perform(action)
    }
    armTimer()
  }

  func streamDrained(_ stream: ByteStream) {}

  func stream(_ stream: ByteStream, closed reason: StreamClosure) {
    if let why = reason.handshakeFailureOfClient {
      home.log.info(
        "refused a TLS handshake on the device port", ["peer": stream.peerDescription, "why": why])
    }
    isClosed = true
    self.stream = nil
    slot = nil
    timer.cancel(on: home.loop)
    home.remove(self)
  }

  func timerFired(tag: UInt64) {
    timer.fired()
    guard !isClosed else { return }
    var output = home.takeScratch()
    let action = link.timerFired(at: home.loop.nowNanoseconds, output: &output)
    send(&output)
    if let action { perform(action) }
    armTimer()
  }

  private func armTimer() {
    if !isClosed { timer.arm(for: link.deadline, on: home.loop, self) }
  }

  private func send(_ output: inout [UInt8]) {
    if !output.isEmpty { stream?.write(output) }
    home.returnScratch(&output)
  }

  // MARK: Actions

  private func perform(_ action: DeviceLinkServer.Action) {
    switch action {
    case .proceed:
      break
    case .connected:
      var output = home.takeScratch()
      link.accept(unixMilliseconds: UInt64(clamping: home.loop.unixMilliseconds), output: &output)
      link.announce(trustMark: home.rotation.trustMark, output: &output)
      send(&output)
    case .enroll(let enrollment, let signedBytes):
      home.context.ask(
        .enroll(
          session, enrollment, signedBytes: signedBytes, peer: stream?.peerDescription ?? ""))
    case .ready(let state):
      assert(!isReady, "a device becomes ready only once")
      isReady = true
      guard let device else {
        return assertionFailure("a connection without a device became ready for notifications")
      }
      assert(!home.registrations.isRevoked(device), "connected device \(device) is not revoked")
      home.connect(
        device, session, topics: topics, window: link.freeWindow, power: state.power)
      if let arrival { home.context.ask(.arrived(arrival.certificate)) }
      arrival = nil
      // Sort the channels, so that a run can be replayed.
      for channel in channels.sorted(by: { ($0.high, $0.low) < ($1.high, $1.low) }) {
        home.listen(to: channel, device, session)
      }
    case .renew(let publicKey):
      guard let device else {
        return assertionFailure("a connection without a device renewed a certificate")
      }
      home.context.ask(.renew(session, device: device, publicKey: publicKey))
    case .request(let number, let request):
      handle(number, request)
    case .settled:
      settle()
    case .discarded(let sequence, let reason):
      guard let device else {
        return assertionFailure("a connection without a device was sent a notification")
      }
      home.discard(device, session, sequence: sequence, reason)
    case .stateChanged(let state):
      guard let device, isReady else { return }
      home.setPower(device, session, state.power)
    case .pinged:
      guard let device, isReady else { return }
      home.onDeviceActivity(device, session)
    case .close(let fault):
      closed(by: fault)
    }
  }

  private func settle() {
    guard let device else {
      return assertionFailure("a connection without a device was sent a notification")
    }
    while let sequence = link.takeSettled() {
      home.acknowledge(device, session, sequence: sequence)
    }
  }

  private func closed(by fault: LinkFault) {
    isClosed = true
    if !fault.reason.isOrdinary {
      home.log.info(
        "closing a device link",
        ["peer": stream?.peerDescription ?? "", "why": "\(fault.reason)"])
    }
    stream?.close()
  }

  private func handle(_ number: UInt16, _ request: DeviceLinkServer.Request) {
    guard let device else {
      assertionFailure("a connection without a device sent a request")
      return answer(number, with: .refused(.tryLater))
    }
    switch request {
    case .topic(let verb, let topic):
      home.handle(verb, topic, of: device, request: number, on: self)
    case .subscribe(let bundleID, let channel):
      home.subscribe(self, to: channel, of: bundleID, request: number)
    case .unsubscribe(let bundleID, let channel):
      home.unsubscribe(self, device, from: channel, of: bundleID, request: number)
    }
  }

  // MARK: Calls of the home

  func answer(_ request: UInt16, with answer: DeviceLinkServer.Answer) {
    guard !isClosed else { return }
    var output = home.takeScratch()
    link.answer(request, with: answer, output: &output)
    send(&output)
  }

  /// Adds a topic for which the device can receive notifications.
  func add(topic key: NotificationKey) {
    topics.insert(key)
    if isReady { home.addTopic(key, session) }
  }

  /// Adds a channel that the device listens to on this connection.
  func add(channel: ChannelID) {
    channels.insert(channel)
    if isReady, let device { home.listen(to: channel, device, session) }
  }

  func remove(channel: ChannelID) { channels.remove(channel) }

  /// Notifies the device that the trusted authorities have changed.
  func announceTrust() {
    guard !isClosed else { return }
    var output = home.takeScratch()
    link.announce(trustMark: home.rotation.trustMark, output: &output)
    send(&output)
  }

  func answerRenewal(_ answer: DeviceLinkServer.RenewalAnswer) {
    guard !isClosed else { return }
    var output = home.takeScratch()
    link.answerRenewal(answer, output: &output)
    send(&output)
  }

  func answerEnrollment(_ answer: DeviceLinkServer.EnrollmentAnswer) {
    guard !isClosed else { return }
    if case .enrolled = answer { (slot as? ConnectionSlot)?.proveDevice() }
    var output = home.takeScratch()
    let action = link.answerEnrollment(answer, output: &output)
    send(&output)
    if let action { perform(action) }
  }

  func deliver(_ entry: DeliveryEntry) {
    guard !isClosed else { return }
    assert(
      isReady && entry.key.device == device,
      "the connection is ready and belongs to the notification's device")
    var output = home.takeScratch()
    let framed = LinkNotification(
      handle: entry.linkHandle, id: entry.id, uniqueID: entry.uniqueID,
      acceptedMilliseconds: UInt64(clamping: entry.acceptedMilliseconds),
      expiration: UInt64(clamping: entry.expiration), isFromStorage: entry.isFromStore,
      isBroadcast: entry.broadcast != nil, priority: entry.priority,
      pushTypeCode: entry.pushType.rawValue, collapseID: entry.collapseID, payload: entry.payload)
    let isSent = link.deliver(
      framed, reference: entry.sequence, at: home.loop.nowNanoseconds, output: &output)
    assert(isSent || link.isClosed || link.isDraining, "the window has room for the notification")
    send(&output)
    armTimer()
  }

  func end(_ reason: LinkCloseReason) {
    guard !isClosed else { return }
    var output = home.takeScratch()
    let action = link.close(reason, output: &output)
    send(&output)
    perform(action)
  }

  func drain(hint: LinkFrame.ReconnectHint, milliseconds: UInt32) {
    guard !isClosed else { return }
    var output = home.takeScratch()
    let action = link.drain(
      hint: hint, milliseconds: milliseconds, at: home.loop.nowNanoseconds, output: &output)
    send(&output)
    if let action { perform(action) }
    timer.cancel(on: home.loop)
    armTimer()
  }
}

extension DeviceState {
  /// The state in the form that the delivery core uses.
  var power: DevicePower {
    DevicePower(isAsleep: contains(.asleep), isRestricted: contains(.powerRestricted))
  }
}

extension DeliveryEntry {
  /// The number that identifies the app and the token kind, or the channel, in the entry's frame.
  var linkHandle: UInt32 { broadcast == nil ? key.linkHandle : channelHandle }
}

extension NotificationKey {
  /// The number that identifies the app and the token kind on every link.
  var linkHandle: UInt32 { app << 4 | UInt32(kind) }
}

extension LinkCloseReason {
  /// True if the reason is normal and not worth a log line.
  var isOrdinary: Bool {
    self == .goodbye || self == .enrolled || self == .draining || self == .replaced
  }
}
