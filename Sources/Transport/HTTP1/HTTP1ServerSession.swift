/// An HTTP/1.1 connection with the interface of HTTP/2: each request is a stream, and there is only one stream at a
/// time.
///
/// This session serves the console and the provider port without TLS, which aren't the hot path. Bodies have a length
/// or are sent in chunks (RFC 9112 section 6), and upgrades are ignored. The bytes are untrusted: input that isn't a
/// request, or that could be interpreted as two different requests, receives a 400 response, and the connection is
/// closed.
public final class HTTP1ServerSession: HTTP2ServerSession {
  private enum State: Equatable {
    case head
    /// The index of the next field of the head to report.
    case fields(next: Int)
    case body(remaining: Int)
    case chunkSize
    case chunk(remaining: Int)
    case chunkEnd
    /// The number of bytes of the trailer section so far.
    case trailers(bytes: Int)
    /// The request is complete and awaits its response.
    case awaitingResponse
    /// The response's head has been sent; pieces of its body follow.
    case sendingBody
    case ended
  }

  /// The result of one step of parsing.
  @unsafe private enum Step {
    case event(HTTP2RequestEvent)
    /// Another step might be possible.
    case proceed
    /// More bytes or a response are required.
    case blocked
  }

  private var state = State.head
  /// The received bytes; the bytes before `readIndex` have been processed.
  private var input: [UInt8] = []
  private var readIndex = 0
  private var output: [UInt8] = []
  private var streamID: Int32 = -1
  /// True if the connection closes after the response to this request.
  private var closesAfterResponse = false
  private var isHeadRequest = false
  /// False for HTTP/1.0, which has no chunks; without a length, the end of the connection marks the end of the body.
  private var allowsChunks = true
  /// The number of body bytes that remain to be sent, if the response announced its length; nil if the body is sent in
  /// chunks.
  private var bodyBytesLeft: Int?
  /// The head whose fields are being reported.
  private var head: (fields: [(name: [UInt8], value: [UInt8])], afterwards: State)?
  /// The text to which the latest event points.
  private let text = EventText(capacity: Limits.http1EventBytes)
  /// The error code with which the current request was reset, until `next` reports the reset.
  private var owedReset: UInt32?
  /// The number of bytes of this request's chunk extensions.
  private var extensionBytes = 0
  /// The maximum length of an announced body; nil if the owner limits the body.
  ///
  /// A request with a longer body receives a 413 response.
  var bodyBytesMax: Int?
  /// True if no further requests are read until the client has read its answers.
  private var isPaused = false
  /// True if the client has finished sending.
  private var inputHasEnded = false
  /// The number of answered requests.
  public private(set) var endedStreams: UInt64 = 0
  /// The error code, if the owner aborted the connection.
  public private(set) var failure: UInt32?
  /// The name of the failure; HTTP/1.1 can't report it to the client.
  public var failureReason: String? { failure.flatMap(HTTP2ErrorCode.name) }

  /// Creates the session of a new connection.
  public init() {}

  deinit { text.deallocate() }

  // MARK: session's owner

  /// Returns the next event in the peer's bytes; see ``HTTP2ServerSession/next(_:)``.
  public func next(_ input: inout UnsafeRawBufferPointer) -> HTTP2RequestEvent? {
    unsafe take(&input)
    text.clear()
    while true {
      switch unsafe step() {
      case .event(let event): return unsafe event
      case .proceed: continue
      case .blocked: break
      }
      if inputHasEnded { endWithoutRequest() }
      checkInvariants()
      guard let errorCode = owedReset else { return nil }
      owedReset = nil
      return unsafe .reset(streamID: streamID, errorCode: errorCode)
    }
  }

  /// Moves the bytes to the session's own buffer.
  private func take(_ bytes: inout UnsafeRawBufferPointer) {
    defer { unsafe bytes = UnsafeRawBufferPointer(start: nil, count: 0) }
    guard bytes.count > 0, state != .ended else { return }
    // Moving the unread bytes for each small piece would take quadratic time.
    if readIndex >= input.count - readIndex {
      input.removeFirst(readIndex)
      readIndex = 0
    }
    unsafe input.append(contentsOf: bytes)
  }

  /// Answers the request.
  ///
  /// If the request is incomplete, this is the connection's last answer.
  public func respond(
    _ streamID: Int32, status: Int, fields: UnsafeBufferPointer<HTTP2FieldView>,
    body: UnsafeRawBufferPointer?
  ) {
    guard acceptsResponse(to: streamID) else { return }
    appendStatusLine(status)
    for index in 0..<fields.count {
      let field = unsafe fields[index]
      unsafe output.append(contentsOf: field.name)
      append(": ")
      unsafe output.append(contentsOf: field.value)
      append("\r\n")
    }
    if status != 204, status != 304 { append("content-length: \(unsafe body?.count ?? 0)\r\n") }
    appendEndOfHead()
    if !isHeadRequest, let body = unsafe body { unsafe output.append(contentsOf: body) }
    endResponse()
  }

