public import BelfryWire
public import PushWire
public import System
public import Transport

/// A device's link to its gateway over a socket, which carries out the decisions of `DeviceLinkClient`.
///
/// The link is confined to its loop. It connects with TLS 1.3 and trusts only the gateway's authority. It enrolls if
/// the identity has no certificate, and it reconnects until it goes offline or the gateway rejects the device.
public final class GatewayConnection: StreamHandler, TimerTarget {
  /// The configuration of a link.
  public struct Configuration {
    /// The gateway's host name or address.
    public var host: String
    /// The gateway's device port.
    public var port: UInt16
    /// The authorities that may sign the gateway's certificate, in PEM format, until the gateway announces others.
    public var authorityPEM: [UInt8]
    /// The enrollment code; empty for an open gateway.
    public var enrollmentCode = ""
    /// The device's name to show to the operator.
    public var deviceName = ""
    /// The time limit, in nanoseconds, for the TCP connection and, separately, for the TLS handshake.
    public var connectNanoseconds: Int64 = 15_000_000_000
    /// The maximum time, in nanoseconds, by which a retry can be delayed to share a wake-up with other timers; never
    /// more than a quarter of the pause before the retry.
    ///
    /// The slack is intended for a few links, not for thousands on one loop.
    public var retrySlackNanoseconds: Int64 = 0
    /// Timeouts and limits of the protocol.
    public var settings = DeviceLinkClient.Settings()
    /// Unique IDs of the latest notifications, restored from an earlier run.
    public var memory: [NotificationID] = []
    /// The initial state of the device.
    public var state: DeviceState = []
    /// A limiter shared by links that must not all connect at the same time.
    public var gate: ConnectLimiter?
    /// The TLS trust, shared by all links that use copies of this configuration.
    let trust = GatewayTrust()
    /// The network; nil for TLS over TCP.
    package var dialer: (any GatewayDialer)?
    /// A function that returns random numbers, which spread the retries of many devices over time.
    package var random: () -> UInt64 = { UInt64.random(in: .min ... .max) }

    /// Creates a configuration with default timeouts.
    public init(host: String, port: UInt16, authorityPEM: [UInt8]) {
      self.host = host
      self.port = port
      self.authorityPEM = authorityPEM
    }
  }

  private enum LimiterState {
    case outside
    case waiting
    case inside
  }

  private let loop: EventLoop
  private let configuration: Configuration
  private weak var delegate: (any GatewayConnectionDelegate)?
  private var output: [UInt8] = []
  private var machine: DeviceLinkClient
  private var stream: (any GatewayStream)?
  private let dialer: any GatewayDialer
  private var target = ("", UInt16(0))
  private var place = LimiterState.outside
  private var reason = ""
  /// The cause that corresponds to `reason`.
  private var cause = GatewayLinkLoss.other
  /// The cause of the latest loss of the link, or of the latest failed attempt to connect.
  public private(set) var latestLoss = GatewayLinkLoss.other
  /// True if the connection is closing only to be reestablished with the new certificate.
  private var isComingBack = false
  private var timer: TimerID?
  private var armedUntil: Int64 = .max
  /// The difference between the gateway's clock, in milliseconds since 1970, and the loop's clock.
  private var gatewayMilliseconds: Int64 = 0

  /// The identity of the device.
  public private(set) var identity: DeviceIdentity

  /// Creates a link that is offline until ``goOnline()`` is called.
  public init(
    on loop: EventLoop, _ configuration: Configuration, identity: DeviceIdentity,
    delegate: any GatewayConnectionDelegate
  ) {
    self.loop = loop
    self.configuration = configuration
    self.identity = identity
    self.delegate = delegate
    dialer =
      configuration.dialer
      ?? TLSGatewayDialer(on: loop, timeoutNanoseconds: configuration.connectNanoseconds)
    machine = DeviceLinkClient(
      enrollment: identity.chainPEM == nil ? Self.enrollment(of: identity, configuration) : nil,
      memory: configuration.memory, state: configuration.state,
      settings: configuration.settings)
    machine.use(credential)
  }

