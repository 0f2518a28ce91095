public import BelfryWire

/// The device's end of the link, over all of its connections (`docs/device-link.md` 3).
///
/// The client connects, and enrolls if the device does not have a certificate yet. On each connection, it sends the
/// device's subscriptions, delivers each notification once, acknowledges persisted notifications, and keeps the link
/// alive. If the link fails, the client reconnects.
///
/// The client does no I/O: its owner connects, signs, persists, and sends. The owner must do the following:
///
/// - Pass every received byte to ``next(_:at:output:)``.
/// - Run the timer at ``deadline``.
/// - Call ``flush(at:output:)`` after a batch, and ``lost(at:random:)`` when a connection is lost.
/// - Send all bytes that were appended to `output`.
public struct DeviceLinkClient: ~Copyable {
  enum Phase: Equatable {
    case offline
    case waiting(until: Int64)
    case dialling
    /// HELLO was sent; waiting for WELCOME.
    case greeting
    /// ENROL is being signed, or was sent and has not been answered yet.
    case enrolling
    /// CONNECT was sent; waiting for CONNECTED.
    case connecting
    case up(since: Int64)
    /// CLOSE was sent or received; the connection is closing.
    case closing
    /// The gateway has permanently rejected this device.
    case stopped
  }

  /// The step that follows when the connection is closed.
  enum AfterClose {
    case pause
    case reconnect(afterNanoseconds: Int64, jitter: Int64)
    case stayOffline
    case stop
  }

  let settings: Settings
  var phase = Phase.offline
  private var afterClose = AfterClose.pause
  var enrollment: LinkFrame.Enrollment?
  private var pause: ReconnectPause
  private var splitter = LinkFrameSplitter(bodyBytesMax: LinkLimits.gatewayBodyBytesMax)
  var subjects = LinkSubjects()
  var renewal = CertificateRenewal()
  private var deliveries: ReceivedDeliveries
  private var otherHost = ("", UInt16(0))
  private var phaseEnd: Int64 = .max
  var intervalSeconds: UInt16 = 60
  /// The gateway's environment, as last reported.
  public private(set) var environment: Environment?
  /// The origin of the endpoints of Web Push subscriptions, as last reported; empty if the gateway does not have a Web
  /// Push service.
  public private(set) var webPushOrigin = ""  // text: an operator chose it
  var lastSent: Int64 = 0
  private var acknowledgementDue: Int64 = .max
  var pingEnd: Int64 = .max
  /// The keep-alive interval, in seconds, that led to the outstanding ping; 0 if the ping was sent for another reason.
  var pingedSeconds: UInt16 = 0
  var pingToken: UInt32 = 0

  /// The device's state, as reported to the gateway.
  public private(set) var state: DeviceState
  /// The longest keep-alive interval, in seconds, that worked on this network.
  ///
  /// The shell can store the interval for each network.
  public internal(set) var provedSeconds: UInt16 = 0
  /// The keep-alive interval, in seconds, that was in use when a link on this network was silently lost; 0 if no link
  /// was lost this way.
  public internal(set) var failedSeconds: UInt16 = 0

  /// Creates a device that is offline.
  ///
  /// If the device does not have a certificate, pass `enrollment` with an empty proof.
  public init(
    enrollment: LinkFrame.Enrollment?, memory: [NotificationID] = [], state: DeviceState = [],
    settings: Settings = Settings()
  ) {
    self.enrollment = enrollment
    self.settings = settings
    self.state = state
    pause = settings.pause
    deliveries = ReceivedDeliveries(
      memory: ReceivedMemory(
        capacity: max(settings.memory, Int(settings.window)), ids: memory))
  }

  // MARK: Queries and timers

  /// The time at which ``timerFired(at:output:)`` is due, in nanoseconds on the loop clock; `.max` for never.
  public var deadline: Int64 {
    switch phase {
    case .offline, .closing, .stopped: .max
    case .waiting(let until): until
    case .dialling, .greeting, .enrolling, .connecting: phaseEnd
    case .up:
      min(pingEnd, acknowledgementDue, subjects.retryAt, nextPing, renewal.due)
    }
  }

