import CNghttp2
import Glibc
public import System

/// A server's HTTP/2 connection on nghttp2, with a `FloodBudget` for the limits that nghttp2 lacks.
///
/// nghttp2 would reset streams beyond MAX_CONCURRENT_STREAMS even before the client can know the limit, and aioapns
/// would then wait forever. nghttp2 is therefore configured with `servedConcurrentStreams`, and the value on the wire
/// is replaced with the advertised value.
@safe public final class NGHTTP2ServerSession: HTTP2ServerSession {
  private let settings: HTTP2Settings
  private let clock: () -> Int64
  /// The nghttp2 session, owned by this object; nil if nghttp2 could not allocate memory.
  private var session: OpaquePointer?
  private var output = SessionOutput()
  private var bodies = BodyStore()
  private let events = unsafe SessionEvents<HTTP2RequestEvent>()
  private let text: EventText
  private let input: UnsafeMutablePointer<ServerInput>
  private var announcedStreams: UInt32
  private var fieldBytes = 0
  /// The error code of the final GOAWAY, if the session can't continue.
  public private(set) var failure: UInt32? {
    get { unsafe input.pointee.failure }
    set { unsafe input.pointee.failure = newValue }
  }
  /// The debug data of the final GOAWAY, if `failure` is set.
  public private(set) var failureReason: String?
  /// The number of GOAWAY frames that this session queued and that nghttp2 hasn't sent yet.
  private var ownGoAways = 0
  /// The last stream that a GOAWAY from this session identified.
  ///
  /// The peer considers later streams unprocessed and retries them.
  private var lastServed = Int32.max
  /// The number of streams that have begun.
  private var begunStreams: UInt64 = 0
  /// The number of streams that have closed.
  public private(set) var endedStreams: UInt64 = 0
  /// The number of open streams.
  public var openStreams: Int { Int(begunStreams &- endedStreams) }
  /// True if a body that has its own memory is waiting for the peer's window.
  public var holdsLargeBody: Bool { bodies.hasLarge }
  /// True once a complete frame header has arrived, which shows that the peer speaks HTTP/2.
  public var hasFrames: Bool { unsafe input.pointee.hasFrames }

  /// Creates a session, whose SETTINGS are ready in the output.
  ///
  /// `clock` returns monotonic nanoseconds. The session calls it once for each block of input, not for each frame.
  public init(
    settings: HTTP2Settings, clock: @escaping () -> Int64 = { SystemClock.monotonicNanoseconds }
  ) {
    self.settings = settings
    self.clock = clock
    text = EventText(capacity: Int(settings.maximumHeaderListBytes))
    unsafe input = .allocate(capacity: 1)
    unsafe input.initialize(to: ServerInput(nowNanoseconds: clock()))
    announcedStreams = settings.initialConcurrentStreams
    unsafe session = NGHTTP2Callbacks.server.session(
      user: Unmanaged.passUnretained(self).toOpaque())
    submitFirstSettings()
    drain()
  }

  deinit {
    unsafe nghttp2_session_del(session)
    unsafe events.deallocate()
    text.deallocate()
    unsafe input.deallocate()
  }

  private func submitFirstSettings() {
    submit([
      (NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, settings.headerTableBytes),
      (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, settings.servedConcurrentStreams),
      (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, settings.initialWindowBytes),
      (NGHTTP2_SETTINGS_MAX_FRAME_SIZE, settings.maximumFrameBytes),
      (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, settings.maximumHeaderListBytes),
    ])
  }

  private func submit(_ values: [(nghttp2_settings_id, UInt32)]) {
    let entries = values.map {
      nghttp2_settings_entry(settings_id: Int32($0.0.rawValue), value: $0.1)
    }
    let code = unsafe nghttp2_submit_settings(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count)
    if code != 0 { fail(HTTP2ErrorCode.internalError, "no memory for SETTINGS") }
  }

  // MARK: session's owner

