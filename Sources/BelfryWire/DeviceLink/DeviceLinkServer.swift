/// The gateway's end of one device link, from the open TLS connection to its close
/// (`docs/device-link.md` 3).
///
/// Pure: bytes, times and decisions come in; bytes are appended to the caller's `output` and actions
/// returned. The shell owes it four things: every received byte through ``next(_:at:output:)``, the timer at
/// ``deadline``, an ``answer(_:with:output:)`` for each request, and the sending of what `output` has
/// gained after each call. After a ``Action/close(_:)`` it sends that, closes the connection and is done.
public struct DeviceLinkServer: ~Copyable {
  /// The peer that TLS has identified.
  public enum Peer: Hashable, Sendable {
    /// No client certificate: the device may enrol.
    case unenrolled
    /// A certificate of this gateway's authority names this device.
    case device(UInt64)
  }

  /// What the shell has to do.
  public enum Action: Equatable {
    /// A frame was handled; nothing to do.
    case proceed
    /// Decide on this enrolment and call ``answerEnrolment(_:output:)``: check that `proof` is a
    /// signature by `publicKey` over `signedBytes`.
    case enrol(LinkFrame.Enrolment, signedBytes: [UInt8])
    /// The device named by the certificate said CONNECT: call ``accept(unixMilliseconds:output:)`` or
    /// ``close(_:output:)``, then go on.
    case connected(DeviceState)
    /// The device accepts notifications from now on.
    case ready(DeviceState)
    /// Decide on this request and call ``answer(_:with:output:)``.
    case request(UInt16, Request)
    /// Deliveries were settled: take them with ``takeSettled()`` until it returns `nil`.
    case settled
    /// One delivery was thrown away by the device; the value is its reference.
    case discarded(UInt64, LinkDiscardReason)
    /// The device's state is now this.
    case stateChanged(DeviceState)
    /// The device pinged: it is awake.
    case pinged
    /// Decide on another certificate for this key, and call ``answerRenewal(_:output:)``.
    case renew(publicKey: [UInt8])
    /// CLOSE is in `output`, or came from the device: send, then close the connection.
    case close(LinkFault)
  }

  /// What a device may ask.
  public enum Request: Hashable, Sendable {
    case topic(LinkFrame.TopicVerb, LinkTopic)
    case subscribe(bundleID: String, channel: [UInt8])
    case unsubscribe(bundleID: String, channel: [UInt8])
  }

  /// How a request is answered.
  public enum Answer: Equatable, Sendable {
    /// To `register`: the handle is the gateway's choice, any number that tells this app and kind
    /// from others.
    case token(handle: UInt32, token: [UInt8])
    /// To `subscribe`.
    case subscribed(handle: UInt32)
    /// To the others.
    case done
    case refused(LinkRefusal)
  }

  /// How an enrolment is answered.
  public enum EnrolmentAnswer: Equatable, Sendable {
    /// The device's number, its certificate and the authority's as PEM text.
    case enrolled(device: UInt64, chainPEM: [UInt8])
    case refused(LinkEnrolmentRefusal)
  }

  /// The times and bounds of a link; nanoseconds.
  public struct Settings: Hashable, Sendable {
    /// The intervals that devices get.
    public var keepAlive = KeepAliveInterval.Policy()
    /// From TLS to HELLO.
    public var helloNanoseconds: Int64 = 10_000_000_000
    /// From HELLO to READY or ENROL.
    public var readyNanoseconds: Int64 = 30_000_000_000
    /// After which the oldest unacknowledged delivery makes the gateway ping.
    public var acknowledgementNanoseconds: Int64 = 20_000_000_000
    /// Without a further acknowledgement a device that owes some is disconnected, even if it is responsive: what
    /// it does not take waits in the store for the next time.
    public var unacknowledgedNanoseconds: Int64 = 180_000_000_000
    /// Within which an answer to a ping has to come; also what a silence may be late.
    public var graceNanoseconds: Int64 = 15_000_000_000
    /// Unacknowledged deliveries at most, even if the device allows more.
    public var windowMax = LinkLimits.windowMax
    /// Requests that may be unanswered at a time.
    public var requestsMax: UInt16 = 1_024
    /// What devices are told of the gateway's environment; nil is nothing.
    public var environment: Environment?

