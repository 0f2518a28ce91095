/// An event that a server session reads from its peer's bytes.
///
/// Pointers are valid until the next call of `next`.
@unsafe public enum HTTP2RequestEvent: BitwiseCopyable {
  /// The HEADERS of a new stream begin.
  case began(streamID: Int32)
  /// A header field, including pseudo-header fields such as ":path", in the order received.
  case field(streamID: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)
  /// A piece of the body, whose flow-control credit was returned immediately.
  case body(streamID: Int32, UnsafeRawBufferPointer)
  /// The request is complete, that is, END_STREAM was received.
  case ended(streamID: Int32)
  /// The stream closed before its request was complete or before its answer was sent.
  case reset(streamID: Int32, errorCode: UInt32)
}

/// A header field of a response; the bytes must remain valid during the call.
@unsafe public struct HTTP2FieldView {
  /// The field's name in lowercase.
  public let name: UnsafeRawBufferPointer
  /// The field's value, as raw bytes.
  public let value: UnsafeRawBufferPointer

  /// Creates a field from its parts.
  @inlinable
  public init(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    unsafe self.name = name
    unsafe self.value = value
  }
}

/// A server's protocol codec without a socket, which converts bytes into requests, and responses into bytes.
///
/// The model is that of HTTP/2, in which each request is a stream. HTTP/1.1 is mapped to the same model.
public protocol HTTP2ServerSession: AnyObject {
  /// Returns the next event in the peer's bytes, and removes the bytes that were read from the front of `input`.
  ///
  /// Call this method until it returns nil, which means that all of `input` has been read. The memory of `input` must
  /// remain valid until then. Also call it, with an empty `input`, after `takeOutput` and after an answer: sending can
  /// reset a stream, and an HTTP/1.1 client's next request might already have arrived.
  ///
  /// Protocol errors and floods are answered with GOAWAY, after which `failure` is set and no more input is read.
  func next(_ input: inout UnsafeRawBufferPointer) -> HTTP2RequestEvent?

  /// Handles the end of the peer's input, after which complete requests are still answered.
  ///
  /// HTTP/2 has no frame for the end of the input.
  func endInput()

  /// Responds to a request.
  ///
  /// Without `body`, the response is one HEADERS frame with END_STREAM. Otherwise, it is HEADERS and one DATA frame
  /// with END_STREAM, if the peer's window and frame size allow a single frame.
  func respond(
    _ streamID: Int32, status: Int, fields: UnsafeBufferPointer<HTTP2FieldView>,
    body: UnsafeRawBufferPointer?)

  /// Advertises a new SETTINGS_MAX_CONCURRENT_STREAMS.
  func allowConcurrentStreams(_ count: UInt32)

  /// Advertises a new SETTINGS_INITIAL_WINDOW_SIZE, which also applies to open streams.
  func setInitialWindow(_ bytes: UInt32)

  /// Queues a GOAWAY, after which streams later than `lastStreamID` aren't processed.
  ///
  /// If `lastStreamID` is nil, the GOAWAY identifies the last stream received.
  func goAway(lastStreamID: Int32?, errorCode: UInt32, debugData: [UInt8])

  /// Resets one stream with this error code.
  func reset(_ streamID: Int32, errorCode: UInt32)

  /// Passes all frames that can be sent now to `body`.
  ///
  /// Call this method at the end of the loop's turn.
  func takeOutput(_ body: (UnsafeRawBufferPointer) -> Void)

  /// True if the owner must stop reading from the socket until `next` has processed some of the received input.
  ///
  /// Always false for HTTP/2, whose flow control limits the input.
  var isInputFull: Bool { get }

  /// The number of open streams.
  var openStreams: Int { get }

  /// The number of streams that have closed.
  var endedStreams: UInt64 { get }

  /// True once the peer has sent a complete frame header or the head of a request, and therefore speaks the protocol.
  var hasFrames: Bool { get }

  /// True if a large answer waits for the peer's flow-control window.
  var holdsLargeBody: Bool { get }

  /// The error code of the GOAWAY that reported the peer's errors; nil if there were no errors.
  var failure: UInt32? { get }

  /// The debug data of the GOAWAY that reported `failure`; nil if there were no errors.
  var failureReason: String? { get }

  /// True if no more data will be read or written: a GOAWAY was sent and all streams are done.
  var isFinished: Bool { get }

  /// True if the connection closes after its output has been sent, as an HTTP/1.1 answer can announce.
  ///
  /// Always false for HTTP/2, which uses GOAWAY instead.
  var endsWithItsOutput: Bool { get }
}

/// The values of a server's first SETTINGS (`apns-protocol.md` 1.13, captured values).
public struct HTTP2Settings: Sendable, Equatable {
  /// The value of MAX_CONCURRENT_STREAMS that is advertised initially.
  ///
  /// Additional streams in the client's first flight are also served.
  public var initialConcurrentStreams: UInt32
  /// The number of streams that are served concurrently, regardless of the advertised value.
  ///
  /// Any further streams are refused.
  public var servedConcurrentStreams: UInt32
  /// The value of HEADER_TABLE_SIZE, in bytes.
  public var headerTableBytes: UInt32
  /// The value of INITIAL_WINDOW_SIZE, in bytes.
  public var initialWindowBytes: UInt32
  /// The value of MAX_FRAME_SIZE, in bytes.
  public var maximumFrameBytes: UInt32
  /// The value of MAX_HEADER_LIST_SIZE, in bytes.
  ///
  /// The limit is enforced.
  public var maximumHeaderListBytes: UInt32

  /// Creates settings; the defaults are Apple's values.
  ///
  /// Connections that use tokens begin with one stream.
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

/// The error codes of RFC 9113 section 7.
public enum HTTP2ErrorCode {
  /// Returns the name of a code in the specification, or nil for unknown codes.
  static func name(_ code: UInt32) -> String? {
    let names = [
      "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
      "STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR",
      "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]
    return code < names.count ? names[Int(code)] : nil
  }

  /// The connection is shutting down gracefully.
  public static let noError: UInt32 = 0x0
  /// The peer violated the protocol.
  public static let protocolError: UInt32 = 0x1
  /// An error occurred on this side.
  public static let internalError: UInt32 = 0x2
  /// The peer sent more than the flow-control window allows.
  static let flowControlError: UInt32 = 0x3
  /// The peer sent a frame for a stream after it had ended the stream.
  static let streamClosed: UInt32 = 0x5
  /// The size of a frame is invalid.
  static let frameSizeError: UInt32 = 0x6
  /// The stream wasn't processed and can be retried.
  public static let refusedStream: UInt32 = 0x7
  /// The stream is no longer needed.
  public static let cancel: UInt32 = 0x8
  /// The field compression state can't be maintained.
  static let compressionError: UInt32 = 0x9
  /// The peer is causing too much load.
  public static let enhanceYourCalm: UInt32 = 0xb
}
