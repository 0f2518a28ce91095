public import BelfryWire

/// The gateway's end of a device link, from the open TLS connection until the connection is closed
/// (`docs/device-link.md` 3).
///
/// The server does no I/O: it receives bytes, times, and decisions, appends bytes to the caller's `output`, and returns
/// actions. The shell must do the following:
///
/// - Pass every received byte to ``next(_:at:output:)``.
/// - Run the timer at ``deadline``.
/// - Call ``answer(_:with:output:)`` for each request.
/// - Send all bytes that were appended to `output` after each call.
/// - After ``Action/close(_:)``, send the output and close the connection.
public struct DeviceLinkServer: ~Copyable {
  /// The peer as identified by TLS.
  public enum Peer: Hashable, Sendable {
    /// A peer without a client certificate: the device can enroll.
    case unenrolled
    /// A peer with a certificate that this gateway's authority issued to this device.
    case device(UInt64)
  }

  /// An action for the shell to carry out.
  public enum Action: Equatable {
    /// A frame was handled; no action is needed.
    case proceed
    /// Decide on this enrollment, and call ``answerEnrollment(_:output:)``. The decision must include a check that
    /// `proof` is a signature of `signedBytes` by `publicKey`.
    case enroll(LinkFrame.Enrollment, signedBytes: [UInt8])
    /// The device that the certificate identifies sent CONNECT. Call ``accept(unixMilliseconds:output:)`` or
    /// ``close(_:output:)``, then continue.
    case connected(DeviceState)
    /// The device now accepts notifications.
    case ready(DeviceState)
    /// Decide on this request and call ``answer(_:with:output:)``.
    case request(UInt16, Request)
    /// Deliveries were settled; take them with ``takeSettled()`` until it returns `nil`.
    case settled
    /// The device discarded a delivery; the value is the delivery's reference.
    case discarded(UInt64, LinkDiscardReason)
    /// The device's state changed to this value.
    case stateChanged(DeviceState)
    /// The device sent a ping, so it is awake.
    case pinged
    /// Decide whether to issue another certificate for this key, and call ``answerRenewal(_:output:)``.
    case renew(publicKey: [UInt8])
    /// CLOSE was appended to `output`, or was received from the device: send the output, then close the connection.
    case close(LinkFault)
  }

  /// A request from a device.
  public enum Request: Hashable, Sendable {
    case topic(LinkFrame.TopicVerb, LinkTopic)
    case subscribe(bundleID: String, channel: [UInt8])
    case unsubscribe(bundleID: String, channel: [UInt8])
  }

  /// The answer to a request.
  public enum Answer: Equatable, Sendable {
    /// The answer to `register`.
    ///
    /// The gateway chooses the handle, which can be any number that distinguishes this app and kind from all others.
    case token(handle: UInt32, token: [UInt8])
    /// The answer to `subscribe`.
    case subscribed(handle: UInt32)
    /// The answer to all other requests.
    case done
    case refused(LinkRefusal)
  }

  /// The answer to an enrollment.
  public enum EnrollmentAnswer: Equatable, Sendable {
    /// The device's number, and the certificates of the device and the authority as PEM text.
    case enrolled(device: UInt64, chainPEM: [UInt8])
    case refused(LinkEnrollmentRefusal)
  }

  /// The durations, in nanoseconds, and the limits for a link.
  public struct Settings: Hashable, Sendable {
    /// The limits of the keep-alive intervals that the gateway assigns to devices.
    public var keepAlive = KeepAliveInterval.Policy()
    /// The longest time from the TLS handshake to HELLO.
    public var helloNanoseconds: Int64 = 10_000_000_000
    /// The longest time from HELLO to READY or ENROL.
    public var readyNanoseconds: Int64 = 30_000_000_000
    /// The time, in nanoseconds, for which the oldest delivery can be unacknowledged before the gateway sends a ping.
    public var acknowledgementNanoseconds: Int64 = 20_000_000_000
    /// The time for which deliveries can remain unacknowledged before the gateway disconnects the device, even if the
    /// device still answers pings.
    ///
    /// The unacknowledged deliveries remain in the store and are sent again on the device's next connection.
    public var unacknowledgedNanoseconds: Int64 = 180_000_000_000
    /// The time within which the device must answer a ping, and the tolerance for a late keep-alive.
    public var graceNanoseconds: Int64 = 15_000_000_000
    /// The maximum number of unacknowledged deliveries, even if the device allows more.
    public var windowMax = LinkLimits.windowMax
    /// The maximum number of unanswered requests.
    public var requestsMax: UInt16 = 1_024
    /// The gateway's environment, which is announced to devices; nil for no announcement.
    public var environment: Environment?
    /// The origin of the endpoints of Web Push subscriptions; empty if the gateway does not have a Web Push service.
    public var webPushOrigin = ""  // text: an operator chose it

