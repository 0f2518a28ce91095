/// HTTP/1.1 behind the seam of HTTP/2, for clients on the loopback port that speak no other: each
/// request is a stream, one after the other.
///
/// Not for the hot path. Bodies are of a length or in chunks (RFC 9112); upgrades are passed over.
/// The bytes come from anyone: what is no request is answered with 400 and the end.
public final class HTTP1ServerSession: HTTP2ServerSession {
  private enum State: Equatable {
    case head
    case body(left: Int)
    case chunkSize
    case chunk(left: Int)
    case chunkEnd
    case trailers
    /// The request is whole, its answer is awaited.
    case answering
    case ended
  }

  private unowned let handler: any HTTP2RequestHandler
  private var state = State.head
  private var held: [UInt8] = []
  private var start = 0
  private var output: [UInt8] = []
  private var streamID: Int32 = -1
  private var isLast = false
  private var hasNoBody = false
  private var isAdvancing = false
  /// Requests that were answered.
  public private(set) var endedStreams: UInt64 = 0
  /// Set when the owner gave the connection up.
  public private(set) var failure: UInt32?
  /// The failure's name; HTTP/1.1 has no way to say it.
  public var failureReason: String? { failure.flatMap(HTTP2ErrorCode.name) }

  /// A session that calls `handler`, which must outlive it.
  public init(handler: any HTTP2RequestHandler) { self.handler = handler }

  // MARK: the session's owner

  /// Takes bytes of the peer.
  public func receive(_ bytes: UnsafeRawBufferPointer) -> HTTP2SessionStatus {
    guard state != .ended else { return .closing }
    held.removeFirst(start)
    start = 0
    unsafe held.append(contentsOf: bytes)
    advance()
    if held.count - start > Limits.http1HeldBytes { refuse(413) }
    return isFinished ? .closing : .open
  }

  /// Answers the request; one that is not whole yet is the connection's last.
  public func respond(
    _ streamID: Int32, status: Int, fields: UnsafeBufferPointer<HTTP2FieldView>,
    body: UnsafeRawBufferPointer?
  ) {
    guard streamID == self.streamID, openStreams == 1 else { return }
    if state != .answering { isLast = true }
    begin(status)
    for index in 0..<fields.count {
      let field = unsafe fields[index]
      unsafe output.append(contentsOf: field.name)
      append(": ")
      unsafe output.append(contentsOf: field.value)
      append("\r\n")
    }
    if status != 204 { append("content-length: \(unsafe body?.count ?? 0)\r\n") }
    if isLast { append("connection: close\r\n") }
    append("\r\n")
    if !hasNoBody, let body = unsafe body { unsafe output.append(contentsOf: body) }
    endedStreams &+= 1
    state = isLast ? .ended : .head
    advance()
  }

  /// There is one stream at a time.
  public func allowConcurrentStreams(_ count: UInt32) {}

  /// There is no flow control but TCP's.
  public func setInitialWindow(_ bytes: UInt32) {}

  /// Nothing can be said of it; the answer that is awaited will be the last.
  public func goAway(lastStreamID: Int32?, errorCode: UInt32, debugData: [UInt8]) {
    isLast = true
    if openStreams == 0 { state = .ended }
  }

  /// A request that gets no answer ends the connection.
  public func reset(_ streamID: Int32, errorCode: UInt32) {
    guard streamID == self.streamID, openStreams == 1 else { return }
    failure = errorCode
    state = .ended
  }

  /// Hands over what is to be sent.
  public func takeOutput(_ body: (UnsafeRawBufferPointer) -> Void) {
    guard !output.isEmpty else { return }
    unsafe output.withUnsafeBytes { unsafe body($0) }
    output.removeAll(keepingCapacity: true)
  }

  /// Whether a request has begun to come.
  public var hasFrames: Bool { streamID > 0 }

  /// 1 while a request arrives or awaits its answer.
  public var openStreams: Int {
    switch state {
    case .head, .ended: 0
    default: 1
    }
  }

  /// True when the connection is to be closed once its output has left.
  public var isFinished: Bool { state == .ended }

  // MARK: output

  private func append(_ text: String) { output.append(contentsOf: text.utf8) }

  private func begin(_ status: Int) { append("HTTP/1.1 \(status) \(Self.phrase(status))\r\n") }