  var nextPing: Int64 { lastSent + Int64(intervalSeconds) * 1_000_000_000 }

  /// True if the device can receive notifications now.
  public var isUp: Bool {
    if case .up = phase { true } else { false }
  }

  /// True if no connection is open or requested.
  public var isOffline: Bool { phase == .offline || phase == .stopped }
  /// True while the device waits before the next connection attempt.
  public var isWaiting: Bool {
    if case .waiting = phase { true } else { false }
  }

  /// True while a connection is being opened.
  public var isDialling: Bool { phase == .dialling }
  /// True if the gateway permanently rejected the device: the device was revoked, or its enrollment was refused.
  public var isStopped: Bool { phase == .stopped }

  /// The unique IDs to store together with the notifications, oldest first.
  public var memory: [NotificationID] { deliveries.memory.ids }

  /// The subjects for which the device currently requests notifications.
  public var wanted: [LinkSubject] { subjects.entries.filter(\.isWanted).map(\.subject) }

  /// Returns true if a cancellation of `subject` was requested but the gateway has not answered it yet.
  public func owesCancellation(of subject: LinkSubject) -> Bool {
    subjects.entries.contains { $0.subject == subject && $0.owesCancel }
  }

  // MARK: Subscriptions

  /// Connects the device and keeps it connected.
  public mutating func goOnline() -> Action? {
    guard phase == .offline else { return nil }
    return dial()
  }

  /// Disconnects the device and keeps it offline until ``goOnline()`` is called.
  public mutating func goOffline(at now: Int64, output: inout [UInt8]) -> Action? {
    switch phase {
    case .offline, .stopped: return nil
    case .waiting:
      phase = .offline
      return nil
    case .closing:
      afterClose = .stayOffline
      return nil
    case .dialling, .greeting, .enrolling, .connecting, .up:
      if phase != .dialling { acknowledge(at: now, output: &output) }
      return disconnect(LinkFault(.goodbye), then: .stayOffline, at: now, output: &output)
    }
  }

  /// Requests notifications for `subject`.
  public mutating func register(_ subject: LinkSubject, at now: Int64, output: inout [UInt8]) {
    ask(.register, subject, at: now, output: &output)
  }

  /// Cancels the notifications for `subject`: its token becomes inactive.
  public mutating func cancel(_ subject: LinkSubject, at now: Int64, output: inout [UInt8]) {
    ask(.cancel, subject, at: now, output: &output)
  }

  /// Records that the user enabled or disabled the notifications of `topic`.
  public mutating func setEnabled(
    _ isEnabled: Bool, _ topic: LinkTopic, at now: Int64, output: inout [UInt8]
  ) {
    ask(isEnabled ? .enable : .disable, .topic(topic), at: now, output: &output)
  }

  /// Sets the device's state and reports it to the gateway.
  public mutating func setState(_ new: DeviceState, at now: Int64, output: inout [UInt8]) {
    guard new != state else { return }
    state = new
    if hasConnected { send(.state(new), at: now, output: &output) }
  }

  /// Sends a ping to the gateway; call this method after the device wakes or the network changes.
  public mutating func probe(at now: Int64, output: inout [UInt8]) {
    guard case .up = phase, pingEnd == .max else { return }
    ping(at: now, seconds: 0, output: &output)
  }

  /// Handles a network change: replaces the keep-alive intervals that the device measured on the previous network.
  public mutating func networkChanged(provedSeconds: UInt16 = 0, failedSeconds: UInt16 = 0) {
    self.provedSeconds = provedSeconds
    self.failedSeconds = failedSeconds
  }

  /// True if CONNECT was sent, after which the device can send requests.
  private var hasConnected: Bool {
    switch phase {
    case .greeting, .connecting: enrollment == nil
    case .up: true
    default: false
    }
  }

  private mutating func ask(
    _ wish: LinkSubjects.Wish, _ subject: LinkSubject, at now: Int64, output: inout [UInt8]
  ) {
    subjects.wish(wish, subject, isConnected: hasConnected, to: &output)
    if hasConnected { lastSent = now }
  }

  // MARK: The connection