  /// Answers the request with the complete `body`.
  ///
  /// A field with a control character is omitted, because it could end the head.
  package func respond(
    _ streamID: Int32, status: Int, fields: [(name: String, value: String)], body: [UInt8]
  ) {
    guard acceptsResponse(to: streamID) else { return }
    appendStatusLine(status)
    append(fields)
    if status != 204, status != 304 { append("content-length: \(body.count)\r\n") }
    appendEndOfHead()
    if !isHeadRequest { output += body }
    endResponse()
  }

  /// Begins a response to a complete request, with the given length or an unknown length.
  ///
  /// Continue the response with `sendBody`, and end it with `endBody`. Returns false if no body may follow.
  package func beginResponse(
    _ streamID: Int32, status: Int, fields: [(name: String, value: String)], length: Int? = nil
  ) -> Bool {
    guard streamID == self.streamID, state == .awaitingResponse else { return false }
    bodyBytesLeft = length
    if length == nil, !allowsChunks { closesAfterResponse = true }
    appendStatusLine(status)
    append(fields)
    if let length {
      append("content-length: \(length)\r\n")
    } else if allowsChunks {
      append("transfer-encoding: chunked\r\n")
    }
    appendEndOfHead()
    guard !isHeadRequest else {
      endResponse()
      return false
    }
    state = .sendingBody
    return true
  }

  /// Sends a piece of the body that `beginResponse` announced.
  package func sendBody(_ piece: [UInt8]) {
    // An empty chunk would end the body.
    guard state == .sendingBody, !piece.isEmpty else { return }
    if let left = bodyBytesLeft {
      assert(piece.count <= left, "the body does not exceed its announced length")
      bodyBytesLeft = left - piece.count
      output += piece
      return
    }
    if allowsChunks { append("\(String(piece.count, radix: 16))\r\n") }
    output += piece
    if allowsChunks { append("\r\n") }
  }

  /// Ends the body that `beginResponse` announced.
  package func endBody() {
    guard state == .sendingBody else { return }
    assert((bodyBytesLeft ?? 0) == 0, "the body reaches its announced length")
    if bodyBytesLeft == nil, allowsChunks { append("0\r\n\r\n") }
    endResponse()
  }

  /// Does nothing, because there is only one stream at a time.
  public func allowConcurrentStreams(_ count: UInt32) {}

  /// Does nothing, because the only flow control is TCP's.
  public func setInitialWindow(_ bytes: UInt32) {}

  /// Makes the pending response the last response of the connection.
  ///
  /// HTTP/1.1 can't express the reason.
  public func goAway(lastStreamID: Int32?, errorCode: UInt32, debugData: [UInt8]) {
    closesAfterResponse = true
    if openStreams == 0 { state = .ended }
  }

  /// Closes the connection, which is the only way to abandon a request in HTTP/1.1.
  public func reset(_ streamID: Int32, errorCode: UInt32) {
    guard streamID == self.streamID, openStreams == 1 else { return }
    failure = errorCode
    state = .ended
  }

  /// Stops reading requests until `resume` is called.
  func pause() { isPaused = true }

  /// Resumes reading requests, starting with requests that have already arrived.
  func resume() { isPaused = false }

  /// Handles the end of the client's input.
  ///
  /// Complete requests are still answered before the connection closes.
  public func endInput() { inputHasEnded = true }

  /// Passes all pending output to `body`.
  public func takeOutput(_ body: (UnsafeRawBufferPointer) -> Void) {
    guard !output.isEmpty else { return }
    unsafe output.withUnsafeBytes { unsafe body($0) }
    output.removeAll(keepingCapacity: true)
  }

  /// True if so many bytes wait for the answer to the previous request that no more must be read from the socket.
  ///
  /// Bytes that arrive anyway are kept, so the owner must stop reading.
  public var isInputFull: Bool {
    state != .ended && input.count - readIndex > Limits.http1PipelinedBytes
  }

  /// True if a part of a head has arrived.
  var hasPartialHead: Bool { state == .head && readIndex < input.count }

  /// True if a request has begun to arrive.
  public var hasFrames: Bool { streamID > 0 }

  /// The number of open streams: 1 while a request is being received or awaits its response.
  public var openStreams: Int {
    switch state {
    case .head, .ended: 0
    case .fields, .body, .chunkSize, .chunk, .chunkEnd, .trailers, .awaitingResponse, .sendingBody:
      1
    }
  }

  /// True if the connection must be closed after its output has been sent.
  public var isFinished: Bool { state == .ended }

