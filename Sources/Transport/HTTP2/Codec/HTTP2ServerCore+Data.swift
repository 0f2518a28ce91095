extension HTTP2ServerCore {
  mutating func beginData() {
    let id = head.streamID
    guard id != 0, !isIdle(id) else {
      return fail(HTTP2ErrorCode.protocolError, "DATA on a stream that isn't open")
    }
    guard let stream = unsafe streams.find(id) else { return phase = .ignoredData }
    let flags = unsafe stream.pointee.flags
    guard !flags.contains(.readClosed) else {
      return fail(HTTP2ErrorCode.streamClosed, "DATA after END_STREAM")
    }
    guard !flags.contains(.isClosing) else { return phase = .ignoredData }
    guard head.isPadded else { return phase = .data }
    guard left >= 1 else {
      return fail(HTTP2ErrorCode.protocolError, "DATA too short for its flags")
    }
    left = 1
    phase = .padLength
  }

  mutating func readPadLength(_ input: inout UnsafeRawBufferPointer) {
    guard let bytes = unsafe collect(1, &input) else { return }
    padding = Int(unsafe bytes[0])
    left = head.length &- 1
    // The pad length and the padding count toward the windows (RFC 9113 section 6.1).
    receiveOnConnection(1)
    if failure == nil, let stream = unsafe streams.find(head.streamID) {
      unsafe receive(1, on: stream)
    }
    guard padding <= left else {
      return fail(HTTP2ErrorCode.protocolError, "padding longer than DATA")
    }
    phase = .data
  }

  /// Reads the part of a DATA frame that has arrived, and returns its content.
  @inline(__always)
  mutating func readData(_ input: inout UnsafeRawBufferPointer) -> HTTP2RequestEvent? {
    guard let stream = unsafe streams.find(head.streamID) else {
      phase = .ignoredData
      return nil
    }
    let count = min(left, input.count)
    let contentBytes = min(count, max(0, left &- padding))
    let content = unsafe UnsafeRawBufferPointer(rebasing: input[..<contentBytes])
    unsafe Self.advance(&input, count)
    left &-= count
    receiveOnConnection(count)
    guard failure == nil else { return nil }
    unsafe receive(count, on: stream)
    // The sum can't overflow, because the number of bytes in a frame has 24 bits.
    unsafe stream.pointee.contentBytes &+= Int64(contentBytes)
    let length = unsafe stream.pointee.contentLength
    if unsafe length != -1 && stream.pointee.contentBytes > length {
      unsafe reset(stream, HTTP2ErrorCode.protocolError)
    }
    let flags = unsafe stream.pointee.flags
    if left == 0 {
      phase = .head
      if head.endsStream, !flags.contains(.isClosing) { unsafe endMessage(stream) }
    } else if flags.contains(.isClosing) {
      phase = .ignoredData
    }
    guard contentBytes > 0, flags.isDisjoint(with: .ignoresContent) else { return nil }
    return unsafe .body(streamID: head.streamID, content)
  }

  // MARK: windows

  /// Counts bytes of DATA toward the connection's window, and returns credit for them in time.
  @inline(__always)
  mutating func receiveOnConnection(_ count: Int) {
    guard Int(received) &+ count <= Int(Self.initialWindow) else {
      return fail(HTTP2ErrorCode.flowControlError, "DATA beyond the connection's window")
    }
    received &+= Int32(truncatingIfNeeded: count)
    guard !hasCredited, isCreditDue(received, of: Self.initialWindow) else { return }
    writeWindowUpdate(0, received)
    received = 0
    hasCredited = true
  }

  /// Counts bytes of DATA toward a stream's window, and returns credit for them unless the request is complete.
  @inline(__always)
  private mutating func receive(_ count: Int, on stream: UnsafeMutablePointer<HTTP2Stream>) {
    guard unsafe Int(stream.pointee.received) &+ count <= Int(receiveWindow) else {
      return unsafe reset(stream, HTTP2ErrorCode.flowControlError)
    }
    unsafe stream.pointee.received &+= Int32(truncatingIfNeeded: count)
    guard left > 0 || !head.endsStream else { return }
    unsafe credit(stream)
  }

  mutating func credit(_ stream: UnsafeMutablePointer<HTTP2Stream>) {
    let count = unsafe stream.pointee.received
    guard unsafe !stream.pointee.flags.contains(.hasCredited), isCreditDue(count, of: receiveWindow)
    else { return }
    unsafe writeWindowUpdate(stream.pointee.id, count)
    unsafe stream.pointee.received = 0
    unsafe stream.pointee.flags.insert(.hasCredited)
    unsafe pending.append(stream.pointee.id)
  }

  func isCreditDue(_ count: Int32, of window: Int32) -> Bool { count > 0 && count >= window / 2 }
}
