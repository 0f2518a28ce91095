import BelfryWire
import PushWire
import Storage
import System
import Transport

/// The provider side of a loop: the connections of every kind, their credentials and limits, the admission of requests,
/// scripted faults, and the routing of answers to their connections.
///
/// The front is confined to its loop. A device's home performs the last checks of a push. The front and the home
/// exchange values through the ``LoopContext``.
final class ProviderFront {
  let context: LoopContext
  let verifier: TokenVerifier
  let responses = ResponseWriter()
  let http2Codec: HTTP2Codec
  private(set) var connectionRate: RateLimit?
  /// The error limits for newly accepted connections.
  private(set) var providerErrors: ProviderErrorPolicy.Bounds
  var connections = ProviderConnections()
  var providerMemory = ProviderMemory()
  /// The Web Push service; nil if the gateway has none, and until the listeners are open.
  private(set) var webPush: WebPushFront?
  private var listeners: LoopListeners
  private var refusedPushes = RefusedPushes()
  private var relayedPushes = RelayedPushes()
  private var followers = DeliveryLogFollowers()
  private var spareStreams: [ProviderStream] = []
  private var script: (version: Int, rules: FaultScript)?

  /// The scripted answers, if any; checking for them costs one relaxed load.
  var faults: FaultScript? {
    let version = context.shared.faults.version
    guard version != 0 else { return nil }
    if let script, script.version == version { return script.rules }
    let rules = context.shared.faults.script
    script = (version, rules)
    return rules
  }

  var loop: EventLoop { context.loop }
  var metrics: GatewayMetrics { context.metrics }
  var log: Log { context.log }
  var directory: CredentialDirectory { context.directory }
  var environment: BelfryWire.Environment { context.environment }
  var tokens: DeviceTokenCodec { context.tokens }
  var storageStartSeconds: Int64 { context.storageStartSeconds }

  init(_ context: LoopContext) {
    self.context = context
    let configuration = context.shared.configuration
    providerErrors = configuration.providerErrors
    http2Codec = configuration.http2Codec
    connectionRate = configuration.connectionRate.map(RateLimit.init(perSecond:))
    verifier = TokenVerifier(
      directory: context.directory, acceptsES512: configuration.acceptsES512)
    listeners = LoopListeners(showing: context.shared.security)
  }

  // MARK: Connections

  /// Opens the listeners for providers, and sets `ports` to the ports that the listeners use.
  func open(_ ports: inout GatewayPorts) throws(ListenFailure) {
    for index in ports.providers.indices {
      ports.providers[index] = try listen(
        ports.providers[index], "provider-port", \.provider
      ) { [unowned self] in makeProvider(ProviderConnection.init) }
    }
    if let port = ports.insecureProvider {
      ports.insecureProvider = try listen(port, "insecure-provider-port", nil) { [unowned self] in
        HTTPVersionNegotiator(front: self)
      }
    }
    if let port = ports.webPush {
      ports.webPush = try listen(port, "web-push-port", \.webPush) { [unowned self] in
        HTTPVersionNegotiator(front: self, interface: .webPush)
      }
    }
    if let port = ports.insecureWebPush {
      ports.insecureWebPush = try listen(port, "insecure-web-push-port", nil) { [unowned self] in
        HTTPVersionNegotiator(front: self, interface: .webPush)
      }
    }
    webPush = WebPushFront(
      origin: context.shared.configuration.webPushOrigin(for: ports),
      dialect: context.shared.configuration.webPushDialect)
    ports.binary = try listen(ports.binary, "binary-port", \.legacy) { [unowned self] in
      LegacyProtocolNegotiator(front: self, service: .binary)
    }
    ports.feedback = try listen(ports.feedback, "feedback-port", \.legacy) { [unowned self] in
      LegacyProtocolNegotiator(front: self, service: .feedback)
    }
  }

  private func listen(
    _ port: UInt16, _ option: String, _ part: KeyPath<ListenerSecurity, StreamSecurity>?,
    accept: @escaping () -> any StreamHandler
  ) throws(ListenFailure) -> UInt16 {
    let listener = try context.listen(
      port, option, part.map { listeners.security[keyPath: $0] } ?? .plain, for: .provider,
      accept: accept)
    listeners.add(listener, showing: part)
    return listener.port
  }

