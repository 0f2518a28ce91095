/// The protocol state of a server's HTTP/2 connection: input bytes become events, and responses become output bytes.
///
/// The extensions contain the parts: `+Input` divides the input into frames, `+Fields` reads field blocks, `+Data` reads
/// DATA, `+Control` handles all other frames, `+Streams` opens and closes streams, and `+Output` writes frames.
@safe struct HTTP2ServerCore: ~Copyable {
  let settings: HTTP2Settings
  /// A clock of monotonic nanoseconds, which is read once for each block of input.
  let clock: () -> Int64

  // MARK: the owner's view

  var output = SessionOutput()
  /// Events that aren't returned at once, such as the end of a request after the last piece of its body.
  let events = unsafe SessionEvents<HTTP2RequestEvent>()
  /// The error code of the final GOAWAY, if the session can't continue.
  var failure: UInt32?
  var failureReason: String?
  var begunStreams: UInt64 = 0
  var endedStreams: UInt64 = 0
  /// True once a complete frame header has arrived.
  var hasFrames = false

  // MARK: input

  var phase = Phase.preface
  var budget: FloodBudget
  var isAtStartOfRead = true
  var head = HTTP2FrameHead()
  /// The number of bytes that the current phase still reads.
  var left = Self.preface.utf8CodeUnitCount
  /// The number of bytes of padding at the end of the current frame.
  var padding = 0
  /// The part of a frame's header or of a short payload that has arrived.
  var held = HTTP2HeldBytes()
  var awaitsSettings = true
  /// The fields of a received GOAWAY, until its debug data has been skipped.
  var goAwayLastStreamID: Int32?

  // MARK: field blocks

  var decoder: HPACKFieldDecoder
  var block = unsafe Block()
  /// The beginning of an incomplete field.
  var fragment = HTTP2HeldBytes()

  // MARK: streams

  var streams = HTTP2StreamTable()
  var bodies = BodyStore()
  /// The streams with a body that their own windows allow to send.
  var sendable = HTTP2StreamQueue()
  /// The streams to close, or to credit again, at the end of the input.
  var pending: [Int32] = []
  /// The number of RST_STREAM frames written since the last flush.
  var unchargedResets = 0
  /// The highest stream that the peer has opened, and the highest that was served.
  var lastReceived: Int32 = 0
  var lastServed: Int32 = 0
  /// The lowest last stream of a GOAWAY that this side has sent.
  var lastPromised = Int32.max
  var hasSentGoAway = false
  var hasReceivedGoAway = false
  /// The lowest last stream of a GOAWAY that the peer has sent.
  var peerLastStreamID = Int32.max

  // MARK: flow control and settings

  /// The number of bytes received on the connection that haven't been credited yet.
  var received: Int32 = 0
  var hasCredited = false
  var sendWindow: Int32 = Self.initialWindow
  /// The initial window of the peer's streams, which it has acknowledged, and that of this side's.
  var receiveWindow: Int32 = Self.initialWindow
  var initialSendWindow: Int32 = Self.initialWindow
  var frameBytesMax = Self.initialFrameBytes
  var inFlight = HTTP2SettingsInFlight()
  /// The peer's SETTINGS_NO_RFC7540_PRIORITIES, which it must not change.
  var peerPriorities: UInt32?
  /// The limits on concurrent streams: streams beyond `streamsServed` are refused, and streams beyond the limit that the
  /// peer has acknowledged are errors.
  var streamsServed: UInt32
  var streamsAcknowledged = UInt32.max
  /// The number of acknowledgments of SETTINGS and PING written since the last flush.
  var acknowledgments = 0
  var encoder = HPACKResponseEncoder()

  /// The octets with which a client's connection begins (RFC 9113 section 3.4).
  static let preface: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
  /// The initial window of the connection and of streams (RFC 9113 section 6.9.2), in bytes.
  static let initialWindow: Int32 = 65_535
  /// The initial value of SETTINGS_MAX_FRAME_SIZE, which is also the largest DATA frame that is sent, in bytes.
  static let initialFrameBytes = 16_384

  /// The part of the input that is read next.
  enum Phase {
    case preface
    case head
    /// A payload, or its beginning, that is handled as a whole.
    case control
    /// The pad length and the priority of HEADERS.
    case fieldPrefix
    case fieldBlock
    /// The padding of HEADERS, after which the block is handled.
    case fieldPadding
    case padLength
    case data
    /// DATA for a stream that is closed, which counts toward the connection's window.
    case ignoredData
    case skip
  }

