import System

/// A connection of an HTTP/1.1 server, which collects a request, passes it to the handler, and sends the response.
final class HTTP1Connection: StreamHandler {
  /// The request that is being received.
  private struct Incoming {
    var method = ""
    var target: [UInt8] = []
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []
  }

  private let number: UInt64
  /// The stream, which its loop keeps alive.
  private weak var stream: ByteStream?
  private unowned let owner: HTTP1Connections
  private let session = HTTP1ServerSession()
  private var incoming = Incoming()
  private var streamID: Int32 = 0
  /// The body of the long response that is being sent.
  private var body: HTTP1BodyStream?
  /// True if the entire body is available, so that only a client that doesn't read can delay the response.
  private var isBodyWhole = false
  private var timer: TimerID?
  /// True while a request is being received.
  ///
  /// The time limit of a request starts with its first byte.
  private var isReceiving = false
  /// The time at which the connection began to wait for a request, in nanoseconds on the loop clock; nil while a
  /// request is being answered.
  private(set) var waitingSince: Int64?
  /// The time at which the client began to send requests without waiting for the previous answer, in nanoseconds on the
  /// loop clock; nil if the client waits for answers.
  private(set) var pipeliningSince: Int64?
  /// True if the client has finished sending.
  private var inputHasEnded = false
  /// The peer's address without its port, and a flag that is true if the peer is on this machine.
  let address: String
  let isLocal: Bool

  init(number: UInt64, stream: ByteStream, owner: HTTP1Connections) {
    self.number = number
    self.stream = stream
    self.owner = owner
    waitingSince = owner.loop.nowNanoseconds
    let peer = stream.peerAddress
    address = peer?.host ?? ""
    isLocal = peer?.isLoopback ?? false
    session.bodyBytesMax = owner.bounds.bodyBytes
  }

  // MARK: server's side

  func respond(_ response: HTTP1Response) {
    assert(body == nil, "only one response is sent at a time")
    let status = min(max(response.status, 200), 599)
    var fields = response.fields
    fields.append(("date", Timestamp.httpDate(unixMilliseconds: owner.loop.unixMilliseconds)))
    switch response.body {
    case .bytes(let bytes) where bytes.count > Limits.highWaterBytes:
      begin(
        HTTP1BodyStream(whole: bytes), status: status, fields: fields, length: bytes.count)
    case .bytes(let bytes):
      // Call this before reading the next request, which might already have arrived and would start its own timer.
      awaitRequest()
      pauseIfUnread(with: bytes.count)
      session.respond(streamID, status: status, fields: fields, body: bytes)
      readPipelined()
      flush()
      if waitingSince != nil { pipeliningSince = nil }
    case .stream(let body): begin(body, status: status, fields: fields, length: nil)
    }
  }

  /// Begins a response whose body is sent as the client reads it.
  private func begin(
    _ body: HTTP1BodyStream, status: Int, fields: [(name: String, value: String)], length: Int?
  ) {
    // Call this before reading the next request, which might already have arrived and would start its own timer.
    awaitRequest()
    let begins =
      session.beginResponse(streamID, status: status, fields: fields, length: length)
    guard begins else {
      body.close()
      readPipelined()
      return flush()
    }
    stopTimer()
    waitingSince = nil
    self.body = body
    isBodyWhole = length != nil
    if owner.isFinishing, !isBodyWhole { return abort() }
    owner.follow(body, for: number)
    sendBody()
  }

  /// Sends the available parts of a long response's body until the pending output exceeds the high-water mark.
  func sendBody() {
    // Add output until it exceeds the high-water mark. Otherwise, the stream wouldn't report that the output has
    // drained.
    while let body, let stream, stream.isOpen, stream.pendingOutputBytes <= Limits.highWaterBytes {
      let piece = body.next()
      guard !piece.isBroken else { return abort() }
      guard piece.isLast || !piece.bytes.isEmpty else {
        // Send the head even if no body bytes are available yet, so that the client can see that its request is being
        // answered.
        flush()
        // A followed log never ends. If the client has finished sending, it receives only the lines written so far.
        if inputHasEnded { stream.close() }
        return
      }
      session.sendBody(piece.bytes)
      if piece.isLast {
        self.body = nil
        body.close()
        awaitRequest()
        session.endBody()
        readPipelined()
      }
      flush()
    }
    if body != nil, isBodyWhole { startTimer(owner.bounds.idleNanoseconds) }
  }

  /// Stops reading requests from a client that doesn't read its answers, because the answers would fill the memory.
  private func pauseIfUnread(with bytes: Int) {
    guard let stream, stream.pendingOutputBytes + bytes > Limits.highWaterBytes else { return }
    session.pause()
  }

  /// Closes the connection without sending more data.
  func abort() {
    waitingSince = nil
    pipeliningSince = nil
    stream?.close(afterFlush: false)
  }

  /// Closes the connection after its answer, or immediately if there is no answer to send.
  ///
  /// A response without a known length might never end, so it is truncated.
  func finish() {
    guard waitingSince == nil, body == nil || isBodyWhole else { return abort() }
  }

  // MARK: stream's side

  func streamOpened(_ stream: ByteStream) { startTimer(owner.bounds.idleNanoseconds) }