    /// The values of `docs/device-link.md`.
    public init() {}
  }

  enum Phase {
    /// TLS is open, HELLO awaited.
    case greeting
    /// WELCOME is sent; ENROL or CONNECT awaited.
    case greeted
    /// An enrolment is being decided on.
    case enrolling
    /// CONNECT was said; READY awaited.
    case connected
    /// Notifications flow.
    case ready
    /// Nothing flows any more; the device is expected to go before ``drainEnd``.
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
  /// Whether the device renews, and whether it waits for a certificate.
  var renews = false, isRenewing = false
  /// When the phase has to be over: HELLO, READY, the drain's end.
  private var phaseEnd: Int64
  private var lastHeard: Int64
  /// Since when the oldest delivery waits, or the last one was settled.
  private var waitingSince: Int64 = .max
  /// When the last ping went out because an acknowledgement was late.
  private var probed: Int64 = .min
  /// When an answer to our ping is due.
  private var probeEnd: Int64 = .max

  /// A link whose TLS handshake has just finished; `nonce` has to be random.
  public init(peer: Peer, nonce: NotificationID, settings: Settings = Settings(), at now: Int64) {
    self.peer = peer
    self.nonce = nonce
    self.settings = settings
    keepAlive = KeepAliveInterval(policy: settings.keepAlive, provedSeconds: 0, failedSeconds: 0)
    phaseEnd = now + settings.helloNanoseconds
    lastHeard = now
  }

  // MARK: What the shell asks

  /// When ``timerFired(at:output:)`` is due, in the loop's nanoseconds; `.max`: never.
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

  /// How many notifications ``deliver(_:reference:at:output:)`` accepts now.
  public var freeWindow: Int {
    guard case .ready = phase, deliveries.next < .max else { return 0 }
    return max(0, Int(window) - deliveries.count)
  }

  /// Deliveries that the device has not settled.
  public var unsettled: Int { deliveries.count }

  /// Whether the link has ended.
  public var isClosed: Bool {
    guard case .closed = phase else { return false }
    return true
  }

  /// Whether the device was told to leave.
  public var isDraining: Bool {
    if case .draining = phase { true } else { false }
  }

  /// The interval that the device keeps.
  public var intervalSeconds: UInt16 { keepAlive.seconds }

  // MARK: Bytes