  /// Returns the next event in the peer's bytes; see ``HTTP2ServerSession/next(_:)``.
  public func next(_ input: inout UnsafeRawBufferPointer) -> HTTP2RequestEvent? {
    while true {
      if let event = unsafe events.next() { return unsafe event }
      guard failure == nil, input.count > 0 else {
        unsafe input = UnsafeRawBufferPointer(start: nil, count: 0)
        unsafe self.input.pointee.isAtStartOfRead = true
        checkInvariants()
        return nil
      }
      unsafe readFrame(&input)
      // nghttp2 reports the peer's errors only through a GOAWAY in its output.
      if input.count == 0 { drain() }
    }
  }

  /// Does nothing, because a client that has ended its input can still receive answers.
  public func endInput() {}

  /// Passes the first frame, or the part of it that has arrived, to nghttp2, whose callbacks append events.
  private func readFrame(_ input: inout UnsafeRawBufferPointer) {
    text.clear()
    if unsafe self.input.pointee.isAtStartOfRead {
      unsafe self.input.pointee.isAtStartOfRead = false
      unsafe self.input.pointee.budget.refill(nowNanoseconds: clock())
    }
    guard let session = unsafe session, let length = unsafe self.input.pointee.nextFrame(of: input)
    else {
      drain()
      return fail(HTTP2ErrorCode.enhanceYourCalm, excess)
    }
    assert((1...input.count).contains(length), "each step reads at least one byte")
    let consumed = unsafe nghttp2_session_mem_recv(
      session, input.baseAddress?.assumingMemoryBound(to: UInt8.self), length)
    unsafe input = UnsafeRawBufferPointer(
      start: input.baseAddress.map { unsafe $0 + length }, count: input.count &- length)
    guard consumed < 0 else { return }
    drain()
    // This session's own reason takes precedence, because nghttp2 knows only that a callback failed.
    if let failure {
      fail(failure, excess)
    } else if consumed == Int(NGHTTP2_ERR_FLOODED.rawValue) {
      fail(HTTP2ErrorCode.enhanceYourCalm, "too many frames that request a response")
    } else {
      fail(
        HTTP2ErrorCode.protocolError,
        unsafe String(cString: nghttp2_strerror(Int32(truncatingIfNeeded: consumed))))
    }
  }

  /// Traps in debug builds if the fields are inconsistent.
  ///
  /// In release builds, this method does nothing.
  func checkInvariants() {
    assert(endedStreams <= begunStreams, "a stream closes only once")
    assert(!hasFailedFinally || failure != nil, "a failed session has an error code")
    assert(fieldBytes >= 0, "the size of a header list is not negative")
  }

  private var excess: String { unsafe input.pointee.budget.excess.map { "\($0)" } ?? "" }

  /// Responds to a request.
  ///
  /// Has no effect if the request's stream is closed.
  public func respond(
    _ streamID: Int32, status: Int, fields: UnsafeBufferPointer<HTTP2FieldView>,
    body: UnsafeRawBufferPointer?
  ) {
    guard failure == nil, let record = unsafe record(streamID), unsafe !record.pointee.isDone
    else { return }
    unsafe record.pointee.isDone = true
    var provider = unsafe nghttp2_data_provider()
    var hasBody = false
    if let body = unsafe body, body.count > 0, unsafe !record.pointee.isHead {
      guard unsafe bodies.setBody(record, body) else {
        reset(streamID, errorCode: HTTP2ErrorCode.enhanceYourCalm)
        return
      }
      hasBody = true
      unsafe provider.source.ptr = UnsafeMutableRawPointer(record)
      unsafe provider.read_callback = NGHTTP2Callbacks.readBody
    }
    let code = unsafe withUnsafePointer(to: &provider) { provider in
      unsafe Self.withFields(status, fields) { first, count in
        unsafe nghttp2_submit_response(session, streamID, first, count, hasBody ? provider : nil)
      }
    }
    if code != 0 { reset(streamID, errorCode: HTTP2ErrorCode.internalError) }
  }