    /// Creates settings with the values specified in `docs/device-link.md`.
    public init() {}
  }

  enum Phase {
    /// TLS is open; waiting for HELLO.
    case greeting
    /// WELCOME was sent; waiting for ENROL or CONNECT.
    case greeted
    /// The decision on an enrollment is pending.
    case enrolling
    /// CONNECT was received; waiting for READY.
    case connected
    /// READY was received; notifications are delivered.
    case ready
    /// Nothing more is delivered; the device is expected to disconnect before ``drainEnd``.
    case draining
    case closed
  }

  private let peer: Peer
  private let nonce: NotificationID
  private let settings: Settings
  var phase = Phase.greeting
  private var splitter = LinkFrameSplitter(bodyBytesMax: LinkLimits.deviceBodyBytesMax)
  private var deliveries = DeliveriesInFlight()
  private var keepAlive: KeepAliveInterval
  private var state: DeviceState = []
  private var window: UInt16 = 1
  private var openRequests: UInt16 = 0
  /// The first flag is true if the device renews its certificate; the second is true while it waits for a certificate.
  var renews = false, isRenewing = false
  /// The deadline of the current phase, for HELLO, for READY, or for the end of draining.
  private var phaseEnd: Int64
  private var lastHeard: Int64
  /// The time since which an acknowledgment has been due: the time of the first delivery or the latest acknowledgment,
  /// whichever is later.
  ///
  /// The value is `.max` if no delivery is unsettled.
  private var waitingSince: Int64 = .max
  /// The time of the last ping that was sent because an acknowledgment was late.
  private var probed: Int64 = .min
  /// The time at which an answer to the gateway's ping is due.
  private var probeEnd: Int64 = .max

  /// Creates a link whose TLS handshake has just finished.
  ///
  /// `nonce` must be random.
  public init(peer: Peer, nonce: NotificationID, settings: Settings = Settings(), at now: Int64) {
    self.peer = peer
    self.nonce = nonce
    self.settings = settings
    keepAlive = KeepAliveInterval(policy: settings.keepAlive, provedSeconds: 0, failedSeconds: 0)
    phaseEnd = now + settings.helloNanoseconds
    lastHeard = now
  }

  // MARK: Queries and timers

  /// The time at which ``timerFired(at:output:)`` is due, in nanoseconds on the loop clock; `.max` for never.
  public var deadline: Int64 {
    switch phase {
    case .closed: return .max
    case .greeting, .greeted, .enrolling, .connected, .draining: return phaseEnd
    case .ready:
      let silence = lastHeard + keepAlive.silenceNanoseconds(grace: settings.graceNanoseconds)
      guard waitingSince != .max else { return silence }
      let late = max(waitingSince, probed) + settings.acknowledgementNanoseconds
      return min(silence, probeEnd, late, waitingSince + settings.unacknowledgedNanoseconds)
    }
  }

  /// The number of notifications that ``deliver(_:reference:at:output:)`` accepts now.
  public var freeWindow: Int {
    guard case .ready = phase, deliveries.next < .max else { return 0 }
    return max(0, Int(window) - deliveries.count)
  }

  /// The number of deliveries that the device has not settled.
  public var unsettled: Int { deliveries.count }

  /// True if the link is closed.
  public var isClosed: Bool {
    guard case .closed = phase else { return false }
    return true
  }

  /// True if the device was asked to disconnect.
  public var isDraining: Bool {
    if case .draining = phase { true } else { false }
  }

  /// The device's current keep-alive interval in seconds.
  public var intervalSeconds: UInt16 { keepAlive.seconds }

  // MARK: Bytes