  /// True if an answer has announced that the connection closes.
  public var endsWithItsOutput: Bool { isFinished }

  /// Always false, because HTTP/1.1 has no flow-control window that could hold back an answer.
  public var holdsLargeBody: Bool { false }

  /// Traps in debug builds if the fields are inconsistent.
  package func checkInvariants() {
    assert((0...input.count).contains(readIndex), "the read position is within the input")
    assert(streamID == -1 || streamID > 0 && streamID % 2 == 1, "a client's stream IDs are odd")
    assert(streamID > 0 || openStreams == 0, "an open stream has a positive ID")
    assert(
      endedStreams <= UInt64((Int64(streamID) + 1) / 2), "each request has at most one response")
    assert(failure == nil || state == .ended, "a failed session has ended")
    assert(
      !inputHasEnded || isPaused || [.awaitingResponse, .sendingBody, .ended].contains(state),
      "a session whose input ended is paused, answering, or ended")
  }

  // MARK: output

  private func append(_ text: String) { output.append(contentsOf: text.utf8) }

  private func append(_ fields: [(name: String, value: String)]) {
    for field in fields {
      let line = "\(field.name): \(field.value)"
      guard line.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { continue }
      append(line + "\r\n")
    }
  }

  /// Returns false if the request has already been answered or if its connection has closed.
  private func acceptsResponse(to streamID: Int32) -> Bool {
    guard streamID == self.streamID, openStreams == 1, state != .sendingBody else { return false }
    // Close the connection after the response, because the rest of the request would look like the next request.
    if state != .awaitingResponse { closesAfterResponse = true }
    return true
  }

  private func appendStatusLine(_ status: Int) {
    append("HTTP/1.1 \(status) \(HTTP1ReasonPhrase.of(status))\r\n")
  }

  private func appendEndOfHead() {
    if closesAfterResponse { append("connection: close\r\n") }
    append("\r\n")
  }

  private func endResponse() {
    endedStreams &+= 1
    state = closesAfterResponse ? .ended : .head
  }

  /// Closes the connection, with an error status if possible, because the received bytes aren't a valid request.
  private func reject(_ status: Int, _ text: String = "") {
    let isOpen = openStreams == 1
    let isWithinResponse = state == .sendingBody
    state = .ended
    if !isWithinResponse {
      appendStatusLine(status)
      if !text.isEmpty { append("content-type: text/plain\r\n") }
      append("content-length: \(text.utf8.count)\r\nconnection: close\r\n\r\n\(text)")
    }
    if isOpen { owedReset = HTTP2ErrorCode.protocolError }
  }

  // MARK: input

  /// Closes a connection whose next request can no longer be completed.
  private func endWithoutRequest() {
    switch state {
    case .head where isPaused: return
    case .awaitingResponse, .sendingBody, .ended: return
    case .head: state = .ended
    case .fields, .body, .chunkSize, .chunk, .chunkEnd, .trailers:
      state = .ended
      owedReset = HTTP2ErrorCode.cancel
    }
  }

  private func step() -> Step {
    switch state {
    case .head: unsafe isPaused ? .blocked : readHead()
    case .fields(let index): unsafe nextField(index)
    case .body(let remaining):
      unsafe readBody(remaining) { $0 == 0 ? .awaitingResponse : .body(remaining: $0) }
    case .chunk(let remaining):
      unsafe readBody(remaining) { $0 == 0 ? .chunkEnd : .chunk(remaining: $0) }
    case .chunkSize: unsafe readChunkSize()
    case .chunkEnd: unsafe readLine { line in line.isEmpty ? .chunkSize : nil }
    case .trailers(let bytes): unsafe readTrailer(bytes)
    case .awaitingResponse, .sendingBody, .ended: unsafe .blocked
    }
  }

  /// Returns the next line of chunked framing without its line ending, or nil if the line hasn't fully arrived.
  ///
  /// A bare line feed doesn't end a line, because a proxy in front of this server might interpret the request
  /// differently.
  private func line() -> ArraySlice<UInt8>? {
    guard let end = input[readIndex...].firstIndex(of: 0x0A) else {
      if input.count - readIndex > Limits.http1HeadBytes { reject(431) }
      return nil
    }
    let line = input[readIndex..<end]
    readIndex = end + 1
    guard line.last == 0x0D else {
      reject(400)
      return nil
    }
    return line.dropLast()
  }

  private func readLine(_ next: (ArraySlice<UInt8>) -> State?) -> Step {
    guard let line = line() else { return unsafe .blocked }
    guard let state = next(line) else { return unsafe refuse(400) }
    self.state = state
    return unsafe .proceed
  }

  /// Rejects the input and ends the step.
  private func refuse(_ status: Int, _ text: String = "") -> Step {
    reject(status, text)
    return unsafe .blocked
  }

