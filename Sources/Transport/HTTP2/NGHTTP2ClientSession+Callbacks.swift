import CNghttp2

extension NGHTTP2ClientSession {
  /// Recovers the session from nghttp2's user pointer, once per callback.
  private static func with(
    _ user: UnsafeMutableRawPointer?, _ body: (NGHTTP2ClientSession) -> Int32
  ) -> Int32 {
    guard let user = unsafe user else { return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue }
    return unsafe Unmanaged<NGHTTP2ClientSession>.fromOpaque(user)._withUnsafeGuaranteedRef {
      body($0)
    }
  }

  /// Registers one C function with nghttp2 for each callback.
  static func install(in callbacks: OpaquePointer) {
    unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, user in
      guard let frame = unsafe frame else { return 0 }
      return unsafe NGHTTP2ClientSession.with(user) {
        unsafe $0.headersBegan(frame.pointee.hd.stream_id, frame.pointee.headers.cat)
      }
    }
    unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks) {
      _, frame, name, nameCount, value, valueCount, _, user in
      guard let frame = unsafe frame else { return 0 }
      return unsafe NGHTTP2ClientSession.with(user) {
        unsafe $0.field(
          frame.pointee.hd.stream_id, frame.pointee.headers.cat,
          name: UnsafeRawBufferPointer(start: name, count: nameCount),
          value: UnsafeRawBufferPointer(start: value, count: valueCount))
      }
    }
    unsafe nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks) {
      _, frame, _, _, _, _, _, user in
      guard let frame = unsafe frame else { return 0 }
      return unsafe NGHTTP2ClientSession.with(user) {
        unsafe $0.invalidField(frame.pointee.hd.stream_id)
      }
    }
    unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
      _, _, streamID, bytes, count, user in
      unsafe NGHTTP2ClientSession.with(user) {
        unsafe $0.data(streamID, UnsafeRawBufferPointer(start: bytes, count: count))
      }
    }
    unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, user in
      guard let frame = unsafe frame else { return 0 }
      return unsafe NGHTTP2ClientSession.with(user) { unsafe $0.frameReceived(frame) }
    }
    unsafe nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, user in
      guard let frame = unsafe frame else { return 0 }
      return unsafe NGHTTP2ClientSession.with(user) { unsafe $0.frameSent(frame.pointee.hd) }
    }
    unsafe nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) {
      _, frame, _, user in
      guard let frame = unsafe frame else { return 0 }
      return unsafe NGHTTP2ClientSession.with(user) { unsafe $0.frameNotSent(frame.pointee.hd) }
    }
    unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) {
      _, streamID, errorCode, user in
      unsafe NGHTTP2ClientSession.with(user) { $0.streamClosed(streamID, errorCode: errorCode) }
    }
  }
}
