import System
import Transport

/// The owner of connections, which handles their events.
protocol PushServiceConnectionOwner: AnyObject {
  /// Handles the service's first SETTINGS, which allow `limit` concurrent requests.
  func connectionOpened(_ connection: PushServiceConnection, limit: Int)
  /// Handles a new limit on concurrent requests.
  func connection(_ connection: PushServiceConnection, limitedTo limit: Int)
  /// Handles the response to a request.
  func connection(
    _ connection: PushServiceConnection, answered number: RequestNumber, _ answer: ServiceAnswer)
  /// Handles a request that will not be answered.
  ///
  /// `unprocessed` is true if the service did not process the request.
  func connection(
    _ connection: PushServiceConnection, failed number: RequestNumber, unprocessed: Bool,
    reason: String)
  /// Handles GOAWAY: the service accepts no further requests on this connection.
  func connectionWentAway(
    _ connection: PushServiceConnection, unprocessed: [RequestNumber], reason: String)
  /// Handles the closing of the connection, which is the last event of the connection.
  func connectionEnded(_ connection: PushServiceConnection, reason: String)
  /// Handles the completion of a batch: all events for the bytes received so far have been reported.
  func connectionSettled(_ connection: PushServiceConnection)
}

/// An HTTP/2 connection to the service, on its client's loop.
///
/// The connection reports events, and its owner makes all decisions.
final class PushServiceConnection: StreamHandler, TimerTarget, TurnEndTarget {
  let number: ConnectionNumber
  private let loop: EventLoop
  private unowned let owner: any PushServiceConnectionOwner
  private var stream: ByteStream?
  private var http: (any HTTP2ClientSession)?
  private var requests: [Int32: (number: RequestNumber, response: ResponseAccumulator)] = [:]
  private var liveness: Liveness
  private var checkTimer: TimerID?
  private var greetingTimer: TimerID?
  private var hasGreeted = false
  private var isFlushScheduled = false
  private var endReason: String?

  private enum Tag {
    static let greeting: UInt64 = 1
    static let check: UInt64 = 2
  }

  init(
    _ number: ConnectionNumber, loop: EventLoop, endpoint: ProviderEndpoint,
    tls: TLSClientContext, isPublicOnly: Bool = false, owner: any PushServiceConnectionOwner
  ) {
    self.number = number
    self.loop = loop
    self.owner = owner
    self.liveness = Liveness(now: loop.nowNanoseconds)
    self.stream = ByteStream.connect(
      on: loop, to: .tcp(host: endpoint.host, port: endpoint.port), tls: tls,
      isPublicOnly: isPublicOnly, timeoutNanoseconds: Limits.connectNanoseconds, handler: self)
  }

  /// Queues a request and returns its stream ID, or nil if the connection does not currently accept requests.
  func send(
    _ number: RequestNumber, fields: [(name: String, value: String)], body: [UInt8],
    answerBytesMax: Int
  ) -> Int32? {
    guard let streamID = http?.request(fields: fields, body: body) else { return nil }
    if checkTimer == nil {
      let due = liveness.requestSent(now: loop.nowNanoseconds)
      scheduleCheck(at: due)
    }
    assert(requests[streamID] == nil, "a stream carries only one request")
    requests[streamID] = (number, ResponseAccumulator(bodyBytesMax: answerBytesMax))
    scheduleFlush()
    return streamID
  }

  /// Cancels a request.
  func cancel(_ streamID: Int32) {
    guard requests.removeValue(forKey: streamID) != nil else { return }
    http?.cancel(streamID)
    scheduleFlush()
  }

  /// Closes the connection after GOAWAY.
  func close() {
    http?.goAway()
    flush()
    stream?.close()
  }

  // MARK: The stream

  func streamOpened(_ stream: ByteStream) {
    if let chosen = stream.negotiatedProtocol, chosen != "h2" {
      endReason = "the service chose \(chosen) instead of HTTP/2"
      stream.close()
      return
    }
    http = NGHTTP2ClientSession()
    greetingTimer = loop.schedule(
      afterNanoseconds: Limits.connectNanoseconds, self, tag: Tag.greeting)
    flush()
  }

