import Transport

/// The codec of a provider connection: HTTP/2, or HTTP/1.1 on the loopback port.
///
/// It is an enumeration, so that calls on the hot path are statically dispatched.
enum ProviderSession: HTTP2ServerSession {
  case http2(NGHTTP2ServerSession)
  case http1(HTTP1ServerSession)

  func receive(_ bytes: UnsafeRawBufferPointer) -> HTTP2SessionStatus {
    switch self {
    case .http2(let session): unsafe session.receive(bytes)
    case .http1(let session): unsafe session.receive(bytes)
    }
  }

  func respond(
    _ streamID: Int32, status: Int, fields: UnsafeBufferPointer<HTTP2FieldView>,
    body: UnsafeRawBufferPointer?
  ) {
    switch self {
    case .http2(let session):
      unsafe session.respond(streamID, status: status, fields: fields, body: body)
    case .http1(let session):
      unsafe session.respond(streamID, status: status, fields: fields, body: body)
    }
  }

  func allowConcurrentStreams(_ count: UInt32) {
    if case .http2(let session) = self { session.allowConcurrentStreams(count) }
  }

  func setInitialWindow(_ bytes: UInt32) {
    if case .http2(let session) = self { session.setInitialWindow(bytes) }
  }

  func goAway(lastStreamID: Int32?, errorCode: UInt32, debugData: [UInt8]) {
    switch self {
    case .http2(let session):
      session.goAway(lastStreamID: lastStreamID, errorCode: errorCode, debugData: debugData)
    case .http1(let session):
      session.goAway(lastStreamID: lastStreamID, errorCode: errorCode, debugData: debugData)
    }
  }

  func reset(_ streamID: Int32, errorCode: UInt32) {
    switch self {
    case .http2(let session): session.reset(streamID, errorCode: errorCode)
    case .http1(let session): session.reset(streamID, errorCode: errorCode)
    }
  }

  /// Handles the end of the client's input; HTTP/2 has no frame for it.
  func endInput() {
    if case .http1(let session) = self { session.endInput() }
  }

  func takeOutput(_ body: (UnsafeRawBufferPointer) -> Void) {
    switch self {
    case .http2(let session): unsafe session.takeOutput(body)
    case .http1(let session): unsafe session.takeOutput(body)
    }
  }

  var openStreams: Int {
    switch self {
    case .http2(let session): session.openStreams
    case .http1(let session): session.openStreams
    }
  }

  /// True if a large answer waits for the client's flow-control window.
  var holdsLargeBody: Bool {
    if case .http2(let session) = self { session.holdsLargeBody } else { false }
  }

  var failure: UInt32? {
    switch self {
    case .http2(let session): session.failure
    case .http1(let session): session.failure
    }
  }

  var failureReason: String? {
    switch self {
    case .http2(let session): session.failureReason
    case .http1(let session): session.failureReason
    }
  }

  var isFinished: Bool {
    switch self {
    case .http2(let session): session.isFinished
    case .http1(let session): session.isFinished
    }
  }

  var endedStreams: UInt64 {
    switch self {
    case .http2(let session): session.endedStreams
    case .http1(let session): session.endedStreams
    }
  }

  var hasFrames: Bool {
    switch self {
    case .http2(let session): session.hasFrames
    case .http1(let session): session.hasFrames
    }
  }

  /// True if the connection closes after its output: HTTP/1.1 can announce that in an answer; HTTP/2 uses GOAWAY.
  var endsWithItsOutput: Bool {
    if case .http1(let session) = self { session.isFinished } else { false }
  }
}