  private static func phrase(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 201: "Created"
    case 204: "No Content"
    case 400: "Bad Request"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 410: "Gone"
    case 413: "Content Too Large"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    default: ""
    }
  }

  /// What came is no request that can be served.
  private func refuse(_ status: Int) {
    let isOpen = openStreams == 1
    state = .ended
    begin(status)
    append("content-length: 0\r\nconnection: close\r\n\r\n")
    if isOpen { handler.requestReset(streamID, errorCode: HTTP2ErrorCode.protocolError) }
  }

  // MARK: input

  private func advance() {
    guard !isAdvancing else { return }
    isAdvancing = true
    while step() {}
    isAdvancing = false
  }

  /// Whether another step may follow.
  private func step() -> Bool {
    switch state {
    case .head: readHead()
    case .body(let left): readBody(left) { $0 == 0 ? nil : .body(left: $0) }
    case .chunk(let left): readBody(left) { $0 == 0 ? .chunkEnd : .chunk(left: $0) }
    case .chunkSize: readChunkSize()
    case .chunkEnd: readLine { line in line.isEmpty ? .chunkSize : nil }
    case .trailers: readTrailer()
    case .answering, .ended: false
    }
  }

  /// The next line without its end; nil: it is not here yet.
  private func line() -> ArraySlice<UInt8>? {
    guard let end = held[start...].firstIndex(of: 0x0A) else {
      if held.count - start > Limits.http1HeadBytes { refuse(431) }
      return nil
    }
    let line = held[start..<end]
    start = end + 1
    return line.last == 0x0D ? line.dropLast() : line
  }

  private func readLine(_ next: (ArraySlice<UInt8>) -> State?) -> Bool {
    guard let line = line() else { return false }
    guard let state = next(line) else {
      refuse(400)
      return false
    }
    self.state = state
    return true
  }

  private func readChunkSize() -> Bool {
    readLine { line in
      let digits = line.prefix { $0 != 0x3B && $0 != 0x20 }
      guard (1...7).contains(digits.count),
        let size = Int(String(decoding: digits, as: UTF8.self), radix: 16), size >= 0,
        digits.first != 0x2B
      else { return nil }
      return size == 0 ? .trailers : .chunk(left: size)
    }
  }

  private func readTrailer() -> Bool {
    guard let line = line() else { return false }
    if line.isEmpty { end() }
    return true
  }

  /// `next` says what follows when so many bytes are still to come; nil: the request is whole.
  private func readBody(_ left: Int, _ next: (Int) -> State?) -> Bool {
    let count = min(left, held.count - start)
    guard count > 0 else { return false }
    let from = start
    start += count
    unsafe held[from..<start].withUnsafeBytes {
      unsafe handler.requestBody(streamID, bytes: $0)
    }
    if let following = next(left - count) { state = following } else { end() }
    return true
  }

  private func end() {
    state = .answering
    handler.requestEnded(streamID)
  }

  private func readHead() -> Bool {
    while start < held.count, held[start] == 0x0D || held[start] == 0x0A { start += 1 }
    guard let length = HTTP1RequestHead.length(held[start...]) else {
      if held.count - start > Limits.http1HeadBytes { refuse(431) }
      return false
    }
    guard length <= Limits.http1HeadBytes else {
      refuse(431)
      return false
    }
    let bytes = held[start..<(start + length)]
    start += length
    guard streamID < Int32.max - 2, let head = HTTP1RequestHead(bytes) else {
      refuse(400)
      return false
    }
    guard head.transferCoding != .unknown else {
      refuse(501)
      return false
    }
    take(head)
    return true
  }

  private func take(_ head: HTTP1RequestHead) {
    streamID += 2
    isLast = isLast || head.isLast
    hasNoBody = head.method == Array("HEAD".utf8)
    if head.expectsContinue { append("HTTP/1.1 100 Continue\r\n\r\n") }
    state = .body(left: 0)
    handler.requestBegan(streamID)
    hand(":method", head.method)
    hand(":scheme", Array("http".utf8))
    hand(":path", head.path)
    for field in head.fields { hand(field.name, field.value) }
    if head.transferCoding == .chunked {
      state = .chunkSize
    } else if let length = head.contentLength, length > 0 {
      state = .body(left: length)
    } else {
      end()
    }
  }

  private func hand(_ name: String, _ value: [UInt8]) { hand(Array(name.utf8), value) }

  private func hand(_ name: [UInt8], _ value: [UInt8]) {
    unsafe name.withUnsafeBytes { name in
      unsafe value.withUnsafeBytes { value in
        unsafe handler.requestField(streamID, name: name, value: value)
      }
    }
  }
}