  func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
    liveness.bytesReceived(now: loop.nowNanoseconds)
    guard let http else { return }
    unsafe read(bytes, from: http)
    if hasGreeted, !http.isGoingAway {
      owner.connection(self, limitedTo: http.openStreams + http.availableStreams)
    }
    scheduleFlush()
    if http.isFinished {
      endReason = endReason ?? "HTTP/2 ended"
      flush()
      stream.close()
    }
    owner.connectionSettled(self)
  }

  func streamDrained(_ stream: ByteStream) {}

  func stream(_ stream: ByteStream, closed reason: StreamClosure) {
    for timer in [checkTimer, greetingTimer] { if let timer { loop.cancel(timer) } }
    requests = [:]
    http = nil
    self.stream = nil
    let isByPeer = reason == .peer || reason == .truncated
    let description = isByPeer ? "closed by the service" : reason.description
    owner.connectionEnded(self, reason: endReason ?? description)
  }

  // MARK: Answers

  /// Handles the events that result from the service's bytes or from earlier sending.
  private func read(_ bytes: UnsafeRawBufferPointer, from http: any HTTP2ClientSession) {
    var rest = unsafe bytes
    while let event = unsafe http.next(&rest) {
      switch unsafe event {
      case .field(let streamID, let name, let value):
        unsafe requests[streamID]?.response.appendField(name: name, value: value)
      case .body(let streamID, let bytes):
        unsafe requests[streamID]?.response.appendBody(bytes)
      case .ended(let streamID): responseEnded(streamID)
      case .failed(let streamID, let reason): responseFailed(streamID, reason: reason)
      case .wentAway(let last, let errorCode, let debugData):
        unsafe connectionWentAway(lastStreamID: last, errorCode: errorCode, debugData: debugData)
      case .concurrentStreamsChanged(let count): concurrentStreamsChanged(count)
      case .pingAcknowledged: break
      }
    }
  }

  private func responseEnded(_ streamID: Int32) {
    guard let request = requests.removeValue(forKey: streamID) else { return }
    owner.connection(self, answered: request.number, request.response.answer())
  }

  private func responseFailed(_ streamID: Int32, reason: HTTP2RequestFailure) {
    guard let request = requests.removeValue(forKey: streamID) else { return }
    let (unprocessed, text) =
      switch reason {
      case .unprocessed: (true, "the service did not process the request")
      case .reset(let code): (false, "the service reset the request with error \(code)")
      case .connectionLost: (false, "the connection was lost")
      }
    owner.connection(self, failed: request.number, unprocessed: unprocessed, reason: text)
  }

  private func connectionWentAway(
    lastStreamID: Int32, errorCode: UInt32, debugData: UnsafeRawBufferPointer
  ) {
    let unprocessed = requests.filter { $0.key > lastStreamID }.sorted { $0.key < $1.key }
    for (streamID, _) in unprocessed { requests[streamID] = nil }
    // The service chooses the text, which must not move a terminal's cursor.
    let debug = unsafe debugData.prefix(256).map { byte -> UInt8 in
      (0x20..<0x7F).contains(byte) ? byte : UInt8(ascii: "?")
    }
    let text = debug.isEmpty ? "" : " " + String(decoding: debug, as: UTF8.self)
    let reason = "\(ProviderFailure.goingAwayReason) with error \(errorCode)\(text)"
    endReason = reason
    owner.connectionWentAway(self, unprocessed: unprocessed.map(\.value.number), reason: reason)
  }

  private func concurrentStreamsChanged(_ count: UInt32) {
    guard !hasGreeted else { return }
    hasGreeted = true
    if let greetingTimer { loop.cancel(greetingTimer) }
    greetingTimer = nil
    owner.connectionOpened(self, limit: Int(clamping: count))
  }

  // MARK: Time

  func timerFired(tag: UInt64) {
    guard tag == Tag.check else {
      greetingTimer = nil
      fail("the service did not start with HTTP/2 SETTINGS")
      return
    }
    checkTimer = nil
    switch liveness.check(now: loop.nowNanoseconds, owesAnswers: !requests.isEmpty) {
    case .idle: return
    case .checkAgain(let due): scheduleCheck(at: due)
    case .ping(let due):
      http?.ping()
      scheduleFlush()
      scheduleCheck(at: due)
    case .dead: fail("the service did not respond to a ping")
    }
  }

  private func scheduleCheck(at due: Int64) {
    checkTimer = loop.schedule(
      afterNanoseconds: due - loop.nowNanoseconds, self, tag: Tag.check)
  }

  private func fail(_ reason: String) {
    endReason = reason
    stream?.close(afterFlush: false)
  }

  // MARK: Output

  /// Schedules a single write of all queued frames at the end of this turn.
  private func scheduleFlush() {
    guard !isFlushScheduled else { return }
    isFlushScheduled = true
    loop.atTurnEnd(self)
  }

  func turnEnded() {
    isFlushScheduled = false
    flush()
  }

  private func flush() {
    guard let stream, let http else { return }
    unsafe http.takeOutput { unsafe stream.write($0) }
    unsafe read(UnsafeRawBufferPointer(start: nil, count: 0), from: http)
  }
}