  func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
    unsafe read(bytes)
    flush()
    beginTimeOfRequest()
  }

  func streamAwaitsAnswers(_ stream: ByteStream) -> Bool {
    inputHasEnded = true
    session.endInput()
    unsafe read(UnsafeRawBufferPointer(start: nil, count: 0))
    if body != nil { sendBody() }
    flush()
    return !session.isFinished
  }

  func streamDrained(_ stream: ByteStream) {
    sendBody()
    session.resume()
    unsafe read(UnsafeRawBufferPointer(start: nil, count: 0))
    flush()
  }

  func stream(_ stream: ByteStream, closed reason: StreamClosure) {
    if let timer { owner.loop.cancel(timer) }
    body?.close()
    body = nil
    owner.remove(number)
  }

  private func flush() {
    unsafe session.takeOutput { unsafe stream?.write($0) }
    updateReading()
    let isLast = owner.isFinishing && waitingSince != nil
    if isLast || session.isFinished { stream?.close() }
  }

  /// Stops reading while too many requests wait for their answers.
  private func updateReading() {
    guard session.isInputFull else {
      stream?.resumeReading()
      return
    }
    // A response that never ends would never make room.
    if body != nil, !isBodyWhole { return abort() }
    stream?.pauseReading()
  }

  // MARK: time

  private func awaitRequest() {
    isReceiving = false
    waitingSince = owner.loop.nowNanoseconds
    startTimer(owner.bounds.idleNanoseconds)
  }

  /// Starts the time limit of a request, which covers the entire request from its first byte.
  ///
  /// If the timer restarted with each byte, a slow client would never reach the limit.
  private func beginTimeOfRequest() {
    guard !isReceiving, session.hasPartialHead else { return }
    isReceiving = true
    startTimer(owner.bounds.requestNanoseconds)
  }

  private func startTimer(_ nanoseconds: Int64) {
    stopTimer()
    guard stream?.isOpen ?? false else { return }
    timer = owner.loop.schedule(afterNanoseconds: nanoseconds, self)
  }

  private func stopTimer() {
    if let timer { owner.loop.cancel(timer) }
    timer = nil
  }
}

extension HTTP1Connection: TimerTarget {
  func timerFired(tag: UInt64) {
    timer = nil
    stream?.close(afterFlush: body == nil)
  }
}

// MARK: requests

extension HTTP1Connection {
  /// Handles the requests in the peer's bytes.
  ///
  /// `isPipelined` is true if the requests arrived before the previous answer was sent.
  private func read(_ bytes: UnsafeRawBufferPointer, isPipelined: Bool = false) {
    var rest = unsafe bytes
    while let event = unsafe session.next(&rest) {
      switch unsafe event {
      case .began(let streamID): requestBegan(streamID)
      case .field(_, let name, let value): unsafe requestField(name: name, value: value)
      case .body(let streamID, let bytes): unsafe requestBody(streamID, bytes: bytes)
      case .ended(let streamID): requestEnded(streamID, isPipelined: isPipelined)
      // The session has answered the unreadable request, and the connection closes after that answer.
      case .reset: break
      }
    }
  }

  /// Handles a request that arrived before the previous answer was sent.
  private func readPipelined() {
    unsafe read(UnsafeRawBufferPointer(start: nil, count: 0), isPipelined: true)
  }

  private func requestBegan(_ streamID: Int32) {
    self.streamID = streamID
    incoming = Incoming()
    guard !isReceiving else { return }
    isReceiving = true
    startTimer(owner.bounds.requestNanoseconds)
  }

  private func requestField(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    let text = unsafe String(decoding: name, as: UTF8.self)
    switch text {
    case ":method": incoming.method = unsafe String(decoding: value, as: UTF8.self)
    case ":path": incoming.target = unsafe Array(value)
    case ":scheme": break
    default: incoming.fields.append((text, unsafe String(decoding: value, as: UTF8.self)))
    }
  }

  private func requestBody(_ streamID: Int32, bytes: UnsafeRawBufferPointer) {
    guard incoming.body.count + bytes.count <= owner.bounds.bodyBytes else {
      incoming.body = []
      session.respond(
        streamID, status: 413, fields: [("content-type", "text/plain")],
        body: Array("The body has more than \(owner.bounds.bodyBytes) bytes.\n".utf8))
      return
    }
    unsafe incoming.body.append(contentsOf: bytes)
  }

  private func requestEnded(_ streamID: Int32, isPipelined: Bool) {
    stopTimer()
    waitingSince = nil
    if isPipelined, pipeliningSince == nil { pipeliningSince = owner.loop.nowNanoseconds }
    guard incoming.fields.count(where: { $0.name == "authorization" }) <= 1 else {
      awaitRequest()
      session.respond(
        streamID, status: 400, fields: [("content-type", "text/plain")],
        body: Array("The request has two Authorization fields.\n".utf8))
      return
    }
    let target = HTTP1Target(incoming.target)
    let request = HTTP1Request(
      method: incoming.method, path: target.path, query: target.query, fields: incoming.fields,
      body: incoming.body, peer: stream?.peerDescription ?? "")
    incoming = Incoming()
    owner.dispatch(request, of: number)
  }
}
