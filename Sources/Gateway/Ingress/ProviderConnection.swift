import BelfryWire
import PushWire
import System
import Transport

/// A provider's HTTP/2 connection, which converts frames into requests, and decisions into responses.
///
/// The connection is confined to its loop. It makes no decisions: ``Admission`` checks requests,
/// ``PresentedCredentials`` checks provider tokens, and the device's home performs the last checks.
final class ProviderConnection: ProviderPeer, StreamHandler, TurnEndTarget, AdmissionContext {
  let number: UInt64
  let front: ProviderFront
  let load = ProviderLoad()
  /// The API that is available on the port.
  var interface = ProviderInterface.everything
  private(set) var stream: ByteStream?
  var session: (any HTTP2ServerSession)?
  /// True if the client uses HTTP/1.1: it sent no HTTP/2 preface on a port that allows both protocols.
  var speaksHTTP1 = false
  var streams = ProviderStreamTable()
  var lists = ListRequests()
  var matrix = MatrixRequests()
  private var credentials: PresentedCredentials
  private var hasLoggedPayloadFault = false
  private(set) var hasAcceptedRequest = false
  private var isFlushScheduled = false
  private var isPausedUntilAnswered = false
  /// True while reading is paused because an HTTP/1.1 client has pipelined too many requests.
  private var isPausedForInput = false
  private var faults = ProviderFaults()
  private var nextPushNanoseconds: Int64 = 0
  private var errorPolicy: ProviderErrorPolicy
  var lifecycle = ProviderLifecycle()
  var idlePolicy = IdlePolicy()
  var idleTimer: TimerID?
  var opened: Int64 = 0
  var lastReceived: Int64 = 0
  var lastRequest: Int64 = 0
  /// The number of bytes that unfinished requests held at the last count.
  var heldBytes = 0
  /// The number of bytes received since the last count; `unaccountedRequests` is the number of requests begun since
  /// then.
  var unaccountedBytes = 0
  var unaccountedRequests = 0
  var unsentBytes = 0

  init(number: UInt64, front: ProviderFront) {
    self.number = number
    self.front = front
    credentials = PresentedCredentials(environment: front.environment)
    errorPolicy = ProviderErrorPolicy(bounds: front.providerErrors)
  }

  // MARK: Stream

  func streamOpened(_ stream: ByteStream) {
    self.stream = stream
    var fault: Rejection?
    if let shown = stream.peerCertificate {
      switch CertificateCredential.of(shown, in: front.directory, for: front.environment) {
      case .accepted(let credential):
        credentials.certificate = credential
        stream.proveProvider()
      case .refused(let rejection): fault = rejection
      }
    }
    var settings = HTTP2Settings()
    settings.initialConcurrentStreams =
      credentials.certificate == nil && interface != .webPush
      ? 1 : Limits.providerConcurrentStreams
    let scripted = faults.opening(front.faults, &settings)
    session =
      speaksHTTP1
      ? HTTP1ServerSession()
      : front.http2Codec.makeServerSession(settings: settings) { [unowned front] in
        front.loop.nowNanoseconds
      }
    startIdleTimer()
    scheduleFlush()
    if let scripted { carryOut(scripted, after: 0) }
    if lifecycle.isLeaving { sendGoAway(.shutdown) }
    if let fault { expel(fault, code: HTTP2ErrorCode.noError) }
  }