  private var credential: LinkCredential? {
    configuration.trust.credential(of: identity, given: configuration.authorityPEM)
  }

  private static func enrollment(
    of identity: DeviceIdentity, _ configuration: Configuration
  ) -> LinkFrame.Enrollment {
    identity.enrollment(code: configuration.enrollmentCode, name: configuration.deviceName)
  }

  // MARK: Calls from the owner

  /// True if notifications can be received now.
  public var isUp: Bool { machine.isUp }
  /// True if the link is offline at its owner's request.
  public var isOffline: Bool { machine.isOffline }
  /// True if the gateway permanently rejected the device: it was revoked, or its enrollment was refused.
  public var isStopped: Bool { machine.isStopped }
  /// The unique IDs to store with the notifications, oldest first.
  public var memory: [NotificationID] { machine.memory }
  /// The gateway's environment, if the gateway has reported it.
  public var environment: BelfryWire.Environment? { machine.environment }
  /// The origin of the endpoints of Web Push subscriptions, as last reported; empty if the gateway does not have a Web
  /// Push service.
  public var webPushOrigin: String { machine.webPushOrigin }  // text: an operator chose it
  /// The device's state as reported to the gateway.
  public var state: DeviceState { machine.state }

  /// Returns true if the gateway has not yet answered a cancellation of `subject`.
  public func owesCancellation(of subject: LinkSubject) -> Bool {
    machine.owesCancellation(of: subject)
  }

  /// Connects, and reconnects whenever the connection is lost.
  public func goOnline() {
    perform(machine.goOnline())
    settle()
  }

  /// Disconnects and remains offline until ``goOnline()`` is called.
  public func goOffline() {
    let action = machine.goOffline(at: loop.nowNanoseconds, output: &output)
    if action != nil, reason.isEmpty { reason = "the device went offline" }
    perform(action)
    settle()
  }

  /// Registers for notifications of `subject`.
  public func register(_ subject: LinkSubject) {
    machine.register(subject, at: loop.nowNanoseconds, output: &output)
    settle()
  }

  /// Cancels the registration of `subject`, whose token becomes inactive.
  public func cancel(_ subject: LinkSubject) {
    machine.cancel(subject, at: loop.nowNanoseconds, output: &output)
    settle()
  }

  /// Notifies the gateway that the user turned the notifications of `topic` on or off.
  public func setEnabled(_ isEnabled: Bool, _ topic: LinkTopic) {
    machine.setEnabled(isEnabled, topic, at: loop.nowNanoseconds, output: &output)
    settle()
  }

  /// Reports the device's state to the gateway.
  public func setState(_ state: DeviceState) {
    machine.setState(state, at: loop.nowNanoseconds, output: &output)
    settle()
  }

  /// Discards the learned keep-alive intervals, because the device is on another network.
  public func networkChanged() { machine.networkChanged() }

  /// Probes the connection after the device wakes or the network changes.
  public func probe() {
    machine.probe(at: loop.nowNanoseconds, output: &output)
    settle()
  }

  /// Acknowledges the notification with this unique ID, which is now durable.
  public func onPersisted(_ uniqueID: NotificationID) {
    machine.onPersisted(uniqueID, at: loop.nowNanoseconds)
    if !isReceiving { settle() }
  }

  /// Rejects the notification with this unique ID, which was not stored.
  public func onDiscarded(_ uniqueID: NotificationID, _ reason: LinkDiscardReason) {
    machine.onDiscarded(uniqueID, reason, at: loop.nowNanoseconds, output: &output)
    if !isReceiving { settle() }
  }

  // MARK: The stream

  private var isReceiving = false

  /// Sends the greeting once TLS is established.
  public func streamOpened(_ stream: ByteStream) { opened(stream) }