  mutating func dial() -> Action {
    phase = .dialling
    (afterClose, phaseEnd) = (.pause, .max)
    let (host, port) = otherHost
    otherHost = ("", 0)
    return .connect(host: host, port: port)
  }

  /// Handles an opened TLS connection.
  public mutating func opened(at now: Int64, output: inout [UInt8]) {
    // If the device went offline in the meantime, the new connection is closed.
    guard phase == .dialling else { return }
    assert(
      acknowledgementDue == .max && pingEnd == .max,
      "the timers of the previous connection are stopped")
    phase = .greeting
    phaseEnd = now + settings.openNanoseconds
    let hello = LinkFrame.Hello(
      state: state, window: settings.window, provedSeconds: provedSeconds,
      failedSeconds: failedSeconds, renews: renewal.credential != nil)
    send(.hello(hello), at: now, output: &output)
    guard enrollment == nil else { return }
    send(.connect, at: now, output: &output)
    subjects.askAll(to: &output)
    send(.ready, at: now, output: &output)
  }

  /// Accepts the signature that ``Action/sign(_:)`` requested: r ‖ s, 64 bytes.
  public mutating func signed(_ proof: [UInt8], at now: Int64, output: inout [UInt8]) {
    // The connection might have been closed during signing.
    guard phase == .enrolling, var enrollment else { return }
    assert(
      proof.count == LinkLimits.proofBytes,
      "the proof has the required size, not \(proof.count) bytes")
    enrollment.proof = proof
    send(.enroll(enrollment), at: now, output: &output)
  }

  /// Handles a connection that was lost or could not be opened.
  public mutating func lost(at now: Int64, random: UInt64) {
    if case .up(let since) = phase, now - since >= pause.steady { pause.succeeded() }
    switch (phase, afterClose) {
    case (.offline, _), (.stopped, _), (.waiting, _): break
    case (_, .stayOffline): phase = .offline
    case (_, .stop): phase = .stopped
    case (_, .reconnect(let after, let jitter)):
      phase = .waiting(until: now + after + ReconnectPause.part(of: jitter, random: random))
    case (_, .pause):
      phase = .waiting(until: now + pause.next(random: random))
    }
    splitter = LinkFrameSplitter(bodyBytesMax: LinkLimits.gatewayBodyBytesMax)
    subjects.disconnected()
    deliveries.disconnected()
    renewal.disconnected()
    (acknowledgementDue, pingEnd) = (.max, .max)
  }

  /// Asserts the invariants that hold between calls.
  ///
  /// Tests and the simulation call this method after each event.
  public func checkInvariants() {
    subjects.checkInvariants(isConnected: hasConnected || phase == .closing)
    deliveries.checkInvariants()
    renewal.checkInvariants(isUp: isUp || phase == .closing)
    assert(intervalSeconds > 0, "the keep-alive interval is positive")
    assert(
      deliveries.memory.capacity >= Int(settings.window),
      "the device remembers at least a full window of deliveries")
    switch phase {
    case .offline, .stopped, .waiting, .dialling:
      assert(acknowledgementDue == .max && pingEnd == .max, "no timers run without a connection")
      assert(deliveries.owed == 0, "no acknowledgments are owed without a connection")
    case .greeting, .enrolling:
      assert(phaseEnd < .max, "an opening link has a deadline")
      assert(acknowledgementDue == .max && pingEnd == .max, "no timers run before the link is up")
    case .connecting:
      assert(
        enrollment == nil && phaseEnd < .max,
        "a connecting link has a deadline and its device is enrolled")
    case .up:
      assert(
        enrollment == nil && deadline < .max,
        "a link that is up has a deadline and its device is enrolled")
    case .closing: break
    }
  }

  mutating func disconnect(
    _ fault: LinkFault, then next: AfterClose, at now: Int64, output: inout [UInt8]
  ) -> Action {
    if case .up(let since) = phase, now - since >= pause.steady { pause.succeeded() }
    if phase != .dialling { LinkFrame.close(fault).encode(to: &output) }
    phase = .closing
    afterClose = next
    return .disconnect(fault)
  }

  mutating func send(_ frame: LinkFrame, at now: Int64, output: inout [UInt8]) {
    frame.encode(to: &output)
    lastSent = now
  }