  /// Creates a provider connection, on any interface, and adds it.
  func makeProvider<Peer: ProviderPeer>(_ make: (UInt64, ProviderFront) -> Peer) -> Peer {
    let connection = make(connections.makeNumber(), self)
    connections.add(connection)
    metrics.providerConnections.add()
    return connection
  }

  /// Removes a provider connection that has closed.
  func remove(_ connection: some ProviderPeer) {
    guard connections.remove(connection) else { return }
    metrics.providerConnections.add(-1)
    context.scheduleTurnEnd()
  }

  /// Returns a stream object for a request, reusing an existing one if possible.
  func makeStream() -> ProviderStream { spareStreams.popLast() ?? ProviderStream() }

  func recycle(_ stream: ProviderStream) {
    guard spareStreams.count < Limits.spareStreamsMax else { return }
    stream.shrink()
    spareStreams.append(stream)
  }

  func makeID() -> NotificationID { context.makeID() }

  // MARK: Pushes

  /// Sends a push to the home of its device; `provider` receives the outcome.
  func submit(_ submission: Submission, of provider: some ProviderPeer) {
    guard let reply = submission.reply else {
      return assertionFailure("a provider's push has the address of its answer")
    }
    assert(reply.connection == provider.number, "the answer is sent to the push's provider")
    provider.load.begin()
    if !submission.isWithdrawal {
      context.shared.payloads?.retain(
        submission.payload, id: submission.id, uniqueID: submission.uniqueID)
    }
    let home = context.homes.home(of: submission.key.device)
    if context.send(.submission(submission), to: home) { return }
    // Until the gateway opens, this loop doesn't know the other loops.
    provider.load.end()
    provider.answer(reply.stream, .refused(.serviceUnavailable, timestampMilliseconds: nil))
  }

  /// Returns the address of the answer to a connection's request.
  func address(of provider: some ProviderPeer, _ stream: Int32) -> ReplyAddress {
    ReplyAddress(front: context.route, connection: provider.number, stream: stream)
  }

  /// Passes the outcome of a push to its connection, unless the connection has closed.
  func handle(_ outcome: ProviderAnswer, for address: ReplyAddress) {
    assert(address.front == context.route, "an outcome arrives at the front of its provider")
    connections.answered(address.connection)?.answer(address.stream, outcome)
  }

  /// Sends a question about a Web Push message to the home of its device; returns false if the gateway is not open yet.
  func askHome(_ question: MessageQuestion) -> Bool {
    context.send(.messageQuestion(question), to: context.homes.home(of: question.key.device))
  }

  /// Passes the answer to a question to its connection, unless the connection has closed.
  func handle(_ answer: MessageAnswer, for address: ReplyAddress) {
    assert(address.front == context.route, "an answer arrives at the front of its provider")
    guard let provider = connections.provider(address.connection) else { return }
    guard let connection = provider as? ProviderConnection else {
      return assertionFailure("a connection without Web Push asked about a message")
    }
    connection.answer(address.stream, answer)
  }

  // MARK: Control plane

  func ask(_ request: ControlPlaneRequest) { context.ask(request) }

  func handle(_ reply: FrontReply) {
    switch reply {
    case .channels(let number, let stream, let answer):
      guard let provider = connections.provider(number) else { return }
      guard let connection = provider as? ProviderConnection else {
        return assertionFailure("a channel answer was sent to a connection without channels")
      }
      connection.answer(stream, answer)
    case .feedback(let number, let records):
      connections.removeFeedbackClient(number)?.answer(records)
    }
  }

  /// Requests an app's feedback from the control plane, because only it knows the registrations of all homes.
  func askFeedback(app: UInt32, after cursor: FeedbackCursor?, _ connection: FeedbackConnection) {
    ask(.feedback(number: connections.addWaiting(connection), app: app, after: cursor))
  }

  /// Returns one tuple for each token key, because a provider's copy of the token might be sealed with any of the keys.
  func feedbackTuples(_ record: RegistrationRecord) -> [FeedbackTuple] {
    let kind = TokenKind(rawValue: record.key.kind)
    assert(kind == .alert, "feedback is only about alert tokens")
    let contents = TokenContents(
      environment: environment, kind: kind ?? .alert, generation: record.generation,
      app: record.key.app, device: record.key.device)
    return tokens.sealWithEachKey(contents).map { token in
      FeedbackTuple(seconds: UInt32(clamping: record.changedMilliseconds / 1_000), token: token)
    }
  }

