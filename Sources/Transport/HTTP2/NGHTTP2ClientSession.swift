import CNghttp2

/// A client's HTTP/2 connection on nghttp2, without its socket.
@safe public final class NGHTTP2ClientSession: HTTP2ClientSession {
  /// The nghttp2 session, owned by this object; nil if nghttp2 could not allocate memory.
  private var session: OpaquePointer?
  private var output = SessionOutput()
  private var bodies = BodyStore()
  private var splitter = FrameSplitter(prefaceBytes: 0)
  private let events = unsafe SessionEvents<HTTP2ResponseEvent>()
  private let text = EventText(capacity: Limits.clientHeaderListBytes)
  /// The size, in bytes, of the header list that is being received.
  private var fieldBytes = 0
  /// The requests without a complete response.
  ///
  /// nghttp2 doesn't know about requests that haven't been sent yet, so this dictionary includes them.
  private var open: [Int32: UnsafeMutablePointer<StreamRecord>] = unsafe [:]
  private var allowedStreams = 0
  private var hasFailed = false
  /// True after either side sent GOAWAY; no new request is possible.
  public private(set) var isGoingAway = false

  /// Creates a session, whose preface and SETTINGS are ready in the output.
  public init() {
    unsafe session = NGHTTP2Callbacks.client.session(
      user: Unmanaged.passUnretained(self).toOpaque())
    let entries = [
      nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0)
    ]
    let code = unsafe nghttp2_submit_settings(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count)
    hasFailed = code != 0
    isGoingAway = hasFailed
  }

  deinit {
    unsafe nghttp2_session_del(session)
    unsafe events.deallocate()
    text.deallocate()
  }

  /// The number of requests that can be started now under the server's limit; 0 before the server's first SETTINGS.
  public var availableStreams: Int { isGoingAway ? 0 : max(0, allowedStreams - openStreams) }

  /// The number of requests without a complete response.
  public var openStreams: Int { unsafe open.count }

  /// Begins a request, and returns the stream number that identifies the request in events.
  ///
  /// `fields` must begin with the pseudo-header fields. Returns nil if the connection accepts no more requests, either
  /// temporarily (`availableStreams` is 0) or permanently (`isGoingAway`). `:path` and `apns-id` are excluded from the
  /// compression table, where they would only displace other entries.
  public func request(fields: [(name: String, value: String)], body: [UInt8]) -> Int32? {
    guard availableStreams > 0, !hasFailed else { return nil }
    let record = unsafe bodies.acquire()
    guard unsafe body.withUnsafeBytes({ unsafe bodies.setBody(record, $0) }) else {
      unsafe bodies.release(record)
      return nil
    }
    var provider = unsafe nghttp2_data_provider()
    unsafe provider.source.ptr = UnsafeMutableRawPointer(record)
    unsafe provider.read_callback = NGHTTP2Callbacks.readBody
    let id = unsafe withUnsafePointer(to: &provider) { provider in
      unsafe Self.withPairs(fields) { pairs in
        unsafe nghttp2_submit_request(
          session, nil, pairs.baseAddress, pairs.count, body.isEmpty ? nil : provider, record)
      }
    }
    guard id > 0 else {
      unsafe bodies.release(record)
      // The stream numbers are exhausted, so another connection must take over.
      isGoingAway = true
      return nil
    }
    assert(unsafe open[id] == nil, "nghttp2 uses each stream number once")
    unsafe open[id] = record
    return id
  }

  /// Passes all names and values to `body` in one block of memory, as nghttp2 requires.
  private static func withPairs(
    _ fields: [(name: String, value: String)], _ body: (UnsafeBufferPointer<nghttp2_nv>) -> Int32
  ) -> Int32 {
    var text: [UInt8] = []
    for field in fields {
      text += field.name.utf8
      text += field.value.utf8
    }
    return unsafe text.withUnsafeBytes { text in
      var offset = 0
      var pairs: [nghttp2_nv] = unsafe []
      unsafe pairs.reserveCapacity(fields.count)
      for field in fields {
        let valueStart = offset + field.name.utf8.count
        let end = valueStart + field.value.utf8.count
        unsafe pairs.append(
          NGHTTP2Callbacks.pair(
            UnsafeRawBufferPointer(rebasing: text[offset..<valueStart]),
            UnsafeRawBufferPointer(rebasing: text[valueStart..<end]),
            isSecret: field.name == ":path" || field.name == "apns-id"))
        offset = end
      }
      return unsafe pairs.withUnsafeBufferPointer { unsafe body($0) }
    }
  }

  /// Returns the next event in the peer's bytes; see ``HTTP2ClientSession/next(_:)``.
  public func next(_ input: inout UnsafeRawBufferPointer) -> HTTP2ResponseEvent? {
    while true {
      if let event = unsafe events.next() { return unsafe event }
      guard !hasFailed, input.count > 0 else {
        unsafe input = UnsafeRawBufferPointer(start: nil, count: 0)
        checkInvariants()
        return nil
      }
      unsafe readFrame(&input)
      // If the peer violated the protocol, the session is finished once nghttp2's GOAWAY has moved to the output.
      if input.count == 0 { drain() }
    }
  }

  /// Passes the first frame, or the part of it that has arrived, to nghttp2, whose callbacks append events.
  private func readFrame(_ input: inout UnsafeRawBufferPointer) {
    text.clear()
    let length = unsafe splitter.prefix(of: input) { _, _, _ in true } ?? input.count
    let consumed = unsafe nghttp2_session_mem_recv(
      session, input.baseAddress?.assumingMemoryBound(to: UInt8.self), length)
    unsafe input = UnsafeRawBufferPointer(rebasing: input.dropFirst(length))
    guard consumed < 0 else { return }
    drain()
    hasFailed = true
    isGoingAway = true
    output.append(HTTP2Frame.goAway(lastStreamID: 0, errorCode: HTTP2ErrorCode.protocolError))
  }

  /// Passes all frames that can be sent now to `body`, in one piece.
  public func takeOutput(_ body: (UnsafeRawBufferPointer) -> Void) {
    repeat {
      drain()
      guard output.count > 0 else { return }
      unsafe body(output.bytes)
      output.clear()
    } while !hasFailed
  }

  /// Queues a PING; an event reports its acknowledgment.
  public func ping() {
    guard !hasFailed, let session = unsafe session else { return }
    _ = unsafe nghttp2_submit_ping(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil)
  }

  /// Cancels a request, which fails with the reason `.reset`.
  public func cancel(_ streamID: Int32) {
    guard !hasFailed, let session = unsafe session, unsafe open[streamID] != nil else { return }
    _ = unsafe nghttp2_submit_rst_stream(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), streamID, HTTP2ErrorCode.cancel)
  }

  /// Queues a GOAWAY without an error.
  ///
  /// Open requests are still answered.
  public func goAway() {
    guard !hasFailed, let session = unsafe session else { return }
    isGoingAway = true
    _ = unsafe nghttp2_submit_goaway(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, HTTP2ErrorCode.noError, nil, 0)
  }

  /// Handles the closing of the socket, which causes every open request to fail with `.connectionLost`.
  public func connectionEnded() {
    isGoingAway = true
    hasFailed = true
    for id in unsafe open.keys.sorted() { close(id, .connectionLost) }
  }

  /// True if no more data will be read or written.
  public var isFinished: Bool {
    guard !hasFailed, let session = unsafe session else { return true }
    return unsafe nghttp2_session_want_read(session) == 0
      && nghttp2_session_want_write(session) == 0
  }

  private func drain() {
    guard !hasFailed, let session = unsafe session else { return }
    while output.count < Limits.sessionOutputBytes {
      var frame: UnsafePointer<UInt8>?
      let count = unsafe nghttp2_session_mem_send(session, &frame)
      guard count > 0, let frame = unsafe frame else { return }
      unsafe output.append(UnsafeRawBufferPointer(start: frame, count: count))
    }
  }

  /// Traps in debug builds if the fields are inconsistent.
  func checkInvariants() {
    assert(!hasFailed || isGoingAway, "a failed connection accepts no new requests")
    assert((0...Limits.clientStreams).contains(allowedStreams), "the server's limit is capped")
    assert(unsafe open.keys.allSatisfy { $0 > 0 && $0 % 2 == 1 }, "a client's stream IDs are odd")
    bodies.checkInvariants()
  }

  private func removeRecord(_ streamID: Int32) -> UnsafeMutablePointer<StreamRecord>? {
    guard let record = unsafe open.removeValue(forKey: streamID) else { return nil }
    unsafe nghttp2_session_set_stream_user_data(session, streamID, nil)
    return unsafe record
  }

  private func close(_ streamID: Int32, _ reason: HTTP2RequestFailure) {
    guard let record = unsafe removeRecord(streamID) else { return }
    let isDone = unsafe record.pointee.isDone
    unsafe bodies.release(record)
    if !isDone { unsafe events.append(.failed(streamID: streamID, reason)) }
  }
}

