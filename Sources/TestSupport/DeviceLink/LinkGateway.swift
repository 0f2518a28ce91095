public import PushWire
public import System
public import Transport

/// A minimal gateway to which devices can link: it uses real TLS and the real device link, but has no store and no
/// core.
///
/// The gateway runs on the test's loop. It numbers devices, starting at 1, in the order in which they enroll.
public final class LinkGateway {
  /// The certificate authority, whose certificate devices receive.
  public let authority: CertificateAuthority
  /// The code with which devices enroll.
  public var enrollmentCode = "letmein"
  /// The time limits for links that are opened after this property is set.
  public var settings = DeviceLinkServer.Settings()
  /// The links that are currently open.
  public private(set) var links: [LinkGatewayConnection] = []
  /// The total number of links that were opened.
  public private(set) var opened = 0
  /// The references of the deliveries that devices acknowledged.
  public internal(set) var settled: [UInt64] = []
  /// The deliveries that devices discarded.
  public internal(set) var discarded: [(UInt64, LinkDiscardReason)] = []
  /// The devices that the gateway treats as revoked.
  public var revoked: Set<UInt64> = []
  /// The number of devices that have enrolled.
  public private(set) var enrolled: UInt64 = 0

  /// A function that returns a forged chain for a device; nil if the gateway sends the correct chain.
  public var forgeChain: ((_ enrollment: LinkFrame.Enrollment, _ device: UInt64) -> [UInt8]?)?

  let loop: EventLoop
  private let identity: CertificateAuthority.Identity
  private var listener: StreamListener?
  private let now = SystemClock.unixMilliseconds / 1_000

  /// Creates a gateway that listens on a free port of 127.0.0.1.
  public init(on loop: EventLoop) throws {
    self.loop = loop
    authority = try CertificateAuthority.make(
      commonName: "Link tests",
      nameConstraints: CertificateAuthority.NameConstraints(
        hostNames: ["localhost"]),
      now: now)
    identity = try authority.issueServer(names: ["localhost"], addresses: ["127.0.0.1"], now: now)
    try listen(port: 0)
  }

  /// The port to which devices connect.
  public private(set) var port: UInt16 = 0

  /// Starts or resumes listening on `port`.
  public func listen(port: UInt16) throws {
    let tls = try TLSServerContext(
      certificateChainPEM: identity.certificateChainPEM, privateKeyPEM: identity.privateKeyPEM,
      alpn: [LinkLimits.applicationProtocol],
      clientCertificates: .optional(caPEM: authority.certificatePEM), minimumVersion: .tls13)
    let listener = try StreamListener(
      loop: loop, address: SocketAddress.loopback(port: port), security: .tls(tls)
    ) { [unowned self] stream in
      let link = LinkGatewayConnection(self, stream)
      links.append(link)
      opened += 1
      return link
    }
    self.listener = listener
    self.port = listener.port
  }

  /// Stops listening and drops every link silently.
  public func crash() {
    listener?.close()
    listener = nil
    for link in links { link.stream.close(afterFlush: false) }
  }

  /// Asks every device to disconnect.
  public func drain(_ hint: LinkFrame.ReconnectHint) {
    for link in links { link.drain(hint) }
  }

  func closed(_ link: LinkGatewayConnection) { links.removeAll { $0 === link } }

  func enroll(
    _ enrollment: LinkFrame.Enrollment, signedBytes: [UInt8]
  ) -> DeviceLinkServer.EnrollmentAnswer {
    guard enrollment.code == enrollmentCode else { return .refused(.wrongCode) }
    guard let key = try? ES256PublicKey(spkiDER: enrollment.publicKey) else {
      return .refused(.badKey)
    }
    let isProven = key.verify(rawSignature: enrollment.proof, message: signedBytes)
    guard isProven else { return .refused(.badProof) }
    enrolled += 1
    if let chain = forgeChain?(enrollment, enrolled) {
      return .enrolled(device: enrolled, chainPEM: chain)
    }
    guard
      let certificate = try? authority.issueDevice(
        publicKeySPKI: enrollment.publicKey, device: "\(enrolled)", now: now, days: 30),
      let pem = try? certificate.pem()
    else { return .refused(.tryLater) }
    return .enrolled(device: enrolled, chainPEM: pem + authority.certificatePEM)
  }
}

/// A device's link in a minimal gateway.
public final class LinkGatewayConnection: StreamHandler, TimerTarget {
  /// The stream of the connection.
  public let stream: ByteStream
  /// The device's number; `nil` before enrollment.
  public private(set) var device: UInt64?
  /// True if notifications can be sent.
  public private(set) var isReady = false
  /// The state that the device last reported.
  public private(set) var state: DeviceState = []
  /// The seconds of silence after which the device sends a ping; `nil` if the link is closed.
  public var intervalSeconds: UInt16? { machine?.intervalSeconds }
  /// All requests from the device.
  public private(set) var requests: [DeviceLinkServer.Request] = []