  /// Handles the next frame of `input` and moves `input` on behind it; `nil` once it is used up.
  ///
  /// Call it until it returns `nil` or ``Action/close(_:)``.
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
      intervalSeconds: keepAlive.seconds, nonce: nonce, environment: settings.environment)
    LinkFrame.welcome(welcome).encode(to: &output)
    return .proceed
  }

  private mutating func handleOpening(_ frame: LinkFrame, at now: Int64) throws(LinkFault) -> Action
  {
    switch (frame, peer) {
    case (.enrol(let enrolment), .unenrolled):
      phase = .enrolling
      phaseEnd = now + settings.readyNanoseconds
      return .enrol(enrolment, signedBytes: enrolment.signedBytes(nonce: nonce))
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
      // Only a ping that ended a whole interval of silence proves the path.
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

  // MARK: Calls of the gateway

  /// Lets the device in; `unixMilliseconds` is the gateway's clock.
  public mutating func accept(unixMilliseconds: UInt64, output: inout [UInt8]) {
    guard case .connected = phase, case .device(let device) = peer else {
      return assertionFailure("a link that is \(phase) is let in")
    }
    LinkFrame.connected(device: device, unixMilliseconds: unixMilliseconds).encode(to: &output)
  }

  /// Sends a notification if the window has room, else returns `false`.
  ///
  /// `reference` (not `.max`) comes back with ``takeSettled()`` or ``Action/discarded(_:_:)``. One over
  /// the protocol's limits is not sent either.
  public mutating func deliver(
    _ notification: borrowing LinkNotification, reference: UInt64, at now: Int64,
    output: inout [UInt8]
  ) -> Bool {
    guard freeWindow > 0 else { return false }
    var numbered = copy notification
    numbered.delivery = deliveries.next
    guard numbered.encode(to: &output) else { return false }
    deliveries.append(reference)
    assert(deliveries.count <= Int(window), "more is sent than the window allows")
    if waitingSince == .max { waitingSince = now }
    return true
  }

  /// The reference of the next delivery that the device acknowledged, oldest first; `nil` when there is
  /// none left.
  public mutating func takeSettled() -> UInt64? {
    let reference = deliveries.takeAcknowledged()
    if reference == nil, deliveries.count == 0 { waitingSince = .max }
    return reference
  }

  /// Answers a request; ignored once the link is closed.
  public mutating func answer(_ request: UInt16, with answer: Answer, output: inout [UInt8]) {
    // What a device asked may be decided on after its link ended.
    if case .closed = phase { return }
    precondition(openRequests > 0, "an answer to no request")
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

  /// Answers the enrolment, and closes the link so that the device comes back with its certificate.
  ///
  /// `nil` when it was closed before.
  public mutating func answerEnrolment(
    _ answer: EnrolmentAnswer, output: inout [UInt8]
  ) -> Action? {
    // The device may have gone while it was decided on.
    guard case .enrolling = phase else { return nil }
    assert(peer == .unenrolled, "a device that has a certificate enrols")
    switch answer {
    case .enrolled(let device, let chainPEM):
      LinkFrame.enrolled(device: device, chainPEM: chainPEM).encode(to: &output)
      return close(LinkFault(.enrolled), output: &output)
    case .refused(let refusal):
      LinkFrame.enrolRefused(refusal).encode(to: &output)
      return close(LinkFault(.goodbye), output: &output)
    }
  }

  /// Tells the device to leave, and closes after `milliseconds` if it has not.
  ///
  /// A link that is still being opened is closed at once.
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

  /// Closes the link for a reason of the gateway's own: revoked, replaced, overloaded, ….
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

  /// Asserts what holds between calls; tests and the simulation call it after each event.
  public func checkInvariants() {
    deliveries.checkInvariants()
    assert(openRequests <= settings.requestsMax, "\(openRequests) requests are open")
    assert(window <= settings.windowMax, "a window of \(window)")
    assert(deliveries.count <= Int(window), "more is sent than the window allows")
    assert(deliveries.count == 0 || waitingSince != .max, "deliveries without a deadline")
    assert(phaseEnd != .max, "a phase without an end")
    switch phase {
    case .greeting, .greeted:
      assert(deliveries.count == 0 && openRequests == 0, "something was sent before CONNECT")
      assert(waitingSince == .max && probeEnd == .max, "a deadline of a session before CONNECT")
    case .enrolling:
      assert(peer == .unenrolled, "a device that has a certificate enrols")
      assert(deliveries.count == 0 && openRequests == 0, "something was sent before CONNECT")
    case .connected:
      assert(peer != .unenrolled, "a device without a certificate is connected")
      assert(deliveries.count == 0, "something was sent before READY")
    case .ready:
      assert(peer != .unenrolled, "a device without a certificate is connected")
      assert(deadline < .max, "a link that nothing ends")
    case .draining:
      assert(peer != .unenrolled, "a device without a certificate is connected")
    case .closed:
      assert(deadline == .max, "a timer of a link that ended")
    }
  }

  // MARK: Time

  /// Handles what is due by time; call it at ``deadline``, earlier does no harm.
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
      // An acknowledgement is late: is the device there at all?
      LinkFrame.ping(UInt32(truncatingIfNeeded: now)).encode(to: &output)
      probeEnd = now + settings.graceNanoseconds
      probed = now
      return nil
    }
  }
}

extension LinkFrame {
  /// The fault to close with when this frame is not allowed now.
  var unexpected: LinkFault { LinkFault(.unexpectedFrame, frameType: type.rawValue) }
}
