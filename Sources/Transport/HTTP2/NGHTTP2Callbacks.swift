import CNghttp2

/// The callbacks of nghttp2, as methods of a session.
///
/// A method returns 0 to continue. An nghttp2 error code closes a stream or the session.
protocol NGHTTP2Events: AnyObject {
  func headersBegan(_ streamID: Int32, _ category: nghttp2_headers_category) -> Int32
  func field(
    _ streamID: Int32, _ category: nghttp2_headers_category, name: UnsafeRawBufferPointer,
    value: UnsafeRawBufferPointer
  ) -> Int32
  func invalidField(_ streamID: Int32) -> Int32
  func data(_ streamID: Int32, _ bytes: UnsafeRawBufferPointer) -> Int32
  func frameReceived(_ frame: UnsafePointer<nghttp2_frame>) -> Int32
  func frameSent(_ header: nghttp2_frame_hd) -> Int32
  func streamClosed(_ streamID: Int32, errorCode: UInt32) -> Int32
}

/// The callbacks and options of nghttp2 for one kind of session, which are created once.
///
/// The `@unchecked Sendable` conformance is safe because nothing changes after `init`, and nghttp2 only reads the
/// callbacks and options.
@safe final class NGHTTP2Callbacks: @unchecked Sendable {
  static let server = NGHTTP2Callbacks(isServer: true)
  static let client = NGHTTP2Callbacks(isServer: false)

  private let isServer: Bool
  private let callbacks: OpaquePointer?
  private let options: OpaquePointer?

  private init(isServer: Bool) {
    self.isServer = isServer
    var callbacks: OpaquePointer?
    var options: OpaquePointer?
    unsafe nghttp2_session_callbacks_new(&callbacks)
    unsafe nghttp2_option_new(&options)
    unsafe self.callbacks = callbacks
    unsafe self.options = options
    if let options = unsafe options {
      // nghttp2 retains closed streams only for priorities, which aren't used.
      unsafe nghttp2_option_set_no_closed_streams(options, 1)
      // nghttp2's own limit also counts resets of answered streams, and closes the session without a GOAWAY.
      // `FloodBudget` implements the limit that replaces it.
      unsafe nghttp2_option_set_stream_reset_rate_limit(options, .max, .max)
      // The gateway decides how to handle values that are surrounded by spaces.
      unsafe nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(options, 1)
    }
    guard let callbacks = unsafe callbacks else { return }
    if isServer {
      unsafe NGHTTP2ServerSession.install(in: callbacks)
    } else {
      unsafe NGHTTP2ClientSession.install(in: callbacks)
    }
  }

  /// Returns a session with these callbacks, or nil if memory can't be allocated.
  func session(user: UnsafeMutableRawPointer) -> OpaquePointer? {
    guard let callbacks = unsafe callbacks else { return nil }
    var session: OpaquePointer?
    let code =
      unsafe isServer
      ? nghttp2_session_server_new2(&session, callbacks, user, options)
      : nghttp2_session_client_new2(&session, callbacks, user, options)
    return code == 0 ? unsafe session : nil
  }

  /// Returns a name and a value for nghttp2, which copies both.
  ///
  /// If `isSecret` is true, the field is never added to a compression table.
  static func pair(
    _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, isSecret: Bool = false
  ) -> nghttp2_nv {
    unsafe nghttp2_nv(
      name: UnsafeMutableRawPointer(mutating: name.baseAddress)?.assumingMemoryBound(
        to: UInt8.self),
      value: UnsafeMutableRawPointer(mutating: value.baseAddress)?.assumingMemoryBound(
        to: UInt8.self),
      namelen: name.count, valuelen: value.count,
      flags: UInt8((isSecret ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE).rawValue))
  }

  /// The callback through which nghttp2 requests the next piece of a body.
  static let readBody: nghttp2_data_source_read_callback = {
    _, _, target, length, flags, source, _ in
    guard let pointer = unsafe source?.pointee.ptr else { return 0 }
    let record = unsafe pointer.assumingMemoryBound(to: StreamRecord.self)
    let piece = unsafe BodyStore.read(
      record, into: UnsafeMutableRawBufferPointer(start: target, count: length))
    if piece.isLast { unsafe flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
    return piece.count
  }
}
