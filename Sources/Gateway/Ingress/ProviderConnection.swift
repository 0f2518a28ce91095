import BelfryWire
import System
import Transport

/// A provider's HTTP/2 connection: turns frames into requests, and decisions into answers.
///
/// Confined to its loop. Decides nothing: ``Admission`` judges requests, ``ConnectionCredentials``
/// tokens, the device's home loop the rest.
final class ProviderConnection: ProviderPeer, StreamHandler, HTTP2RequestHandler, TurnEndTarget,
  AdmissionContext
{
  let number: UInt64
  let home: GatewayLoop
  /// What the port serves.
  var interface = ProviderInterface.everything
  private var stream: ByteStream?
  var session: NGHTTP2ServerSession?
  var streams = ProviderStreamTable()
  private var credentials: ConnectionCredentials
  private var certificate: CertificateCredential?
  private var lastAuthorization: [UInt8] = []
  private var lastOutcome = TokenVerifier.Outcome.refused(.missingProviderToken)
  private var lastDirectoryVersion: UInt64 = .max
  private var hasAcceptedRequest = false
  private var isFlushScheduled = false
  private var isDraining = false
  private var isClosing = false

  init(number: UInt64, home: GatewayLoop) {
    self.number = number
    self.home = home
    credentials = ConnectionCredentials(environment: home.environment)
  }

  // MARK: Stream

  func streamOpened(_ stream: ByteStream) {
    self.stream = stream
    var fault: Rejection?
    if let shown = stream.peerCertificate {
      switch CertificateCredential.of(shown, in: home.directory, for: home.environment) {
      case .accepted(let credential): certificate = credential
      case .refused(let rejection): fault = rejection
      }
    }
    var settings = HTTP2Settings()
    settings.initialConcurrentStreams =
      certificate == nil ? 1 : Limits.providerConcurrentStreams
    session = NGHTTP2ServerSession(settings: settings, handler: self)
    scheduleFlush()
    if isDraining { sendGoAway(.shutdown) }
    if let fault {
      home.log.info(
        "refused a provider's certificate",
        ["peer": stream.peerDescription, "why": fault.reason])
      sendGoAway(fault)
      isClosing = true
    }
  }

  func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
    guard let session, !isClosing else { return }
    if unsafe session.receive(bytes) == .closing {
      isClosing = true
      if let code = session.failure {
        home.log.info(
          "closing a provider connection that broke HTTP/2",
          ["peer": stream.peerDescription, "code": "\(code)"])
      }
    }
    scheduleFlush()
  }

  func streamDrained(_ stream: ByteStream) { stream.resumeReading() }

  func stream(_ stream: ByteStream, closed reason: StreamClosure) {
    if case .tlsFailed(let why) = reason {
      home.log.info(
        "refused a provider's TLS handshake", ["peer": stream.peerDescription, "why": why])
    }
    for open in streams.removeAll() { home.recycle(open) }
    session = nil
    self.stream = nil
    home.forget(self)
  }

  func turnEnded() {
    isFlushScheduled = false
    guard let session, let stream else { return }
    unsafe session.takeOutput { unsafe stream.write($0) }
    if stream.pendingOutputBytes > Limits.providerOutputBytesMax { stream.pauseReading() }
    if isClosing || (isDraining && streams.count == 0) { stream.close() }
  }

  func scheduleFlush() {
    guard !isFlushScheduled else { return }
    isFlushScheduled = true
    home.loop.atTurnEnd(self)
  }

  // MARK: Requests

  func requestBegan(_ streamID: Int32) {
    let open = home.makeStream()
    open.begin(streamID)
    guard streams.insert(open) else {
      home.recycle(open)
      session?.reset(streamID, errorCode: HTTP2ErrorCode.refusedStream)
      return
    }
  }

  func requestField(
    _ streamID: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
  ) {
    guard let open = streams[streamID] else { return }
    let nameBytes = unsafe name.assumingMemoryBound(to: UInt8.self)
    let valueBytes = unsafe value.assumingMemoryBound(to: UInt8.self)
    unsafe open.request.take(name: nameBytes.span, value: valueBytes.span)
  }

  func requestBody(_ streamID: Int32, bytes: UnsafeRawBufferPointer) {
    guard let open = streams[streamID] else { return }
    unsafe open.append(bytes)
  }

  func requestEnded(_ streamID: Int32) {
    guard let open = streams[streamID], !open.isJudged else { return }
    open.isJudged = true
    judge(open)
  }

  func requestReset(_ streamID: Int32, errorCode: UInt32) {
    if let open = streams.remove(streamID) { home.recycle(open) }
    scheduleFlush()
  }

  private func judge(_ open: ProviderStream) {
    if case .value = open.request.id {} else { open.generatedID = home.makeID() }
    if takesAsChannels(open) { return judgeChannels(open) }
    var context = self
    switch Admission.judge(
      open.request, bodyBytes: open.bodyBytes, atSeconds: home.now.unixSeconds, context: &context)
    {
    case .refused(let rejection):
      refuse(open.streamID, rejection)
    case .admitted(let admitted):
      raiseStreamLimit()
      open.uniqueID = home.makeID()
      let id: NotificationID
      if case .value(let given) = open.request.id { id = given } else { id = open.generatedID }
      home.submit(
        GatewayLoop.Submission(
          contents: admitted.contents, id: id, uniqueID: open.uniqueID,
          expiration: admitted.expiration, priority: admitted.priority,
          pushType: admitted.pushType, collapseID: open.request.collapseID,
          payload: open.takeBody(), keep: admitted.app.keep),
        reply: open.streamID, of: self)
    }
  }

  /// One stream at a time until the first valid request (apns-protocol 1.13).
  func raiseStreamLimit() {
    guard !hasAcceptedRequest else { return }
    hasAcceptedRequest = true
    if certificate == nil { session?.allowConcurrentStreams(Limits.providerConcurrentStreams) }
  }

  // MARK: Admission's questions

  func credential(for request: borrowing PushRequest) -> Admission.Credential {
    if let certificate { return .accepted(.certificate(certificate)) }
    if lastDirectoryVersion != home.directory.version
      || request.authorization != lastAuthorization
    {
      lastAuthorization.removeAll(keepingCapacity: true)
      lastAuthorization.append(copying: request.authorization.span)
      lastOutcome = home.verifier.verify(authorization: request.authorization.span)
      lastDirectoryVersion = home.directory.version
    }
    switch lastOutcome {
    case .refused(let rejection):
      return .refused(rejection)
    case .verified(let token):
      if let rejection = credentials.present(token, atSeconds: home.now.unixSeconds) {
        return .refused(rejection)
      }
      return .accepted(.token(token))
    }
  }

  func app(bundleID: Span<UInt8>) -> App? { home.directory.app(bundleID: bundleID) }

  func open(token: Span<UInt8>) -> TokenContents? { home.tokens.open(token) }

  // MARK: Answers

  /// Answers an open stream; a stream that the client has reset meanwhile is passed over.
  func answer(_ streamID: Int32, _ answer: ProviderAnswer) {
    switch answer {
    case .accepted: accept(streamID)
    case .refused(let rejection, let timestamp): refuse(streamID, rejection, timestamp)
    }
  }

  private func accept(_ streamID: Int32) {
    guard let open = streams.remove(streamID), let session else { return }
    home.responses.accept(
      streamID, idText: open.request.idText, id: id(of: open),
      uniqueID: home.environment == .sandbox ? open.uniqueID : nil, on: session)
    home.metrics.accepted.add()
    home.recycle(open)
    scheduleFlush()
  }

  func refuse(_ streamID: Int32, _ rejection: Rejection, _ timestamp: Int64? = nil) {
    guard let open = streams.remove(streamID), let session else { return }
    home.responses.refuse(
      streamID, rejection, timestampMilliseconds: timestamp, idName: idName(of: open),
      idText: echo(of: open), id: id(of: open), on: session)
    home.metrics.count(rejection)
    home.recycle(open)
    scheduleFlush()
  }

  /// A text that is no UUID is answered with a fresh id (apns-protocol 1.10, BadMessageId).
  func echo(of open: ProviderStream) -> [UInt8] {
    if isAboutChannels(open) { return requestEcho(of: open) }
    if case .value = open.request.id { return open.request.idText }
    return []
  }

  func id(of open: ProviderStream) -> NotificationID {
    if isAboutChannels(open) { return requestID(of: open) }
    if case .value(let id) = open.request.id { return id }
    return open.generatedID
  }

  // MARK: The end

  /// Stops taking requests; what is open is still answered (apns-protocol 1.13).
  func drain() {
    isDraining = true
    sendGoAway(.shutdown)
  }

  private func sendGoAway(_ rejection: Rejection) {
    guard let session else { return }
    session.goAway(
      lastStreamID: nil, errorCode: HTTP2ErrorCode.noError,
      debugData: Array("{\"reason\":\"\(rejection.row.reason)\"}".utf8))
    scheduleFlush()
  }

  /// Ends the connection at once.
  func close() { stream?.close(afterFlush: false) }
}
