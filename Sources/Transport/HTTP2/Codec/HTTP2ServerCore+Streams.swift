extension HTTP2ServerCore {
  /// Returns true if neither side has opened the stream.
  func isIdle(_ id: Int32) -> Bool { id & 1 == 0 || id > lastReceived }

  /// Resets a stream, which closes at the end of the input.
  mutating func reset(_ stream: UnsafeMutablePointer<HTTP2Stream>, _ code: UInt32) {
    guard unsafe !stream.pointee.flags.contains(.isClosing) else { return }
    unsafe stream.pointee.flags.insert(.isClosing)
    unsafe stream.pointee.errorCode = code
    unsafe pending.append(stream.pointee.id)
    unsafe writeReset(stream.pointee.id, code)
  }

  /// Closes a stream, and reports this unless the request was complete and answered.
  mutating func close(_ stream: UnsafeMutablePointer<HTTP2Stream>, _ code: UInt32) {
    let id = unsafe stream.pointee.id
    let isWhole =
      unsafe stream.pointee.flags.contains(.isAnswered) && stream.pointee.body == nil
    if let body = unsafe stream.pointee.body { unsafe bodies.release(body) }
    unsafe streams.remove(stream)
    endedStreams &+= 1
    assert(endedStreams <= begunStreams, "a closed stream was open")
    if isWhole { budget.streamAnswered() }
    if code != HTTP2ErrorCode.noError || !isWhole {
      unsafe events.append(.reset(streamID: id, errorCode: code))
    }
  }

  /// Handles END_STREAM.
  @inline(__always)
  mutating func endMessage(_ stream: UnsafeMutablePointer<HTTP2Stream>) {
    let length = unsafe stream.pointee.contentLength
    guard unsafe length == -1 || length == stream.pointee.contentBytes else {
      return unsafe rejectMessage(stream, endsStream: true)
    }
    budget.credit()
    unsafe events.append(.ended(streamID: stream.pointee.id))
    unsafe stream.pointee.flags.insert(.readClosed)
    if unsafe stream.pointee.flags.contains(.writeClosed) {
      unsafe close(stream, HTTP2ErrorCode.noError)
    }
  }

  /// Resets the stream of a malformed request (RFC 9113 section 8.1.1).
  mutating func rejectMessage(_ stream: UnsafeMutablePointer<HTTP2Stream>, endsStream: Bool) {
    unsafe reset(stream, HTTP2ErrorCode.protocolError)
    if endsStream { unsafe stream.pointee.flags.insert(.readClosed) }
  }

  // MARK: the end of the input

  var hasWorkToFlush: Bool {
    !pending.isEmpty || hasCredited || acknowledgments > 0 || unchargedResets > 0
      || !sendable.isEmpty && sendWindow > 0
  }

  /// Closes the streams that were reset, returns more credit, and sends bodies as far as the peer's windows allow.
  mutating func flush() {
    guard failure == nil else { return }
    acknowledgments = 0
    // A negative balance takes effect with the peer's next frame.
    while unchargedResets > 0 {
      _ = budget.charge(.resetByUs)
      unchargedResets -= 1
    }
    if !pending.isEmpty { settlePending() }
    if hasCredited {
      hasCredited = false
      receiveOnConnection(0)
      hasCredited = false
    }
    if !sendable.isEmpty { sendBodies() }
  }

  private mutating func settlePending() {
    for index in pending.indices {
      guard let stream = unsafe streams.find(pending[index]) else { continue }
      if unsafe stream.pointee.flags.contains(.isClosing) {
        unsafe close(stream, stream.pointee.errorCode)
        continue
      }
      unsafe stream.pointee.flags.remove(.hasCredited)
      let count = unsafe stream.pointee.received
      if unsafe !stream.pointee.flags.contains(.readClosed), isCreditDue(count, of: receiveWindow) {
        unsafe writeWindowUpdate(stream.pointee.id, count)
        unsafe stream.pointee.received = 0
      }
    }
    pending.removeAll(keepingCapacity: pending.count <= 64)
  }

  // MARK: bodies

  /// Adds a stream to the queue of streams whose bodies can be sent, if its window allows this.
  mutating func queueIfSendable(_ stream: UnsafeMutablePointer<HTTP2Stream>) {
    guard unsafe stream.pointee.body != nil && stream.pointee.sendWindow > 0,
      unsafe stream.pointee.flags.isDisjoint(with: .isQueuedOrClosing)
    else { return }
    unsafe stream.pointee.flags.insert(.isQueued)
    let id = unsafe stream.pointee.id
    // Streams that the peer has reset remain in the queue until their turn, which might never come.
    if sendable.count > 2 * streams.count + 32 { dropClosedFromQueue() }
    sendable.append(id)
  }

  private mutating func dropClosedFromQueue() {
    var queue = sendable
    queue.filter { unsafe streams.find($0)?.pointee.flags.contains(.isQueued) == true }
    sendable = queue
  }

  /// Sends one DATA frame of each stream in turn, until the peer's windows or the output are full.
  private mutating func sendBodies() {
    while sendWindow > 0, output.count < Limits.sessionOutputBytes, let id = sendable.popFirst() {
      guard let stream = unsafe streams.find(id) else { continue }
      unsafe stream.pointee.flags.remove(.isQueued)
      guard let body = unsafe stream.pointee.body,
        unsafe !stream.pointee.flags.contains(.isClosing) && stream.pointee.sendWindow > 0
      else { continue }
      let rest = Int(unsafe body.pointee.count &- body.pointee.sent)
      assert(rest > 0, "a waiting body has bytes to send")
      let window = Int(unsafe min(sendWindow, stream.pointee.sendWindow))
      let count = min(rest, window, Self.initialFrameBytes)
      unsafe writeData(
        stream, UnsafeRawBufferPointer(rebasing: BodyStore.rest(body)[..<count]),
        isLast: count == rest)
      unsafe body.pointee.sent &+= Int32(truncatingIfNeeded: count)
      guard count == rest else {
        unsafe queueIfSendable(stream)
        continue
      }
      unsafe stream.pointee.body = nil
      unsafe bodies.release(body)
      unsafe endResponse(stream)
    }
  }

  /// Handles the end of a response.
  mutating func endResponse(_ stream: UnsafeMutablePointer<HTTP2Stream>) {
    unsafe stream.pointee.flags.insert(.writeClosed)
    if unsafe stream.pointee.flags.contains(.readClosed) {
      unsafe close(stream, HTTP2ErrorCode.noError)
    }
  }
}