// MARK: nghttp2 callbacks

extension NGHTTP2ClientSession: NGHTTP2Events {
  func headersBegan(_ streamID: Int32, _ category: nghttp2_headers_category) -> Int32 {
    fieldBytes = 0
    return 0
  }

  func field(
    _ streamID: Int32, _ category: nghttp2_headers_category, name: UnsafeRawBufferPointer,
    value: UnsafeRawBufferPointer
  ) -> Int32 {
    fieldBytes += name.count + value.count
    // nghttp2 resets the stream.
    guard fieldBytes <= Limits.clientHeaderListBytes else {
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }
    unsafe events.append(
      .field(streamID: streamID, name: text.copy(name), value: text.copy(value)))
    return 0
  }

  func invalidField(_ streamID: Int32) -> Int32 { 0 }

  func data(_ streamID: Int32, _ bytes: UnsafeRawBufferPointer) -> Int32 {
    // The bytes are a part of the owner's input, which remains valid.
    unsafe events.append(.body(streamID: streamID, bytes))
    return 0
  }

  func frameReceived(_ frame: UnsafePointer<nghttp2_frame>) -> Int32 {
    let header = unsafe frame.pointee.hd
    switch HTTP2FrameType(rawValue: header.type) {
    case .data, .headers:
      guard header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0,
        let record = unsafe open[header.stream_id]
      else { break }
      unsafe record.pointee.isDone = true
      unsafe events.append(.ended(streamID: header.stream_id))
    case .settings where header.flags & 1 == 0:
      let announced = unsafe nghttp2_session_get_remote_settings(
        session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
      allowedStreams = min(Int(announced), Limits.clientStreams)
      unsafe events.append(.concurrentStreamsChanged(UInt32(allowedStreams)))
    case .ping where header.flags & 1 != 0: unsafe events.append(.pingAcknowledged)
    case .goAway:
      isGoingAway = true
      let goAway = unsafe frame.pointee.goaway
      unsafe events.append(
        .wentAway(
          lastStreamID: goAway.last_stream_id, errorCode: goAway.error_code,
          debugData: text.copy(
            UnsafeRawBufferPointer(start: goAway.opaque_data, count: goAway.opaque_data_len))))
    default: break
    }
    return 0
  }

  func frameSent(_ header: nghttp2_frame_hd) -> Int32 { 0 }

  func streamClosed(_ streamID: Int32, errorCode: UInt32) -> Int32 {
    let isUnprocessed = errorCode == HTTP2ErrorCode.refusedStream
    close(streamID, isUnprocessed ? .unprocessed : .reset(errorCode: errorCode))
    return 0
  }

  /// Handles a request that could no longer be sent because of a GOAWAY.
  func frameNotSent(_ header: nghttp2_frame_hd) -> Int32 {
    if header.type == HTTP2FrameType.headers.rawValue { close(header.stream_id, .unprocessed) }
    return 0
  }
}