  // MARK: Bytes

  /// Handles the next frame in `input` and advances `input` past the frame.
  ///
  /// Returns `nil` when the input contains no further complete frame. Call this method until it returns `nil` or
  /// ``Action/disconnect(_:)``.
  public mutating func next(
    _ input: inout UnsafeRawBufferPointer, at now: Int64, output: inout [UInt8]
  ) -> Action? {
    switch phase {
    case .greeting, .enrolling, .connecting, .up: break
    default: return nil
    }
    do throws(LinkFault) {
      guard let frame = unsafe try splitter.next(&input) else { return nil }
      pingEnd = .max
      guard let decoded = unsafe try LinkFrame(type: frame.type, body: frame.body) else {
        return .proceed
      }
      return try handle(decoded, at: now, output: &output)
    } catch {
      return disconnect(error, then: .pause, at: now, output: &output)
    }
  }

  private mutating func handle(
    _ frame: LinkFrame, at now: Int64, output: inout [UInt8]
  ) throws(LinkFault) -> Action {
    switch (frame, phase) {
    case (.notification(let notification), .up):
      return try handleNotification(notification, at: now, output: &output)
    case (.close(let fault), _):
      return handleClose(fault)
    case (.pong(let token, let seconds), .up):
      return handlePong(token, seconds)
    case (.ping(let token), .up), (.ping(let token), .connecting):
      send(.pong(token, intervalSeconds: 0), at: now, output: &output)
      return .proceed
    case (.token(let request, let handle, let token), .up):
      return try handleAnswer(request, handle, token, nil, frame, at: now)
    case (.subscribed(let request, let handle), .up):
      return try handleAnswer(request, handle, [], nil, frame, at: now)
    case (.done(let request), .up):
      return try handleAnswer(request, nil, [], nil, frame, at: now)
    case (.refused(let request, let refusal), .up):
      return try handleAnswer(request, nil, [], refusal, frame, at: now)
    case (.draining, .up), (.draining, .connecting):
      acknowledge(at: now, output: &output)
      return .proceed
    case (.reconnect(let hint), .up), (.reconnect(let hint), .connecting):
      return handleReconnect(hint, at: now, output: &output)
    case (.trust, .up), (.renewed, .up), (.renewalRefused, .up):
      return try handleRenewal(frame, at: now)
    default:
      return try handleOpening(frame, at: now, output: &output)
    }
  }

  private mutating func handleOpening(
    _ frame: LinkFrame, at now: Int64, output: inout [UInt8]
  ) throws(LinkFault) -> Action {
    switch (frame, phase) {
    case (.welcome(let welcome), .greeting):
      guard welcome.version == LinkLimits.version else {
        throw LinkFault(.unsupportedVersion, frameType: LinkFrameType.welcome.rawValue)
      }
      (intervalSeconds, environment) = (welcome.intervalSeconds, welcome.environment)
      webPushOrigin = welcome.webPushOrigin
      if !webPushOrigin.isEmpty, enrollment == nil { subjects.askForWebPush(to: &output) }
      guard let enrollment else {
        phase = .connecting
        return .proceed
      }
      phase = .enrolling
      return .sign(enrollment.signedBytes(nonce: welcome.nonce))
    case (.connected(let device, let unixMilliseconds), .connecting):
      phase = .up(since: now)
      renewal.connected(unixMilliseconds: unixMilliseconds, at: now)
      return .connected(device: device, unixMilliseconds: unixMilliseconds)
    case (.enrolled(let device, let chainPEM), .enrolling):
      enrollment = nil
      afterClose = .reconnect(afterNanoseconds: 0, jitter: 0)
      return .enrolled(device: device, chainPEM: chainPEM)
    case (.enrollRefused(let refusal), .enrolling):
      afterClose = refusal.isTemporary ? .pause : .stop
      return .enrollmentRefused(refusal)
    default:
      throw frame.unexpected
    }
  }

  private mutating func handleClose(_ fault: LinkFault) -> Action {
    switch fault.reason {
    case .revoked: afterClose = .stop
    case .replaced:
      afterClose = .reconnect(afterNanoseconds: pause.replaced, jitter: pause.replaced / 2)
    case .silent: pathFailed()
    default: break
    }
    phase = .closing
    return .disconnect(fault)
  }