  private unowned let gateway: LinkGateway
  private var machine: DeviceLinkServer?
  private var output: [UInt8] = []
  private var timer: TimerID?

  init(_ gateway: LinkGateway, _ stream: ByteStream) {
    self.gateway = gateway
    self.stream = stream
  }

  /// Sends a notification.
  ///
  /// Returns `false` if the window is full.
  public func deliver(
    _ number: UInt64, handle: UInt32, payload: [UInt8], priority: UInt8 = 10,
    fromStorage: Bool = false
  ) -> Bool {
    let notification = LinkNotification(
      handle: handle, id: NotificationID(high: 1, low: number),
      uniqueID: NotificationID(high: 2, low: number),
      acceptedMilliseconds: UInt64(gateway.loop.unixMilliseconds),
      expiration: LinkNotification.expirationNone, isFromStorage: fromStorage,
      priority: priority, pushTypeCode: PushType.alert.rawValue, collapseID: [], payload: payload)
    let isSent =
      machine?.deliver(
        notification, reference: number, at: gateway.loop.nowNanoseconds, output: &output) == true
    settle()
    return isSent
  }

  func drain(_ hint: LinkFrame.ReconnectHint) {
    perform(
      machine?.drain(
        hint: hint, milliseconds: 1_000, at: gateway.loop.nowNanoseconds, output: &output))
    settle()
  }

  /// Handles an opened TLS connection.
  public func streamOpened(_ stream: ByteStream) {
    device = stream.peerCertificate.flatMap { UInt64($0.commonName) }
    machine = DeviceLinkServer(
      peer: device.map { .device($0) } ?? .unenrolled,
      nonce: NotificationID(high: .random(in: .min ... .max), low: .random(in: .min ... .max)),
      settings: gateway.settings, at: gateway.loop.nowNanoseconds)
    settle()
  }

  /// Handles bytes from the device.
  public func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
    var input = bytes
    while let action = machine?.next(
      &input, at: gateway.loop.nowNanoseconds, output: &output)
    { perform(action) }
    settle()
  }

  /// Does nothing when all queued bytes have been written.
  public func streamDrained(_ stream: ByteStream) {}

  /// Handles the end of the connection.
  public func stream(_ stream: ByteStream, closed reason: StreamClosure) {
    if let timer { gateway.loop.cancel(timer) }
    timer = nil
    machine = nil
    isReady = false
    gateway.closed(self)
  }

  /// Handles the firing of the state machine's timer.
  public func timerFired(tag: UInt64) {
    timer = nil
    perform(machine?.timerFired(at: gateway.loop.nowNanoseconds, output: &output))
    settle()
  }

  private func perform(_ action: DeviceLinkServer.Action?) {
    switch action {
    case nil, .proceed, .pinged: break
    case .enroll(let enrollment, let signedBytes):
      let answer = gateway.enroll(enrollment, signedBytes: signedBytes)
      perform(machine?.answerEnrollment(answer, output: &output))
    case .connected(let state):
      self.state = state
      if let device, gateway.revoked.contains(device) {
        perform(machine?.close(.revoked, output: &output))
      } else {
        machine?.accept(
          unixMilliseconds: UInt64(gateway.loop.unixMilliseconds), output: &output)
      }
    case .ready(let state):
      self.state = state
      isReady = true
    case .renew:
      machine?.answerRenewal(.refused(.notOffered, afterSeconds: 60), output: &output)
    case .request(let number, let request):
      requests.append(request)
      machine?.answer(number, with: answer(request), output: &output)
    case .settled:
      while let reference = machine?.takeSettled() { gateway.settled.append(reference) }
    case .discarded(let reference, let reason): gateway.discarded.append((reference, reason))
    case .stateChanged(let state): self.state = state
    case .close:
      isReady = false
      send()
      stream.close()
    }
  }

  /// Answers a request.
  ///
  /// The token consists of the device's number and a hash of the topic, so it is the same each time.
  private func answer(_ request: DeviceLinkServer.Request) -> DeviceLinkServer.Answer {
    switch request {
    case .topic(.register, let topic):
      if topic.bundleID.hasSuffix(".refused") { return .refused(.unknownApp) }
      let bytes = Array("\(device ?? 0) \(topic.bundleID) \(topic.kind.name)".utf8)
      return .token(handle: UInt32(topic.kind.rawValue), token: SHA256.hash(bytes).bytes)
    case .topic: return .done
    case .subscribe, .unsubscribe: return .refused(.notOffered)
    }
  }

  private func settle() {
    send()
    guard timer == nil, let deadline = machine?.deadline, deadline < .max else { return }
    timer = gateway.loop.schedule(
      afterNanoseconds: deadline - gateway.loop.nowNanoseconds, self)
  }

  private func send() {
    guard !output.isEmpty else { return }
    stream.write(output)
    output.removeAll(keepingCapacity: true)
  }
}