  private func readChunkSize() -> Step {
    guard let line = line() else { return unsafe .blocked }
    // RFC 9112 section 7.1: only hexadecimal digits, optionally followed by extensions.
    let digits = line.prefix(while: Self.isHexadecimalDigit)
    let extensions = line.dropFirst(digits.count)
    guard (1...7).contains(digits.count), HTTP1ChunkExtensions.isWellFormed(extensions),
      let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
    else { return unsafe refuse(400) }
    assert(size >= 0, "the size of a chunk is not negative")
    // Section 7.1.1: limit the total size of a request's extensions, not only the size of each chunk's extensions.
    extensionBytes += extensions.count
    guard extensionBytes <= Limits.http1HeadBytes else { return unsafe refuse(431) }
    state = size == 0 ? .trailers(bytes: 0) : .chunk(remaining: size)
    return unsafe .proceed
  }

  private static func isHexadecimalDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }

  /// Reads a trailer.
  ///
  /// Trailers are checked like the fields of the head, count toward its size limit, and are discarded.
  private func readTrailer(_ bytes: Int) -> Step {
    guard let line = line() else { return unsafe .blocked }
    guard !line.isEmpty else { return unsafe endRequest() }
    guard bytes + line.count <= Limits.http1HeadBytes else { return unsafe refuse(431) }
    guard HTTP1RequestHead.isTrailer(line) else { return unsafe refuse(400) }
    state = .trailers(bytes: bytes + line.count)
    return unsafe .proceed
  }

  /// Reports a part of the body.
  ///
  /// `next` returns the new state for the number of bytes that remain. If the new state is `.awaitingResponse`, the
  /// request ends.
  private func readBody(_ remaining: Int, _ next: (Int) -> State) -> Step {
    guard remaining > 0 else { return unsafe endRequest() }
    let count = min(remaining, input.count - readIndex, Limits.http1EventBytes)
    guard count > 0 else { return unsafe .blocked }
    let from = readIndex
    readIndex += count
    // The next step reports the end of the request as a separate event.
    let rest = next(remaining - count)
    state = rest == .awaitingResponse ? .body(remaining: 0) : rest
    return unsafe .event(.body(streamID: streamID, copy(input[from..<readIndex])))
  }

  private func copy(_ bytes: ArraySlice<UInt8>) -> UnsafeRawBufferPointer {
    unsafe bytes.withUnsafeBytes { unsafe text.copy($0) }
  }

  private func endRequest() -> Step {
    state = .awaitingResponse
    return unsafe .event(.ended(streamID: streamID))
  }

  private func readHead() -> Step {
    // RFC 9112 section 2.2: ignore empty lines before a request.
    while input[readIndex...].starts(with: [0x0D, 0x0A]) { readIndex += 2 }
    guard let length = HTTP1RequestHead.length(input[readIndex...]) else {
      return unsafe input.count - readIndex > Limits.http1HeadBytes ? refuse(431) : .blocked
    }
    guard length <= Limits.http1HeadBytes else { return unsafe refuse(431) }
    let bytes = input[readIndex..<(readIndex + length)]
    readIndex += length
    guard streamID < Int32.max - 2, let head = HTTP1RequestHead(bytes) else {
      return unsafe refuse(400)
    }
    guard head.transferCoding != .unknown else { return unsafe refuse(501) }
    // Check this before telling the client to continue, and before the client sends bytes that would never be read.
    if let bodyBytesMax, let length = head.contentLength, length > bodyBytesMax {
      return unsafe refuse(413, "The body has more than \(bodyBytesMax) bytes.\n")
    }
    begin(head)
    return unsafe .event(.began(streamID: streamID))
  }

  private func begin(_ head: HTTP1RequestHead) {
    streamID += 2
    closesAfterResponse = closesAfterResponse || head.isLast
    isHeadRequest = head.method == Array("HEAD".utf8)
    allowsChunks = !head.isHTTP10
    if head.expectsContinue { append("HTTP/1.1 100 Continue\r\n\r\n") }
    extensionBytes = 0
    self.head = (
      [
        (Array(":method".utf8), head.method), (Array(":scheme".utf8), Array("http".utf8)),
        (Array(":path".utf8), head.path),
      ] + head.fields,
      head.transferCoding == .chunked ? .chunkSize : .body(remaining: head.contentLength ?? 0)
    )
    state = .fields(next: 0)
  }

  /// Reports the next field of the head, or continues with the body.
  private func nextField(_ index: Int) -> Step {
    guard let head, index < head.fields.count else {
      state = head?.afterwards ?? .ended
      head = nil
      return unsafe .proceed
    }
    state = .fields(next: index + 1)
    let field = head.fields[index]
    return unsafe .event(
      .field(streamID: streamID, name: copy(field.name[...]), value: copy(field.value[...])))
  }
}