  private static func withFields(
    _ status: Int, _ fields: UnsafeBufferPointer<HTTP2FieldView>,
    _ body: (UnsafePointer<nghttp2_nv>?, Int) -> Int32
  ) -> Int32 {
    let clamped = min(max(status, 100), 599)
    let digits: (UInt8, UInt8, UInt8) = (
      UInt8(0x30 + clamped / 100), UInt8(0x30 + clamped / 10 % 10), UInt8(0x30 + clamped % 10)
    )
    return unsafe withUnsafeBytes(of: digits) { digits in
      unsafe withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: fields.count + 1) {
        pairs in
        unsafe pairs.initializeElement(
          at: 0,
          to: NGHTTP2Callbacks.pair(
            UnsafeRawBufferPointer(
              start: statusName.utf8Start, count: statusName.utf8CodeUnitCount),
            digits))
        var index = 0
        while index < fields.count {
          let field = unsafe fields[index]
          unsafe pairs.initializeElement(
            at: index + 1, to: NGHTTP2Callbacks.pair(field.name, field.value))
          index += 1
        }
        return unsafe body(pairs.baseAddress, fields.count + 1)
      }
    }
  }

  private static let statusName: StaticString = ":status"

  /// Advertises a new SETTINGS_MAX_CONCURRENT_STREAMS.
  ///
  /// A lower value doesn't cause streams to be refused.
  public func allowConcurrentStreams(_ count: UInt32) {
    guard failure == nil else { return }
    drain()
    announcedStreams = count
    submit([
      (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, max(count, settings.servedConcurrentStreams))
    ])
    drain()
  }

  /// Advertises a new SETTINGS_INITIAL_WINDOW_SIZE, which also applies to open streams.
  public func setInitialWindow(_ bytes: UInt32) {
    guard failure == nil else { return }
    submit([(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, min(bytes, UInt32(Int32.max)))])
    drain()
  }

  /// Queues a GOAWAY, after which streams later than `lastStreamID` aren't processed.
  ///
  /// If `lastStreamID` is nil, the GOAWAY identifies the last stream received. Answers that are ready are sent first,
  /// because some clients abandon unanswered requests when they receive a GOAWAY.
  public func goAway(lastStreamID: Int32?, errorCode: UInt32, debugData: [UInt8]) {
    guard failure == nil, let session = unsafe session else { return }
    let last = unsafe lastStreamID ?? nghttp2_session_get_last_proc_stream_id(session)
    lastServed = min(lastServed, last)
    // Send the bodies of answers first, because nghttp2 would otherwise send the GOAWAY before them.
    drain()
    let code = unsafe nghttp2_submit_goaway(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), last, errorCode, debugData, debugData.count)
    if code == 0 { ownGoAways += 1 }
    // nghttp2 accepts no new streams once it has created the frame.
    drain()
  }

  /// Resets one stream with this error code.
  public func reset(_ streamID: Int32, errorCode: UInt32) {
    guard failure == nil, let session = unsafe session else { return }
    _ = unsafe nghttp2_submit_rst_stream(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), streamID, errorCode)
  }

  /// Passes all frames that can be sent now to `body`, in one piece.
  public func takeOutput(_ body: (UnsafeRawBufferPointer) -> Void) {
    // One iteration is enough, unless there is more than 1 MB to send.
    repeat {
      drain()
      guard output.count > 0 else { return }
      unsafe body(output.bytes)
      output.clear()
    } while failure == nil
  }

  /// True if no more data will be read or written.
  public var isFinished: Bool {
    guard failure == nil, let session = unsafe session else { return true }
    return unsafe nghttp2_session_want_read(session) == 0
      && nghttp2_session_want_write(session) == 0
  }

  /// Always false, because flow control limits the input.
  public var isInputFull: Bool { false }

  /// False, because HTTP/2 announces the end of a connection with GOAWAY.
  public var endsWithItsOutput: Bool { false }

  // MARK: output

  /// Moves nghttp2's frames to the output.
  private func drain() {
    guard let session = unsafe session, !hasFailedFinally else { return }
    while output.count < Limits.sessionOutputBytes {
      var frame: UnsafePointer<UInt8>?
      let count = unsafe nghttp2_session_mem_send(session, &frame)
      guard count > 0, let frame = unsafe frame else { return }
      let bytes = unsafe UnsafeRawBufferPointer(start: frame, count: count)
      if unsafe count >= HTTP2Frame.headerBytes && frame[3] == HTTP2FrameType.goAway.rawValue {
        guard unsafe passesGoAway(bytes) else { return }
        continue
      }
      let offset = output.count
      unsafe output.append(bytes)
      if count > HTTP2Frame.headerBytes,
        unsafe frame[3] == HTTP2FrameType.settings.rawValue && frame[4] & 1 == 0
      {
        output.rewriteSetting(
          UInt16(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue), to: announcedStreams,
          frameAt: offset)
      }
    }
  }

  /// Handles a GOAWAY in nghttp2's output, and returns true if more frames may follow.
  ///
  /// A GOAWAY that this session queued is forwarded. nghttp2 itself sends a GOAWAY after an error by the peer. This
  /// error becomes the session's failure, the reason is converted to the form of all other failures, and no frames may
  /// follow.
  private func passesGoAway(_ frame: UnsafeRawBufferPointer) -> Bool {
    if ownGoAways > 0 {
      ownGoAways -= 1
      unsafe output.append(frame)
      return true
    }
    precondition(frame.count >= 17, "a GOAWAY frame contains an error code")
    let code = unsafe frame.loadUnaligned(fromByteOffset: 13, as: UInt32.self).bigEndian
    let text = unsafe String(
      decoding: UnsafeRawBufferPointer(rebasing: frame.dropFirst(17)), as: UTF8.self)
    fail(code, text.isEmpty ? HTTP2ErrorCode.name(code) ?? "error \(code)" : text)
    return false
  }

  private var hasFailedFinally = false

  /// Closes the connection with a GOAWAY that contains the reason; no frames follow it.
  private func fail(_ code: UInt32, _ reason: String) {
    guard !hasFailedFinally else { return }
    hasFailedFinally = true
    failure = code
    let reason = reason.filter { $0 >= " " && $0 != "\"" && $0 != "\\" && $0.isASCII }
    failureReason = reason
    let last = unsafe session.map { unsafe nghttp2_session_get_last_proc_stream_id($0) } ?? 0
    output.append(
      HTTP2Frame.goAway(
        lastStreamID: last, errorCode: code, debugData: Array("{\"reason\":\"\(reason)\"}".utf8)))
  }

  private func record(_ streamID: Int32) -> UnsafeMutablePointer<StreamRecord>? {
    guard let data = unsafe nghttp2_session_get_stream_user_data(session, streamID) else {
      return nil
    }
    return unsafe data.assumingMemoryBound(to: StreamRecord.self)
  }
}