  // MARK: Refused pushes

  /// Records a refused push for `belfry log`; returns false if this second's limit on such records has been reached.
  func noteRefusal(
    _ rejection: Rejection, id: NotificationID, token: [UInt8], topic: [UInt8],
    pushType: PushType? = nil
  ) -> Bool {
    noteRefusal(
      because: rejection.reason, id: id, token: token, topic: topic, pushType: pushType)
  }

  /// Records a refused push with a reason in words; returns false if this second's limit has been reached.
  func noteRefusal(
    because reason: @autoclosure () -> String, id: NotificationID, token: [UInt8], topic: [UInt8],
    pushType: PushType?
  ) -> Bool {
    guard refusedPushes.hasRoom(atNanoseconds: loop.nowNanoseconds) else { return false }
    let entry = RefusedPushes.Entry(
      atMilliseconds: loop.unixMilliseconds, reason: reason(), id: id, token: token,
      topic: topic.count <= Limits.refusedTopicBytesMax
        ? topic : Array(topic.prefix(Limits.refusedTopicBytesMax)),
      pushType: pushType)
    refusedPushes.append(entry)
    followers.tell(entry) { line($0) }
    return true
  }

  /// Records a relayed push for `belfry log`.
  func noteRelayed(_ entry: RelayedPushes.Entry) {
    relayedPushes.append(entry)
    followers.tell(entry)
  }

  /// Retains the payload of a push that is about to be refused, if the gateway retains payloads and the payload is
  /// complete.
  ///
  /// This method moves the body out of the request. If the body were shared, it would have to be copied before its
  /// buffer is reused.
  func retainPayload(ofRefused open: ProviderStream, id: NotificationID) {
    guard let payloads = context.shared.payloads, open.bodyBytes > 0,
      open.body.count == open.bodyBytes
    else { return }
    payloads.retain(open.takeBody(), id: id, uniqueID: nil)
  }

  /// Returns the refused and the relayed pushes that match a query.
  func lines(of query: DeliveryLogQuery) -> [DeliveryLogLine] {
    refusedPushes.lines(where: query.matches).map(line) + relayedPushes.lines(of: query)
  }

  /// Sends each later refused push that matches a query to the follower.
  func follow(_ query: DeliveryLogQuery, _ follower: DeliveryLogFollower) {
    followers.add(follower, of: query, tokens)
  }

  /// Converts a refused push to a line of `belfry log`.
  private func line(_ entry: RefusedPushes.Entry) -> DeliveryLogLine {
    DeliveryLogLine(
      atMilliseconds: entry.atMilliseconds, state: DeliveryLogLine.refused,
      reason: entry.reason, id: entry.id, uniqueID: nil,
      device: tokens.open(entry.token.span)?.device ?? 0,
      topic: String(decoding: entry.topic, as: UTF8.self), pushType: entry.pushType)
  }

  // MARK: Changes and shutdown

  /// Applies a changed configuration; a rate limit that has changed starts over.
  func use(_ configuration: GatewayConfiguration) {
    connectionRate = configuration.connectionRate.map(RateLimit.init(perSecond:))
    providerErrors = configuration.providerErrors
  }

  func use(_ directory: CredentialDirectory) { verifier.use(directory) }

  func use(_ security: ListenerSecurity) { listeners.use(security) }

  /// Stops accepting connections and requests.
  func drain() {
    listeners.close()
    for connection in connections.all { connection.drain() }
  }

  /// Closes everything.
  func stop() {
    listeners.close()
    for connection in connections.all { connection.close() }
  }

  /// True if no connection is left.
  var isDrained: Bool { connections.isEmpty }

  /// Asserts the invariants that hold between turns.
  func checkInvariants(isDraining: Bool) {
    connections.checkInvariants()
    assert(!isDraining || listeners.isEmpty, "a draining front has no listeners")
    assert(spareStreams.count <= Limits.spareStreamsMax, "the spare streams are within their limit")
  }
}