  /// Handles the next frame in `input` and advances `input` past the frame.
  ///
  /// Returns `nil` when the input contains no further complete frame. Call this method until it returns `nil` or
  /// ``Action/close(_:)``.
  public mutating func next(
    _ input: inout UnsafeRawBufferPointer, at now: Int64, output: inout [UInt8]
  ) -> Action? {
    if case .closed = phase { return nil }
    do throws(LinkFault) {
      guard let frame = unsafe try splitter.next(&input) else { return nil }
      let quiet = now - lastHeard
      lastHeard = now
      probeEnd = .max
      guard let decoded = unsafe try LinkFrame(type: frame.type, body: frame.body) else {
        return .proceed
      }
      return try handle(decoded, quiet: quiet, at: now, output: &output)
    } catch {
      return close(error, output: &output)
    }
  }

  private mutating func handle(
    _ frame: LinkFrame, quiet: Int64, at now: Int64, output: inout [UInt8]
  ) throws(LinkFault) -> Action {
    if case .close(let fault) = frame {
      phase = .closed
      return .close(fault)
    }
    switch phase {
    case .greeting:
      guard case .hello(let hello) = frame else { throw frame.unexpected }
      return try handleHello(hello, at: now, output: &output)
    case .greeted:
      return try handleOpening(frame, at: now)
    case .enrolling, .closed:
      throw frame.unexpected
    case .connected, .ready, .draining:
      return try handleTraffic(frame, quiet: quiet, at: now, output: &output)
    }
  }

  private mutating func handleHello(
    _ hello: LinkFrame.Hello, at now: Int64, output: inout [UInt8]
  ) throws(LinkFault) -> Action {
    guard (hello.oldestVersion...hello.newestVersion).contains(LinkLimits.version) else {
      throw LinkFault(.unsupportedVersion, frameType: LinkFrameType.hello.rawValue)
    }
    phase = .greeted
    phaseEnd = now + settings.readyNanoseconds
    (state, renews) = (hello.state, hello.renews)
    window = min(hello.window, settings.windowMax)
    keepAlive = KeepAliveInterval(
      policy: settings.keepAlive, provedSeconds: hello.provedSeconds,
      failedSeconds: hello.failedSeconds)
    let welcome = LinkFrame.Welcome(
      intervalSeconds: keepAlive.seconds, nonce: nonce, environment: settings.environment,
      webPushOrigin: settings.webPushOrigin)
    LinkFrame.welcome(welcome).encode(to: &output)
    return .proceed
  }

  private mutating func handleOpening(_ frame: LinkFrame, at now: Int64) throws(LinkFault) -> Action
  {
    switch (frame, peer) {
    case (.enroll(let enrollment), .unenrolled):
      phase = .enrolling
      phaseEnd = now + settings.readyNanoseconds
      return .enroll(enrollment, signedBytes: enrollment.signedBytes(nonce: nonce))
    case (.connect, .device):
      phase = .connected
      return .connected(state)
    case (.connect, .unenrolled):
      throw LinkFault(.certificateRequired, frameType: LinkFrameType.connect.rawValue)
    default:
      throw frame.unexpected
    }
  }

  private mutating func handleTraffic(
    _ frame: LinkFrame, quiet: Int64, at now: Int64, output: inout [UInt8]
  ) throws(LinkFault) -> Action {
    switch frame {
    case .acknowledge(let number):
      guard mayAcknowledge, deliveries.acknowledge(through: number) else {
        throw mayAcknowledge
          ? LinkFault(.badAcknowledgement, frameType: frame.type.rawValue) : frame.unexpected
      }
      waitingSince = now
      return .settled
    case .discard(let number, let reason):
      guard mayAcknowledge, let reference = deliveries.takeDiscarded(number) else {
        throw mayAcknowledge
          ? LinkFault(.badAcknowledgement, frameType: frame.type.rawValue) : frame.unexpected
      }
      waitingSince = deliveries.count == 0 ? .max : now
      return .discarded(reference, reason)
    case .topic(let verb, let request, let topic):
      return try handleRequest(request, .topic(verb, topic), frame, output: &output)
    case .subscribe(let request, let bundleID, let channel):
      return try handleRequest(
        request, .subscribe(bundleID: bundleID, channel: channel), frame, output: &output)
    case .unsubscribe(let request, let bundleID, let channel):
      return try handleRequest(
        request, .unsubscribe(bundleID: bundleID, channel: channel), frame, output: &output)
    case .ready:
      if case .draining = phase { return .proceed }
      guard case .connected = phase else { throw frame.unexpected }
      phase = .ready
      return .ready(state)
    case .state(let new):
      guard new != state else { return .proceed }
      state = new
      return .stateChanged(new)
    case .ping(let token):
      // Only a ping after a full interval of silence proves that the path survives a silence of this length.
      if quiet >= Int64(keepAlive.seconds) * 900_000_000 { keepAlive.held() }
      deliveries.rest()
      LinkFrame.pong(token, intervalSeconds: keepAlive.seconds).encode(to: &output)
      return .pinged
    case .pong:
      return .proceed
    case .renew(let publicKey):
      return try handleRenew(publicKey, frame, output: &output)
    default:
      throw frame.unexpected
    }
  }