  /// Handles bytes from the gateway.
  public func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
    unsafe received(bytes, on: stream)
  }

  /// Does nothing, because the link writes only a few bytes.
  public func streamDrained(_ stream: ByteStream) {}

  /// Handles the closing of the connection.
  public func stream(_ stream: ByteStream, closed closure: StreamClosure) {
    closed(stream, because: closure)
  }

  package func opened(_ stream: any GatewayStream) {
    guard stream === self.stream else { return }
    guard stream.negotiatedProtocol == LinkLimits.applicationProtocol else {
      reason = "the peer does not speak \(LinkLimits.applicationProtocol): check the port"
      cause = .otherProtocol
      stream.close(afterFlush: false)
      return
    }
    machine.opened(at: loop.nowNanoseconds, output: &output)
    settle()
  }

  package func received(_ bytes: UnsafeRawBufferPointer, on stream: any GatewayStream) {
    guard stream === self.stream else { return }
    var input = unsafe bytes
    isReceiving = true
    while let action = unsafe machine.next(
      &input, at: loop.nowNanoseconds, output: &output)
    { perform(action) }
    isReceiving = false
    settle()
  }

  package func closed(_ stream: any GatewayStream, because closure: StreamClosure) {
    guard stream === self.stream else { return }
    self.stream = nil
    if reason.isEmpty { cause = .closed(closure) }
    connectionEnded(because: reason.isEmpty ? "\(closure)" : reason)
  }

  private func connectionEnded(because why: String) {
    reason = ""
    latestLoss = cause
    cause = .other
    machine.lost(at: loop.nowNanoseconds, random: configuration.random())
    leaveGate()
    if !isComingBack { delegate?.link(self, isDownBecause: why) }
    isComingBack = false
    settle()
  }

  // MARK: Actions

  private func perform(_ action: DeviceLinkClient.Action?) {
    switch action {
    case nil, .proceed: break
    case .switched(let subject, let isEnabled):
      delegate?.link(self, switched: subject, isEnabled: isEnabled)
    case .alive: delegate?.linkIsAlive(self)
    case .received(let notification, let subject):
      delegate?.link(self, received: notification, for: subject)
    case .connect(let host, let port):
      target = (
        host.isEmpty ? configuration.host : host, port == 0 ? configuration.port : port
      )
      guard let gate = configuration.gate else { return dial() }
      guard case .outside = place else { return }
      place = .waiting
      if gate.enter(self) { dialNow() }
    case .sign(let bytes): sign(bytes)
    case .enrolled(let device, let chainPEM): onEnrolled(as: device, chainPEM)
    case .enrollmentRefused(let refusal):
      let hasCode = !configuration.enrollmentCode.isEmpty
      reason =
        "the gateway refused to enroll the device: \(refusal.reason(hasCode: hasCode))"
      cause = .enrollmentRefused(refusal, hasCode: hasCode)
      delegate?.link(self, enrollmentRefused: refusal)
    case .connected(let device, let unixMilliseconds):
      leaveGate()
      identity.device = device
      gatewayMilliseconds = Int64(clamping: unixMilliseconds) - loop.nowNanoseconds / 1_000_000
      delegate?.link(self, isUpAs: device, unixMilliseconds: unixMilliseconds)
    case .registered(let subject, let token):
      delegate?.link(self, registered: subject, token: token)
    case .cancelled(let subject): delegate?.link(self, cancelled: subject)
    case .refused(let subject, let refusal): delegate?.link(self, refused: subject, refusal)
    case .renewed(let renewed): renew(renewed)
    case .renewalRefused: break
    case .disconnect(let fault):
      if reason.isEmpty { reason = Self.text(of: fault.reason) }
      isComingBack = fault.reason == .enrolled
      if fault.reason == .unknownDevice, !machine.isUp {
        // The gateway's folder was restored or recreated, so the gateway now associates this key with another device.
        identity.chainPEM = nil
        identity.device = nil
        machine.use(nil)
        machine.enrollAnew(Self.enrollment(of: identity, configuration))
      }
      send()
      if let stream { stream.close(afterFlush: true) } else { connectionEnded(because: reason) }
    }
  }

  /// Returns the reason for the loss of the link, as the user sees it.
  private static func text(of reason: LinkCloseReason) -> String {
    switch reason {
    // A gateway that is being stopped asks its devices to leave, and closes the links of the others.
    case .goodbye, .draining: "the gateway was stopped"
    default: "\(reason)"
    }
  }

  private func onEnrolled(as device: UInt64, _ chainPEM: [UInt8]) {
    do {
      identity = try identity.enrolled(
        as: device, chainPEM, given: configuration.authorityPEM,
        nowSeconds: loop.unixMilliseconds / 1_000)
    } catch {
      let why = "\(error)"
      reason = "the gateway issued a certificate that the device cannot use: \(why)"
      delegate?.link(self, enrollmentUnusable: why)
      return perform(
        machine.enrollmentFailed(
          Self.enrollment(of: identity, configuration), at: loop.nowNanoseconds, output: &output))
    }
    machine.use(credential)
    delegate?.link(self, enrolledAs: identity)
  }

  private func renew(_ renewed: LinkFrame.Renewed) {
    let milliseconds = gatewayMilliseconds + loop.nowNanoseconds / 1_000_000
    do {
      let new = try identity.renewed(
        with: renewed, given: configuration.authorityPEM, nowSeconds: milliseconds / 1_000)
      try delegate?.link(self, renewedAs: new)
      identity = new
    } catch {
      return machine.renewalFailed(at: loop.nowNanoseconds)
    }
    machine.use(credential)
    let action = machine.comeBack(at: loop.nowNanoseconds, output: &output)
    perform(action)
    isComingBack = action != nil
  }

  /// Connects; called by ``ConnectLimiter`` when it is this link's turn.
  func dialNow() {
    place = .inside
    // The link might have gone offline while it waited.
    if machine.isDialling { dial() } else { leaveGate() }
  }

  private func dial() {
    do throws(TLSFailure) {
      let context = try configuration.trust.context(
        for: configuration.trust.authorities(of: identity, given: configuration.authorityPEM))
      stream = try dialer.dial(
        host: target.0, port: target.1, identity: identity, authorities: context, for: self)
    } catch {
      connectionEnded(because: "\(error)")
    }
  }

  private func leaveGate() {
    guard case .inside = place else { return }
    place = .outside
    configuration.gate?.leave()
  }

  private func sign(_ bytes: [UInt8]) {
    do throws(CryptoFailure) {
      let proof = try identity.key.sign(bytes)
      machine.signed(proof, at: loop.nowNanoseconds, output: &output)
    } catch {
      reason = "\(error)"
      stream?.close(afterFlush: false)
    }
  }

  // MARK: Output and time

  /// Sends the output and sets the timer; called after every event.
  private func settle() {
    guard !isReceiving else { return }
    machine.flush(at: loop.nowNanoseconds, output: &output)
    send()
    arm()
  }

  private func send() {
    guard !output.isEmpty else { return }
    stream?.write(output)
    output.removeAll(keepingCapacity: true)
  }

  /// Sets the timer to the protocol's next deadline.
  ///
  /// A timer that is due earlier is not changed, because firing early does no harm.
  private func arm() {
    let deadline = machine.deadline
    guard deadline < armedUntil else { return }
    if let timer { loop.cancel(timer) }
    armedUntil = deadline
    let wait = deadline - loop.nowNanoseconds
    let slack = machine.isWaiting ? min(wait / 4, configuration.retrySlackNanoseconds) : 0
    timer =
      slack > 0
      ? loop.schedule(afterNanoseconds: wait, slackNanoseconds: slack, self)
      : loop.schedule(afterNanoseconds: wait, self)
  }

  /// Handles the protocol's timer.
  public func timerFired(tag: UInt64) {
    timer = nil
    armedUntil = .max
    perform(machine.timerFired(at: loop.nowNanoseconds, output: &output))
    settle()
  }
}