  /// The field block of a HEADERS frame and its CONTINUATION frames.
  @unsafe struct Block {
    /// The bytes to decode, in the owner's input or in `fragment`.
    var bytes = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    var offset = 0
    /// True while `bytes` contains fields that haven't been decoded.
    var isDecoding = false
    /// True if `bytes` is held in `fragment`.
    var isHeld = false
    /// True if the block ends with `bytes`.
    var isFinal = false
    /// True if the next frame must be a CONTINUATION.
    var awaitsContinuation = false
    var endsHeaders = false
    var endsStream = false
    var continuations = 0
    var streamID: Int32 = 0
    var use = Use.ignored
    /// The size of the field list as defined in RFC 9113 section 6.5.2.
    var listBytes = 0

    enum Use {
      case request
      case trailers
      /// The fields are decoded only to keep the dynamic table correct.
      case ignored
    }
  }

  init(settings: HTTP2Settings, clock: @escaping () -> Int64) {
    self.settings = settings
    self.clock = clock
    budget = FloodBudget(nowNanoseconds: clock())
    decoder = HPACKFieldDecoder(tableBytes: Int(settings.headerTableBytes))
    streamsServed = settings.servedConcurrentStreams
    write(settings: [
      (1, settings.headerTableBytes), (3, settings.initialConcurrentStreams),
      (4, settings.initialWindowBytes), (5, settings.maximumFrameBytes),
      (6, settings.maximumHeaderListBytes),
    ])
    inFlight.append(
      HTTP2SettingsInFlight.Values(
        tableBytes: settings.headerTableBytes, streams: settings.servedConcurrentStreams,
        window: settings.initialWindowBytes, frameBytes: settings.maximumFrameBytes))
  }

  deinit { unsafe events.deallocate() }

  /// Returns the next event in the peer's bytes; see ``HTTP2ServerSession/next(_:)``.
  mutating func next(_ input: inout UnsafeRawBufferPointer) -> HTTP2RequestEvent? {
    while true {
      if let event = unsafe events.next() { return unsafe event }
      if unsafe block.isDecoding {
        if let event = unsafe decodeFields() { return unsafe event }
        continue
      }
      guard failure == nil, input.count > 0 || !needsInput else {
        unsafe input = UnsafeRawBufferPointer(start: nil, count: 0)
        isAtStartOfRead = true
        guard failure == nil, hasWorkToFlush else { return nil }
        flush()
        continue
      }
      if isAtStartOfRead {
        isAtStartOfRead = false
        budget.refill(nowNanoseconds: clock())
      }
      if let event = unsafe read(&input) { return unsafe event }
    }
  }

  /// True if no more frames are read or written: a GOAWAY was sent or received, and all streams are closed.
  var isDone: Bool { (hasSentGoAway || hasReceivedGoAway) && streams.count == 0 }

  /// Closes the connection with a GOAWAY that contains the reason; no frames follow it.
  mutating func fail(_ code: UInt32, _ reason: StaticString) {
    guard failure == nil else { return }
    failure = code
    let reason = "\(reason)"
    assert(!reason.utf8.contains { $0 < 0x20 || $0 == 0x22 || $0 == 0x5c }, "a reason is JSON text")
    failureReason = reason
    output.append(
      HTTP2Frame.goAway(
        lastStreamID: min(lastServed, lastPromised), errorCode: code,
        debugData: Array("{\"reason\":\"\(reason)\"}".utf8)))
  }

  /// Deducts points for an event, or fails if the peer has exhausted its budget.
  mutating func charge(_ event: FloodBudget.Event) {
    guard !budget.charge(event) else { return }
    fail(HTTP2ErrorCode.enhanceYourCalm, budget.excess ?? "too many frames")
  }

  /// Traps in debug builds if the fields are inconsistent.
  func checkInvariants() {
    streams.checkInvariants()
    decoder.checkInvariants()
    bodies.checkInvariants()
    assert(begunStreams &- endedStreams == UInt64(streams.count), "the streams are counted")
    assert(left >= 0 && padding >= 0, "no more is read than a frame contains")
    assert(received >= 0 && received <= Self.initialWindow, "the peer kept to its window")
    assert(lastServed <= lastReceived, "only opened streams are served")
  }
}