  private var mayAcknowledge: Bool {
    switch phase {
    case .ready, .draining: true
    default: false
    }
  }

  private mutating func handleRequest(
    _ number: UInt16, _ request: Request, _ frame: LinkFrame, output: inout [UInt8]
  ) throws(LinkFault) -> Action {
    if case .draining = phase {
      LinkFrame.refused(request: number, .tryLater).encode(to: &output)
      return .proceed
    }
    guard openRequests < settings.requestsMax else {
      throw LinkFault(.tooManyRequests, frameType: frame.type.rawValue)
    }
    openRequests += 1
    return .request(number, request)
  }

  // MARK: Calls from the gateway

  /// Accepts the device.
  ///
  /// `unixMilliseconds` is the time on the gateway's clock.
  public mutating func accept(unixMilliseconds: UInt64, output: inout [UInt8]) {
    guard case .connected = phase, case .device(let device) = peer else {
      return assertionFailure("a link that was not waiting for acceptance was accepted: \(phase)")
    }
    LinkFrame.connected(device: device, unixMilliseconds: unixMilliseconds).encode(to: &output)
  }

  /// Sends a notification.
  ///
  /// Returns `false`, and sends nothing, if the window is full or the notification exceeds the protocol's limits.
  /// Otherwise, ``takeSettled()`` or ``Action/discarded(_:_:)`` later returns `reference`, which must not be `.max`.
  public mutating func deliver(
    _ notification: borrowing LinkNotification, reference: UInt64, at now: Int64,
    output: inout [UInt8]
  ) -> Bool {
    guard freeWindow > 0 else { return false }
    var numbered = copy notification
    numbered.delivery = deliveries.next
    guard numbered.encode(to: &output) else { return false }
    deliveries.append(reference)
    assert(deliveries.count <= Int(window), "the number of deliveries is within the window")
    if waitingSince == .max { waitingSince = now }
    return true
  }

  /// Returns the reference of the next delivery that the device acknowledged, oldest first, or `nil` if no acknowledged
  /// delivery remains.
  public mutating func takeSettled() -> UInt64? {
    let reference = deliveries.takeAcknowledged()
    if reference == nil, deliveries.count == 0 { waitingSince = .max }
    return reference
  }

  /// Answers a request.
  ///
  /// Does nothing once the link is closed.
  public mutating func answer(_ request: UInt16, with answer: Answer, output: inout [UInt8]) {
    // The link might have been closed before the caller decided.
    if case .closed = phase { return }
    precondition(openRequests > 0, "only an open request is answered")
    openRequests -= 1
    switch answer {
    case .token(let handle, let token):
      LinkFrame.token(request: request, handle: handle, token: token).encode(to: &output)
    case .subscribed(let handle):
      LinkFrame.subscribed(request: request, handle: handle).encode(to: &output)
    case .done: LinkFrame.done(request: request).encode(to: &output)
    case .refused(let refusal):
      LinkFrame.refused(request: request, refusal).encode(to: &output)
    }
  }

  /// Answers the enrollment, and closes the link so that the device reconnects with its certificate.
  ///
  /// Returns `nil` if the link was already closed.
  public mutating func answerEnrollment(
    _ answer: EnrollmentAnswer, output: inout [UInt8]
  ) -> Action? {
    // The device might have disconnected before the caller decided.
    guard case .enrolling = phase else { return nil }
    assert(peer == .unenrolled, "only a device without a certificate enrolls")
    switch answer {
    case .enrolled(let device, let chainPEM):
      LinkFrame.enrolled(device: device, chainPEM: chainPEM).encode(to: &output)
      return close(LinkFault(.enrolled), output: &output)
    case .refused(let refusal):
      LinkFrame.enrollRefused(refusal).encode(to: &output)
      return close(LinkFault(.goodbye), output: &output)
    }
  }

