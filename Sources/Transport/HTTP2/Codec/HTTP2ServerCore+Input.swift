extension HTTP2ServerCore {
  /// True if the current phase can't proceed without more input.
  var needsInput: Bool {
    switch phase {
    case .preface, .head: true
    case .control, .fieldPrefix, .fieldBlock, .fieldPadding, .padLength, .data, .ignoredData, .skip:
      left > 0
    }
  }

  /// Reads a part of the input, and returns the event that it causes, if any.
  @inline(__always)
  mutating func read(_ input: inout UnsafeRawBufferPointer) -> HTTP2RequestEvent? {
    switch phase {
    case .preface: unsafe readPreface(&input)
    case .head:
      guard let bytes = unsafe collect(HTTP2Frame.headerBytes, &input) else { return nil }
      head = unsafe HTTP2FrameHead(bytes)
      held.clear()
      beginFrame()
      // Most requests are HEADERS without padding, of which the whole block is decoded next.
      if case .fieldPrefix = phase, left == 0, failure == nil {
        return unsafe readFieldPrefix(&input)
      }
    case .control:
      guard let bytes = unsafe collect(left, &input) else { return nil }
      left = 0
      unsafe handleControl(bytes)
      held.clear()
    case .fieldPrefix: return unsafe readFieldPrefix(&input)
    case .fieldBlock: unsafe readFieldBlock(&input)
    case .padLength: unsafe readPadLength(&input)
    case .data: return unsafe readData(&input)
    case .ignoredData:
      let count = unsafe skip(&input)
      receiveOnConnection(count)
      if left == 0 { phase = .head }
    case .fieldPadding:
      _ = unsafe skip(&input)
      if left == 0 { endBlock() }
    case .skip:
      _ = unsafe skip(&input)
      if left == 0 { endSkipped() }
    }
    return nil
  }

  private mutating func readPreface(_ input: inout UnsafeRawBufferPointer) {
    let text = Self.preface
    let count = min(left, input.count)
    for index in 0..<count {
      let expected = unsafe text.utf8Start[text.utf8CodeUnitCount - left + index]
      guard unsafe input[index] == expected else {
        return fail(HTTP2ErrorCode.protocolError, "not the preface of HTTP/2")
      }
    }
    left -= count
    unsafe Self.advance(&input, count)
    if left == 0 { phase = .head }
  }

  /// Returns the next `count` bytes, or nil after holding the bytes that have arrived if there are fewer.
  ///
  /// Bytes that were held are returned in `held`, which the caller must clear.
  @inline(__always)
  mutating func collect(
    _ count: Int, _ input: inout UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer? {
    guard held.count > 0 || input.count < count else {
      let bytes = unsafe UnsafeRawBufferPointer(rebasing: input[..<count])
      unsafe Self.advance(&input, count)
      return unsafe bytes
    }
    let missing = min(count &- held.count, input.count)
    unsafe held.append(UnsafeRawBufferPointer(rebasing: input[..<missing]))
    unsafe Self.advance(&input, missing)
    return unsafe held.count == count ? held.bytes : nil
  }

  @inline(__always)
  static func advance(_ input: inout UnsafeRawBufferPointer, _ count: Int) {
    unsafe input = UnsafeRawBufferPointer(rebasing: input[count...])
  }

  /// Removes as much of the current part as has arrived, and returns the number of bytes.
  private mutating func skip(_ input: inout UnsafeRawBufferPointer) -> Int {
    let count = min(left, input.count)
    left &-= count
    unsafe Self.advance(&input, count)
    return count
  }

  private mutating func endSkipped() {
    phase = .head
    guard let last = goAwayLastStreamID else { return }
    goAwayLastStreamID = nil
    receiveGoAway(last)
  }

  /// Determines how the payload of a frame is read, from the frame's header.
  private mutating func beginFrame() {
    hasFrames = true
    left = head.length
    padding = 0
    charge(.frame(type: head.type, flags: head.flags, length: head.length))
    guard failure == nil else { return }
    if unsafe block.awaitsContinuation { return beginContinuation() }
    guard !isDone else { return phase = .skip }
    let type = HTTP2FrameType(rawValue: head.type)
    if awaitsSettings {
      guard type == .settings, !head.isAcknowledgment else {
        return fail(HTTP2ErrorCode.protocolError, "SETTINGS expected")
      }
      awaitsSettings = false
    }
    guard left <= frameBytesMax else {
      return fail(HTTP2ErrorCode.frameSizeError, "frame larger than SETTINGS_MAX_FRAME_SIZE")
    }
    switch type {
    case .data: beginData()
    case .headers: beginHeaders()
    case .priority: beginControl(5)
    case .resetStream, .windowUpdate: beginControl(4)
    case .settings: beginSettings()
    case .pushPromise:
      let hasRoom = head.isPadded || left >= 4
      fail(
        hasRoom ? HTTP2ErrorCode.protocolError : HTTP2ErrorCode.frameSizeError,
        "PUSH_PROMISE from a client")
    case .ping: beginControl(8)
    case .goAway:
      guard left >= 8 else { return failFrameSize() }
      left = 8
      phase = .control
    case .continuation: fail(HTTP2ErrorCode.protocolError, "CONTINUATION without HEADERS")
    case nil: phase = .skip
    }
  }

  private mutating func beginControl(_ length: Int) {
    guard left == length else { return failFrameSize() }
    phase = .control
  }

  mutating func failFrameSize() {
    fail(HTTP2ErrorCode.frameSizeError, "frame of a wrong size for its type")
  }
}