  private mutating func handleReconnect(
    _ hint: LinkFrame.ReconnectHint, at now: Int64, output: inout [UInt8]
  ) -> Action {
    acknowledge(at: now, output: &output)
    otherHost = (hint.host, hint.port)
    let next = AfterClose.reconnect(
      afterNanoseconds: ReconnectPause.bounded(milliseconds: hint.afterMilliseconds),
      jitter: ReconnectPause.bounded(milliseconds: hint.jitterMilliseconds))
    return disconnect(LinkFault(.goodbye), then: next, at: now, output: &output)
  }

  private mutating func handleAnswer(
    _ request: UInt16, _ handle: UInt32?, _ token: [UInt8], _ refusal: LinkRefusal?,
    _ frame: LinkFrame, at now: Int64
  ) throws(LinkFault) -> Action {
    guard let (wish, subject) = subjects.answered(request, handle, refusal, at: now) else {
      throw LinkFault(.badValue, frameType: frame.type.rawValue)
    }
    switch (wish, refusal) {
    case (.register, nil): return .registered(subject, token: token)
    case (.cancel, nil), (.cancel, .notRegistered): return .cancelled(subject)
    case (.enable, nil): return .switched(subject, isEnabled: true)
    case (.disable, nil): return .switched(subject, isEnabled: false)
    case (_, .some(let refusal)): return .refused(subject, refusal)
    }
  }

  // MARK: Notifications

  private mutating func handleNotification(
    _ notification: LinkNotification, at now: Int64, output: inout [UInt8]
  ) throws(LinkFault) -> Action {
    guard deliveries.accept(notification.delivery) else {
      throw LinkFault(.badValue, frameType: LinkFrameType.notification.rawValue)
    }
    let entry = subjects.entry(
      handle: notification.handle, isBroadcast: notification.isBroadcast)
    guard let entry, entry.isWanted, !entry.isDisabled else {
      let reason: LinkDiscardReason = entry?.isDisabled == true ? .disabled : .unknownHandle
      send(.discard(delivery: notification.delivery, reason), at: now, output: &output)
      return .proceed
    }
    guard deliveries.isNew(notification.uniqueID, delivery: notification.delivery) else {
      scheduleAcknowledgement(at: now)
      return .proceed
    }
    return .received(notification, entry.subject)
  }

  /// Acknowledges the notification with this unique ID, which is now on disk.
  public mutating func onPersisted(_ uniqueID: NotificationID, at now: Int64) {
    deliveries.onPersisted(uniqueID)
    scheduleAcknowledgement(at: now)
  }

  /// Rejects the notification with this unique ID, which could not be stored.
  public mutating func onDiscarded(
    _ uniqueID: NotificationID, _ reason: LinkDiscardReason, at now: Int64, output: inout [UInt8]
  ) {
    for delivery in deliveries.onDiscarded(uniqueID) {
      send(.discard(delivery: delivery, reason), at: now, output: &output)
    }
  }

  private mutating func scheduleAcknowledgement(at now: Int64) {
    guard case .up = phase, deliveries.acknowledgeable != nil else { return }
    acknowledgementDue = min(acknowledgementDue, now + settings.acknowledgementNanoseconds)
    if deliveries.owed * 2 >= Int(settings.window) { acknowledgementDue = now }
  }

  /// Writes the acknowledgment if one is due.
  ///
  /// Call this method after processing a batch of bytes or storing notifications.
  public mutating func flush(at now: Int64, output: inout [UInt8]) {
    if acknowledgementDue <= now { acknowledge(at: now, output: &output) }
    if case .up = phase { askForCertificate(at: now, output: &output) }
  }

  mutating func acknowledge(at now: Int64, output: inout [UInt8]) {
    acknowledgementDue = .max
    guard case .up = phase, let number = deliveries.acknowledgeable else { return }
    deliveries.acknowledge(through: number)
    assert(
      deliveries.acknowledgeable == nil,
      "an acknowledgment covers all deliveries that can be acknowledged")
    send(.acknowledge(through: number), at: now, output: &output)
  }
}