  /// Asks the device to disconnect, and closes the link after `milliseconds` if the device has not done so.
  ///
  /// A link that is still being opened is closed immediately.
  public mutating func drain(
    hint: LinkFrame.ReconnectHint, milliseconds: UInt32, at now: Int64, output: inout [UInt8]
  ) -> Action? {
    switch phase {
    case .closed, .draining:
      return nil
    case .greeting, .greeted, .enrolling:
      return close(LinkFault(.draining), output: &output)
    case .connected, .ready:
      LinkFrame.draining(milliseconds: milliseconds).encode(to: &output)
      LinkFrame.reconnect(hint).encode(to: &output)
      phase = .draining
      phaseEnd = now + Int64(milliseconds) * 1_000_000
      return nil
    }
  }

  /// Closes the link for a reason on the gateway's side, such as revoked, replaced, or overloaded.
  @discardableResult
  public mutating func close(_ reason: LinkCloseReason, output: inout [UInt8]) -> Action {
    close(LinkFault(reason), output: &output)
  }

  private mutating func close(_ fault: LinkFault, output: inout [UInt8]) -> Action {
    if case .closed = phase { return .close(fault) }
    LinkFrame.close(fault).encode(to: &output)
    phase = .closed
    return .close(fault)
  }

  // MARK: Invariants

  /// Asserts the invariants that hold between calls.
  ///
  /// Tests and the simulation call this method after each event.
  public func checkInvariants() {
    deliveries.checkInvariants()
    assert(
      openRequests <= settings.requestsMax,
      "the number of open requests is within its limit: \(openRequests)")
    assert(window <= settings.windowMax, "the window is within its limit: \(window)")
    assert(deliveries.count <= Int(window), "the number of deliveries is within the window")
    assert(deliveries.count == 0 || waitingSince != .max, "unsettled deliveries have a deadline")
    assert(phaseEnd != .max, "a phase has a deadline")
    switch phase {
    case .greeting, .greeted:
      assert(
        deliveries.count == 0 && openRequests == 0, "nothing was sent or requested before CONNECT")
      assert(
        waitingSince == .max && probeEnd == .max, "no deadlines of a session are set before CONNECT"
      )
    case .enrolling:
      assert(peer == .unenrolled, "only a device without a certificate enrolls")
      assert(
        deliveries.count == 0 && openRequests == 0, "nothing was sent or requested before CONNECT")
    case .connected:
      assert(peer != .unenrolled, "only a device with a certificate is connected")
      assert(deliveries.count == 0, "no notifications were sent before READY")
    case .ready:
      assert(peer != .unenrolled, "only a device with a certificate is connected")
      assert(deadline < .max, "a ready link has a deadline")
    case .draining:
      assert(peer != .unenrolled, "only a device with a certificate is connected")
    case .closed:
      assert(deadline == .max, "a closed link has no deadline")
    }
  }

  // MARK: Time

  /// Handles all events that are due at `now`.
  ///
  /// Call this method at ``deadline``; an earlier call is harmless.
  public mutating func timerFired(at now: Int64, output: inout [UInt8]) -> Action? {
    guard now >= deadline else { return nil }
    switch phase {
    case .closed: return nil
    case .greeting, .greeted, .enrolling, .connected:
      return close(LinkFault(.tooSlow), output: &output)
    case .draining:
      return close(LinkFault(.draining), output: &output)
    case .ready:
      let silence = keepAlive.silenceNanoseconds(grace: settings.graceNanoseconds)
      guard now - lastHeard < silence, now < probeEnd else {
        return close(LinkFault(.silent), output: &output)
      }
      guard
        waitingSince == .max || now - waitingSince < settings.unacknowledgedNanoseconds
      else { return close(LinkFault(.tooSlow), output: &output) }
      // An acknowledgment is late: check whether the device still responds.
      LinkFrame.ping(UInt32(truncatingIfNeeded: now)).encode(to: &output)
      probeEnd = now + settings.graceNanoseconds
      probed = now
      return nil
    }
  }
}

extension LinkFrame {
  /// The fault with which to close the link if this frame is not allowed now.
  var unexpected: LinkFault { LinkFault(.unexpectedFrame, frameType: type.rawValue) }
}