// MARK: nghttp2 callbacks

extension NGHTTP2ServerSession: NGHTTP2Events {
  private var refused: Int32 { NGHTTP2_ERR_CALLBACK_FAILURE.rawValue }
  private var streamRefused: Int32 { NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue }

  private func charge(_ event: FloodBudget.Event) -> Int32 {
    if unsafe input.pointee.budget.charge(event) { return 0 }
    failure = HTTP2ErrorCode.enhanceYourCalm
    return refused
  }

  func headersBegan(_ streamID: Int32, _ category: nghttp2_headers_category) -> Int32 {
    fieldBytes = 0
    guard category == NGHTTP2_HCAT_REQUEST else { return 0 }
    guard streamID <= lastServed else { return streamRefused }
    let record = unsafe bodies.acquire()
    guard unsafe nghttp2_session_set_stream_user_data(session, streamID, record) == 0 else {
      unsafe bodies.release(record)
      return streamRefused
    }
    begunStreams &+= 1
    assert(streamID > 0 && streamID % 2 == 1, "the stream ID is a client's")
    unsafe events.append(.began(streamID: streamID))
    return 0
  }

  func field(
    _ streamID: Int32, _ category: nghttp2_headers_category, name: UnsafeRawBufferPointer,
    value: UnsafeRawBufferPointer
  ) -> Int32 {
    fieldBytes += name.count + value.count + Limits.fieldOverheadBytes
    guard fieldBytes <= Int(settings.maximumHeaderListBytes) else {
      reset(streamID, errorCode: HTTP2ErrorCode.enhanceYourCalm)
      let code = charge(.oversizedHeader)
      return code != 0 ? code : streamRefused
    }
    // Trailers are ignored.
    if category == NGHTTP2_HCAT_REQUEST {
      if unsafe Self.isHead(name, value), let record = unsafe record(streamID) {
        unsafe record.pointee.isHead = true
      }
      unsafe events.append(
        .field(streamID: streamID, name: text.copy(name), value: text.copy(value)))
    }
    return 0
  }