  func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
    guard let session, lifecycle.readsInput else { return }
    lastReceived = front.loop.nowNanoseconds
    unaccountedBytes += bytes.count
    unsafe read(bytes, from: session)
    if session.isFinished {
      _ = lifecycle.handle(.codecFailed)
      if let code = session.failure {
        front.log.info(
          "closing a provider connection that violated HTTP/2",
          [
            "peer": stream.peerDescription, "code": "\(code)",
            "why": session.failureReason ?? "",
          ])
      }
    }
    if session.isInputFull {
      isPausedForInput = true
      stream.pauseReading()
    }
    checkMemoryIfDue()
    scheduleFlush()
  }

  func streamAwaitsAnswers(_ stream: ByteStream) -> Bool {
    guard let session, lifecycle.readsInput else { return false }
    _ = lifecycle.handle(.inputEnded)
    session.endInput()
    unsafe read(UnsafeRawBufferPointer(start: nil, count: 0), from: session)
    for open in streams.removeUnjudged() { front.recycle(open) }
    scheduleFlush()
    // There might be answers that aren't written yet. `turnEnded` writes them, and closes the connection once no stream
    // is open.
    return true
  }

  func streamDrained(_ stream: ByteStream) {
    if load.hasRoom, !isPausedForInput { stream.resumeReading() }
    setUnsentBytes(stream.pendingOutputBytes)
    askForNextList()
  }

  func stream(_ stream: ByteStream, closed reason: StreamClosure) {
    if let why = reason.handshakeFailureOfClient {
      front.log.info(
        "refused a TLS handshake on the provider port",
        ["peer": stream.peerDescription, "why": why])
    }
    assert(
      stream === self.stream || self.stream == nil, "a closed stream belongs to this connection")
    for open in streams.removeAll() { front.recycle(open) }
    stopIdleTimer()
    session = nil
    self.stream = nil
    front.remove(self)
  }

  func turnEnded() {
    assert(isFlushScheduled, "a flush is scheduled")
    isFlushScheduled = false
    guard let session, let stream else { return }
    switch lifecycle.handle(.turnEnded(openRequests: streams.count)) {
    case .abort: return stream.close(afterFlush: false)
    case .sendGoAway(let last): sendGoAway(.shutdown, lastStreamID: last)
    case .close, .none: break
    }
    unsafe session.takeOutput { unsafe stream.write($0) }
    unsafe read(UnsafeRawBufferPointer(start: nil, count: 0), from: session)
    setUnsentBytes(stream.pendingOutputBytes)
    if unsentBytes > front.providerMemory.unsentBytesMax { stream.pauseReading() }
    if !load.hasRoom { pauseUntilAnswered(stream) }
    resumeIfNotFull()
    askForNextList()
    let written = ProviderLifecycle.Event.outputWritten(
      openRequests: streams.count, codecIsFinished: session.endsWithItsOutput)
    if lifecycle.handle(written) == .close { stream.close() }
  }

  func scheduleFlush() {
    guard !isFlushScheduled else { return }
    isFlushScheduled = true
    front.loop.atTurnEnd(self)
  }

  // MARK: Requests

  /// Handles the events that the client's bytes contain, and any events that sending has caused.
  private func read(_ bytes: UnsafeRawBufferPointer, from session: any HTTP2ServerSession) {
    var rest = unsafe bytes
    while let event = unsafe session.next(&rest) {
      switch unsafe event {
      case .began(let streamID): requestBegan(streamID)
      case .field(let streamID, let name, let value):
        unsafe requestField(streamID, name: name, value: value)
      case .body(let streamID, let bytes): unsafe requestBody(streamID, bytes: bytes)
      case .ended(let streamID): requestEnded(streamID)
      case .reset(let streamID, _): requestReset(streamID)
      }
    }
  }

  private func requestBegan(_ streamID: Int32) {
    guard streamID <= faults.lastStreamID else { return }
    let open = front.makeStream()
    lastRequest = front.loop.nowNanoseconds
    unaccountedRequests += 1
    open.begin(streamID, at: lastRequest)
    guard streams.insert(open) else {
      front.recycle(open)
      session?.reset(streamID, errorCode: HTTP2ErrorCode.refusedStream)
      return
    }
  }

  private func requestField(
    _ streamID: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
  ) {
    guard let open = streams[streamID] else { return }
    let nameBytes = unsafe name.assumingMemoryBound(to: UInt8.self)
    let valueBytes = unsafe value.assumingMemoryBound(to: UInt8.self)
    unsafe open.handleField(name: nameBytes.span, value: valueBytes.span)
  }

  private func requestBody(_ streamID: Int32, bytes: UnsafeRawBufferPointer) {
    guard let open = streams[streamID] else { return }
    unsafe open.append(bytes)
  }

  private func requestEnded(_ streamID: Int32) {
    guard let open = streams[streamID], !open.isDecided else { return }
    assert(open.streamID == streamID, "a request is stored under its own stream ID")
    open.isDecided = true
    evaluate(open)
  }

  private func requestReset(_ streamID: Int32) {
    if let open = streams.remove(streamID) { front.recycle(open) }
    scheduleFlush()
  }

  private func evaluate(_ open: ProviderStream) {
    guard lifecycle.decidesRequests else { return }
    let script = front.faults
    guard faults.countRequest(under: script) else { return decide(open) }
    let effects = faults.judging(script, open.request, isLeaving: lifecycle.isLeaving)
    open.delayMilliseconds = effects.delayMilliseconds
    let streamID = open.streamID
    if !effects.closes { decide(open) }
    carryOut(effects, after: streamID)
  }

  /// Logs the position of the syntax error in an invalid payload, because the response has no room for it; logs this
  /// only once per connection.
  private func logPayloadFault(_ open: ProviderStream) {
    guard !hasLoggedPayloadFault, open.bodyBytes > 0, let fault = PayloadFault(in: open.body) else {
      return
    }
    hasLoggedPayloadFault = true
    front.log.info(
      "refused a payload that is not a JSON object",
      [
        "peer": stream?.peerDescription ?? "", "line": String(fault.line),
        "column": String(fault.column), "why": fault.what, "do": fault.remedy,
      ])
  }

  private func decide(_ open: ProviderStream) {
    if case .value = open.request.id {} else { open.generatedID = front.makeID() }
    if isAboutWebPush(open) { return decideWebPush(open) }
    if isAboutChannels(open) { return decideChannelRequest(open) }
    var context = self
    let body = open.body
    switch Admission.evaluate(
      open.request, body: body.span, bodyBytes: open.bodyBytes,
      atSeconds: front.storageStartSeconds, context: &context)
    {
    case .refused(let rejection):
      if rejection == .payloadEmpty { logPayloadFault(open) }
      answer(
        open.streamID, .refused(rejection, timestampMilliseconds: faults.takeTimestamp(rejection)))
    case .forwarded(let app, let sender): relay(open, to: app, from: sender)
    case .admitted(let admitted):
      raiseStreamLimit()
      guard isInRate(admitted.app) else {
        answer(open.streamID, .refused(.tooManyRequests, timestampMilliseconds: nil))
        return
      }
      guard hasRoomForTeam(of: admitted.app) else {
        answer(open.streamID, .refused(.serviceUnavailable, timestampMilliseconds: nil))
        return
      }
      open.uniqueID = front.makeID()
      let id: NotificationID
      if case .value(let given) = open.request.id { id = given } else { id = generatedID(of: open) }
      front.submit(
        Submission(
          admitted.contents, id: id, uniqueID: open.uniqueID, expiration: admitted.expiration,
          priority: admitted.priority, pushType: admitted.pushType,
          collapseID: open.request.collapseID, payload: open.takeBody(),
          acceptedMilliseconds: front.loop.unixMilliseconds, keep: admitted.app.keep,
          reply: front.address(of: self, open.streamID)),
        of: self)
    }
  }

  /// Returns true if one more push is within the rate limits of the connection and of the app's team.
  func isInRate(_ app: App) -> Bool {
    guard isInConnectionRate() else { return false }
    return app.teamRate?.admits(at: front.loop.nowNanoseconds) ?? true
  }

  /// Returns true if one more push is within the rate limit of the connection.
  func isInConnectionRate() -> Bool {
    front.connectionRate?.admits(&nextPushNanoseconds, at: front.loop.nowNanoseconds) ?? true
  }

  /// Returns true if one more push of the app's team can wait for its answer; all pushes on a connection belong to one
  /// team.
  func hasRoomForTeam(of app: App) -> Bool {
    if load.team == nil { load.team = front.connections.load(ofTeam: app.teamID) }
    guard load.team?.hasRoom == true else {
      front.metrics.count(.team)
      return false
    }
    return true
  }

  /// Stops reading until pushes have been answered.
  ///
  /// The number of open requests has a lower limit, so a client can reach this limit only by resetting requests, or with
  /// requests to the Matrix push gateway.
  private func pauseUntilAnswered(_ stream: ByteStream) {
    guard !isPausedUntilAnswered else { return }
    isPausedUntilAnswered = true
    front.metrics.count(.connection)
    stream.pauseReading()
  }

  func resumeIfAnswered() {
    guard isPausedUntilAnswered, load.unanswered <= Limits.providerUnansweredMax / 2 else { return }
    isPausedUntilAnswered = false
    resumeReading()
  }

  /// Resumes reading once the answers have made room for more pipelined requests.
  private func resumeIfNotFull() {
    guard isPausedForInput, session?.isInputFull == false else { return }
    isPausedForInput = false
    resumeReading()
  }

  /// Resumes reading, unless another limit requires that the client waits.
  private func resumeReading() {
    guard !isPausedForInput, !isPausedUntilAnswered,
      unsentBytes <= front.providerMemory.unsentBytesMax
    else { return }
    stream?.resumeReading()
  }

  /// Raises the limit on concurrent streams, which is 1 until the first valid request (apns-protocol 1.13).
  func raiseStreamLimit() {
    guard !hasAcceptedRequest else { return }
    hasAcceptedRequest = true
    stream?.proveProvider()
    guard credentials.certificate == nil, faults.streams == nil else { return }
    session?.allowConcurrentStreams(errorPolicy.streams)
  }

  // MARK: Faults

  private func carryOut(_ effects: ProviderFaults.Outcome, after streamID: Int32) {
    if effects.changesStreams {
      let usual =
        credentials.certificate == nil && !hasAcceptedRequest ? 1 : errorPolicy.streams
      session?.allowConcurrentStreams(faults.streams ?? usual)
    }
    if effects.changesWindow {
      session?.setInitialWindow(faults.window ?? HTTP2Settings().initialWindowBytes)
    }
    if effects.goesAway, !lifecycle.isLeaving {
      faults.lastStreamID = streamID
      _ = lifecycle.handle(.scriptedGoAway(lastStreamID: streamID))
    }
    if effects.closes { _ = lifecycle.handle(.scriptedClose) }
    scheduleFlush()
  }

  func scripted(_ request: borrowing PushRequest, to app: App) -> Rejection? {
    guard faults.isActive else { return nil }
    return faults.answer(
      front.faults, request, to: app, at: front.loop.unixMilliseconds, random: &front.context.random
    )
  }

  private func delay(_ open: ProviderStream, _ answer: ProviderAnswer) {
    let streamID = open.streamID
    let nanoseconds = Int64(open.delayMilliseconds) * 1_000_000
    open.delayMilliseconds = 0
    _ = front.loop.schedule(afterNanoseconds: nanoseconds) { [weak self] in
      self?.answer(streamID, answer)
    }
  }

  // MARK: Admission context

  func credential(for request: borrowing PushRequest) -> Admission.Credential {
    let credential = credentials.credential(
      authorization: request.authorization, in: front.directory, front.verifier,
      atSeconds: front.loop.unixMilliseconds / 1_000)
    // The provider can't present another certificate on this connection.
    if case .refused(.badCertificate) = credential { leave(.badCertificate) }
    return credential
  }

  func app(bundleID: Span<UInt8>) -> App? { front.directory.app(bundleID: bundleID) }

  func mayBeDamaged(bundleID: Span<UInt8>) -> Bool {
    front.directory.mayBeDamaged(bundleID: bundleID)
  }

  func mayBeDamaged(app: UInt32) -> Bool { front.directory.mayBeDamaged(app: app) }

  func mayHaveDamagedUpstream(app: UInt32) -> Bool {
    front.directory.mayHaveDamagedUpstream(app: app)
  }

  func open(token: Span<UInt8>) -> TokenContents? { front.tokens.open(token) }

  // MARK: Answers

  /// Answers an open stream; does nothing if the client has reset the stream in the meantime.
  func answer(_ streamID: Int32, _ answer: ProviderAnswer) {
    resumeIfAnswered()
    if MatrixRequests.isPart(streamID) { return answerMatrix(streamID, answer) }
    if faults.hasDelays, let open = streams[streamID], open.delayMilliseconds > 0 {
      return delay(open, answer)
    }
    if let open = streams[streamID], open.webPushAnswer != nil {
      switch answer {
      case .accepted: return acceptWebPush(open)
      case .refused(let rejection, _): return refuseWebPush(open, rejection)
      }
    }
    switch answer {
    case .accepted: accept(streamID)
    case .refused(let rejection, let timestamp): refuse(streamID, rejection, timestamp)
    }
  }

  private func accept(_ streamID: Int32) {
    guard let open = streams.remove(streamID), let session else { return }
    front.responses.accept(
      streamID, idText: open.request.idText, id: id(of: open),
      uniqueID: front.environment == .sandbox ? open.uniqueID : nil, on: session)
    front.metrics.accepted.add()
    front.recycle(open)
    countAccepted()
    scheduleFlush()
  }

  /// Refuses an open request; with `retryAfterSeconds`, the answer states when the client can try again.
  func refuse(
    _ streamID: Int32, _ rejection: Rejection, _ timestamp: Int64? = nil,
    retryAfterSeconds: Int64? = nil
  ) {
    guard let open = streams.remove(streamID), let session else { return }
    front.responses.refuse(
      streamID, rejection, timestampMilliseconds: timestamp, idName: idName(of: open),
      idText: echo(of: open), id: id(of: open), retryAfterSeconds: retryAfterSeconds, on: session)
    front.metrics.count(rejection)
    let pushType: PushType? = if case .value(let type) = open.request.pushType { type } else { nil }
    if !isAboutChannels(open),
      front.noteRefusal(
        rejection, id: id(of: open), token: open.request.token, topic: open.request.topic,
        pushType: pushType)
    {
      front.retainPayload(ofRefused: open, id: id(of: open))
    }
    front.recycle(open)
    countRefused(status: rejection.status, isGuess: rejection == .badDeviceToken)
    scheduleFlush()
  }

  // MARK: Errors

  /// Reduces the error counts over time, which raises the stream limit.
  func forgiveErrors() {
    if errorPolicy.hasErrors { apply(errorPolicy.passTime(at: front.loop.nowNanoseconds)) }
  }

  /// Counts an upstream's answer in the same way as an answer of the gateway.
  func countRelayed(_ answer: UpstreamAnswer) {
    if answer.status == 200 { return countAccepted() }
    let isGuess = Rejection(reason: answer.reason) == .badDeviceToken
    countRefused(status: answer.status, isGuess: isGuess)
  }

  /// Counts an accepted request, which offsets one error.
  func countAccepted() {
    if errorPolicy.hasErrors { apply(errorPolicy.accepted()) }
  }

  /// Counts a refused request; `isGuess` is true if the refusal indicates a guessed token or endpoint.
  func countRefused(status: Int, isGuess: Bool) {
    // While faults are scripted, ignore errors: developers who test a client want to see every scripted answer.
    guard !faults.isActive else { return }
    let now = front.loop.nowNanoseconds
    apply(errorPolicy.refused(status: status, isGuess: isGuess, at: now))
  }

  private func apply(_ verdict: ProviderErrorPolicy.Verdict) {
    errorPolicy.checkInvariants()
    switch verdict {
    case .unchanged: break
    case .streams(let count):
      // Until a request is accepted, the advertised limit stays at one stream, regardless of errors, except on the port
      // for Web Push.
      guard hasAcceptedRequest || credentials.certificate != nil || interface == .webPush,
        faults.streams == nil
      else { break }
      if count < Limits.providerConcurrentStreams { front.metrics.loweredStreamLimits.add() }
      session?.allowConcurrentStreams(count)
    case .end(let excess):
      guard !lifecycle.isLeaving else { break }
      front.metrics.count(excess)
      leave(because: excess.rawValue, code: HTTP2ErrorCode.enhanceYourCalm)
    }
  }

  /// Returns the text of the request's ID if the answer can echo it; otherwise, an empty array.
  ///
  /// If the ID isn't a UUID, the answer contains a new ID instead (apns-protocol 1.10, BadMessageId).
  func echo(of open: ProviderStream) -> [UInt8] {
    if isAboutChannels(open) { return requestEcho(of: open) }
    if case .value = open.request.id { return open.request.idText }
    return []
  }

  func id(of open: ProviderStream) -> NotificationID {
    if isAboutChannels(open) { return requestID(of: open) }
    if case .value(let id) = open.request.id { return id }
    return generatedID(of: open)
  }

  /// Returns the ID that the gateway generates for the answer to this request; every call returns the same ID.
  func generatedID(of open: ProviderStream) -> NotificationID {
    if let known = open.generatedID { return known }
    let made = front.makeID()
    open.generatedID = made
    return made
  }
}
