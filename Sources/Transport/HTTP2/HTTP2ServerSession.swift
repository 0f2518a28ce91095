/// The receiver of a server's requests; called from within `receive`, pointers valid during the call.
public protocol HTTP2RequestHandler: AnyObject {
  /// HEADERS of a new stream begin.
  func requestBegan(_ streamID: Int32)

  /// One header field, pseudo fields such as ":path" included, in the order of the wire.
  func requestField(_ streamID: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)

  /// A piece of the body; its flow-control credit is returned at once.
  func requestBody(_ streamID: Int32, bytes: UnsafeRawBufferPointer)

  /// END_STREAM was seen: the request is whole.
  func requestEnded(_ streamID: Int32)

  /// The stream ended before its request did or before its answer was sent.
  func requestReset(_ streamID: Int32, errorCode: UInt32)
}

/// What the owner of a connection does after `receive`.
public enum HTTP2SessionStatus: Sendable, Equatable {
  /// Write the output and go on.
  case open
  /// Write the output, then close: it ends with a GOAWAY.
  case closing
}

/// One header field of a response; the bytes must outlive the call.
@unsafe public struct HTTP2FieldView {
  /// The field's name in lower case.
  public let name: UnsafeRawBufferPointer
  /// The field's value.
  public let value: UnsafeRawBufferPointer

  /// A field.
  @inlinable
  public init(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    unsafe self.name = name
    unsafe self.value = value
  }
}

/// A codec without a socket: bytes in, requests out, responses in, bytes out.
///
/// HTTP/1.1 is spoken in the terms of HTTP/2, each request a stream.
public protocol HTTP2ServerSession {
  /// Parses bytes of the peer; protocol errors and floods are answered with GOAWAY.
  func receive(_ bytes: UnsafeRawBufferPointer) -> HTTP2SessionStatus

  /// Responds to a request: without `body` one HEADERS frame with END_STREAM, else HEADERS and one DATA
  /// frame with END_STREAM (as far as the peer's window and frame size let one hold it).
  func respond(
    _ streamID: Int32, status: Int, fields: UnsafeBufferPointer<HTTP2FieldView>,
    body: UnsafeRawBufferPointer?)

  /// Announces a new SETTINGS_MAX_CONCURRENT_STREAMS.
  func allowConcurrentStreams(_ count: UInt32)

  /// Announces a new SETTINGS_INITIAL_WINDOW_SIZE, which counts for open streams too.
  func setInitialWindow(_ bytes: UInt32)

  /// Queues a GOAWAY, after which no stream is served that is later than the one that it names.
  ///
  /// Without `lastStreamID` it names the last stream that was seen.
  func goAway(lastStreamID: Int32?, errorCode: UInt32, debugData: [UInt8])

  /// Ends one stream.
  func reset(_ streamID: Int32, errorCode: UInt32)

  /// Passes on all frames that may be sent now; call it at the end of the loop's turn.
  func takeOutput(_ body: (UnsafeRawBufferPointer) -> Void)

  /// Streams that are open.
  var openStreams: Int { get }

  /// The code of the GOAWAY that the peer's faults were answered with; nil while there were none.
  var failure: UInt32? { get }

  /// What that GOAWAY's debug data says.
  var failureReason: String? { get }

  /// True when nothing more will be read or written: a GOAWAY was sent and all streams are done.
  var isFinished: Bool { get }
}

/// What a server's first SETTINGS say (`apns-protocol.md` 1.13, captured values).
public struct HTTP2Settings: Sendable, Equatable {
  /// MAX_CONCURRENT_STREAMS on the wire at first; what comes in the first flight is served anyway.
  public var initialConcurrentStreams: UInt32
  /// Streams that are served at once, whatever is announced; more are refused.
  public var servedConcurrentStreams: UInt32
  /// HEADER_TABLE_SIZE in bytes.
  public var headerTableBytes: UInt32
  /// INITIAL_WINDOW_SIZE in bytes.
  public var initialWindowBytes: UInt32
  /// MAX_FRAME_SIZE in bytes.
  public var maximumFrameBytes: UInt32
  /// MAX_HEADER_LIST_SIZE in bytes; enforced.
  public var maximumHeaderListBytes: UInt32

  /// Apple's values; token connections begin with one stream.
  public init(
    initialConcurrentStreams: UInt32 = 1, servedConcurrentStreams: UInt32 = 1_000,
    headerTableBytes: UInt32 = 4_096, initialWindowBytes: UInt32 = 65_535,
    maximumFrameBytes: UInt32 = 16_384, maximumHeaderListBytes: UInt32 = 8_000
  ) {
    self.initialConcurrentStreams = initialConcurrentStreams
    self.servedConcurrentStreams = servedConcurrentStreams
    self.headerTableBytes = headerTableBytes
    self.initialWindowBytes = initialWindowBytes
    self.maximumFrameBytes = maximumFrameBytes
    self.maximumHeaderListBytes = maximumHeaderListBytes
  }
}

/// RFC 9113 section 7.
public enum HTTP2ErrorCode {
  /// A code's name in the specification; nil for codes that it does not know.
  static func name(_ code: UInt32) -> String? {
    let names = [
      "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
      "STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR",
      "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]
    return code < names.count ? names[Int(code)] : nil
  }

  /// Graceful shutdown.
  public static let noError: UInt32 = 0x0
  /// The peer broke the protocol.
  public static let protocolError: UInt32 = 0x1
  /// A fault of this side.
  public static let internalError: UInt32 = 0x2
  /// The stream was not processed and may be tried again.
  public static let refusedStream: UInt32 = 0x7
  /// The stream is no longer needed.
  public static let cancel: UInt32 = 0x8
  /// The peer causes too much work.
  public static let enhanceYourCalm: UInt32 = 0xb
}