  private static func isHead(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer)
    -> Bool
  {
    unsafe value.count == 4 && name.count == 7 && value.elementsEqual("HEAD".utf8)
      && name.elementsEqual(":method".utf8)
  }

  /// Handles a field that is malformed according to RFC 9113 section 8.2.1, such as an uppercase name.
  func invalidField(_ streamID: Int32) -> Int32 {
    reset(streamID, errorCode: HTTP2ErrorCode.protocolError)
    return streamRefused
  }

  func data(_ streamID: Int32, _ bytes: UnsafeRawBufferPointer) -> Int32 {
    guard let record = unsafe record(streamID), unsafe !record.pointee.isDone else { return 0 }
    // The bytes are a part of the owner's input, which remains valid.
    unsafe events.append(.body(streamID: streamID, bytes))
    return 0
  }

  func frameReceived(_ frame: UnsafePointer<nghttp2_frame>) -> Int32 {
    let header = unsafe frame.pointee.hd
    if header.type == HTTP2FrameType.resetStream.rawValue { return streamReset(header.stream_id) }
    guard header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0,
      header.type == HTTP2FrameType.data.rawValue || header.type == HTTP2FrameType.headers.rawValue,
      unsafe record(header.stream_id) != nil
    else { return 0 }
    unsafe input.pointee.budget.credit()
    unsafe events.append(.ended(streamID: header.stream_id))
    return 0
  }

  /// Handles a reset.
  ///
  /// It is normal for a peer to reset an answered stream (RFC 9113 section 8.1).
  private func streamReset(_ streamID: Int32) -> Int32 {
    guard let record = unsafe record(streamID) else { return charge(.lateReset) }
    return unsafe record.pointee.isDone ? 0 : charge(.reset)
  }

  func frameSent(_ header: nghttp2_frame_hd) -> Int32 {
    guard header.type == HTTP2FrameType.resetStream.rawValue else { return 0 }
    // Don't abort here, because nghttp2 is sending. A negative balance takes effect with the peer's next frame.
    _ = unsafe input.pointee.budget.charge(.resetByUs)
    return 0
  }

  func streamClosed(_ streamID: Int32, errorCode: UInt32) -> Int32 {
    guard let record = unsafe record(streamID) else { return 0 }
    let isWhole = unsafe record.pointee.isDone && record.pointee.sent == record.pointee.count
    unsafe nghttp2_session_set_stream_user_data(session, streamID, nil)
    unsafe bodies.release(record)
    endedStreams &+= 1
    assert(endedStreams <= begunStreams, "a closed stream was open")
    if isWhole { unsafe input.pointee.budget.streamAnswered() }
    if errorCode != HTTP2ErrorCode.noError || !isWhole {
      unsafe events.append(.reset(streamID: streamID, errorCode: errorCode))
    }
    return 0
  }
}
