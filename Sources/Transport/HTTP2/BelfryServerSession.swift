public import System

/// A server's HTTP/2 connection on Belfry's own codec, which has the behavior of ``NGHTTP2ServerSession``.
///
/// The differences are listed in `docs/http2-codec.md`.
@safe public final class BelfryServerSession: HTTP2ServerSession {
  /// The protocol's state.
  ///
  /// The state is behind a pointer, because Swift checks each access to a property of a class at run time.
  private let core: UnsafeMutablePointer<HTTP2ServerCore>

  /// Creates a session, whose SETTINGS are ready in the output.
  ///
  /// `clock` returns monotonic nanoseconds. The session calls it once for each block of input, not for each frame.
  public init(
    settings: HTTP2Settings, clock: @escaping () -> Int64 = { SystemClock.monotonicNanoseconds }
  ) {
    unsafe core = .allocate(capacity: 1)
    unsafe core.initialize(to: HTTP2ServerCore(settings: settings, clock: clock))
  }

  deinit {
    unsafe core.deinitialize(count: 1)
    unsafe core.deallocate()
  }

  /// Returns the next event in the peer's bytes; see ``HTTP2ServerSession/next(_:)``.
  public func next(_ input: inout UnsafeRawBufferPointer) -> HTTP2RequestEvent? {
    unsafe core.pointee.next(&input)
  }

  /// Does nothing, because a client that has ended its input can still receive answers.
  public func endInput() {}

  /// Responds to a request; has no effect if the request's stream is closed.
  public func respond(
    _ streamID: Int32, status: Int, fields: UnsafeBufferPointer<HTTP2FieldView>,
    body: UnsafeRawBufferPointer?
  ) {
    unsafe core.pointee.respond(streamID, status: status, fields: fields, body: body)
  }

  /// Advertises a new SETTINGS_MAX_CONCURRENT_STREAMS; a lower value doesn't cause streams to be refused.
  public func allowConcurrentStreams(_ count: UInt32) {
    unsafe core.pointee.allowConcurrentStreams(count)
  }

  /// Advertises a new SETTINGS_INITIAL_WINDOW_SIZE, which also applies to open streams.
  public func setInitialWindow(_ bytes: UInt32) { unsafe core.pointee.setInitialWindow(bytes) }

  /// Queues a GOAWAY, after which streams later than `lastStreamID` aren't processed.
  ///
  /// If `lastStreamID` is nil, the GOAWAY identifies the last stream received. Answers that are ready are sent first,
  /// because some clients abandon unanswered requests when they receive a GOAWAY.
  public func goAway(lastStreamID: Int32?, errorCode: UInt32, debugData: [UInt8]) {
    unsafe core.pointee.goAway(
      lastStreamID: lastStreamID, errorCode: errorCode, debugData: debugData)
  }

  /// Resets one stream with this error code.
  public func reset(_ streamID: Int32, errorCode: UInt32) {
    unsafe core.pointee.reset(streamID, errorCode: errorCode)
  }

  /// Passes all frames that can be sent now to `body`, in pieces of about 1 MB.
  public func takeOutput(_ body: (UnsafeRawBufferPointer) -> Void) {
    repeat {
      unsafe core.pointee.flush()
      guard unsafe core.pointee.output.count > 0 else { return }
      unsafe body(core.pointee.output.bytes)
      unsafe core.pointee.output.clear()
    } while unsafe core.pointee.failure == nil
  }

  /// Always false, because flow control limits the input.
  public var isInputFull: Bool { false }

  /// The number of open streams.
  public var openStreams: Int { unsafe core.pointee.streams.count }
  /// The number of streams that have closed.
  public var endedStreams: UInt64 { unsafe core.pointee.endedStreams }
  /// True once a complete frame header has arrived, which shows that the peer speaks HTTP/2.
  public var hasFrames: Bool { unsafe core.pointee.hasFrames }
  /// True if a body that has its own memory is waiting for the peer's window.
  public var holdsLargeBody: Bool { unsafe core.pointee.bodies.hasLarge }
  /// The error code of the final GOAWAY, if the session can't continue.
  public var failure: UInt32? { unsafe core.pointee.failure }
  /// The debug data of the final GOAWAY, if `failure` is set.
  public var failureReason: String? { unsafe core.pointee.failureReason }
  /// True if no more data will be read or written.
  public var isFinished: Bool {
    unsafe core.pointee.failure != nil || core.pointee.isDone
  }
  /// False, because HTTP/2 announces the end of a connection with GOAWAY.
  public var endsWithItsOutput: Bool { false }

  /// Traps in debug builds if the fields are inconsistent.
  package func checkInvariants() { unsafe core.pointee.checkInvariants() }
}
