extension HTTP2ServerCore {
  mutating func beginHeaders() {
    let prefix = (head.isPadded ? 1 : 0) + (head.hasPriority ? 5 : 0)
    guard left >= prefix else {
      return fail(
        head.isPadded ? HTTP2ErrorCode.protocolError : HTTP2ErrorCode.frameSizeError,
        "HEADERS too short for its flags")
    }
    left = prefix
    phase = .fieldPrefix
  }

  /// Reads the pad length and the priority of HEADERS, and opens the stream.
  mutating func readFieldPrefix(_ input: inout UnsafeRawBufferPointer) -> HTTP2RequestEvent? {
    let prefix = left
    assert(prefix <= 6, "a prefix is a pad length and a priority")
    guard let bytes = unsafe collect(prefix, &input) else { return nil }
    var dependency: Int32 = -1
    if head.isPadded { padding = Int(unsafe bytes[0]) }
    if head.hasPriority {
      dependency = unsafe Self.streamID(bytes, at: prefix &- 5)
    }
    held.clear()
    left = head.length &- prefix
    guard padding <= left else {
      fail(HTTP2ErrorCode.protocolError, "padding longer than HEADERS")
      return nil
    }
    left &-= padding
    phase = .fieldBlock
    unsafe block.streamID = head.streamID
    unsafe block.endsHeaders = head.endsHeaders
    unsafe block.endsStream = head.endsStream
    unsafe block.awaitsContinuation = !head.endsHeaders
    unsafe block.continuations = 0
    unsafe block.listBytes = 0
    unsafe block.use = .ignored
    return unsafe openBlock(dependency: dependency)
  }

  /// Returns the stream ID in the four bytes at `offset`, without the reserved bit.
  static func streamID(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
    let word = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self).bigEndian
    return Int32(truncatingIfNeeded: word & 0x7fff_ffff)
  }

  /// Determines the use of a field block: a new request, trailers, or none.
  private mutating func openBlock(dependency: Int32) -> HTTP2RequestEvent? {
    let id = head.streamID
    if let stream = unsafe streams.find(id) {
      guard unsafe !stream.pointee.flags.contains(.readClosed) else {
        fail(HTTP2ErrorCode.streamClosed, "HEADERS after END_STREAM")
        return nil
      }
      unsafe block.use = unsafe stream.pointee.flags.contains(.isClosing) ? .ignored : .trailers
      return nil
    }
    guard id & 1 == 1 else {
      fail(HTTP2ErrorCode.protocolError, "HEADERS on a stream that a client can't open")
      return nil
    }
    // The stream was closed. The client might not know this yet, so the frame isn't an error.
    guard id > lastReceived else { return nil }
    lastReceived = id
    let count = UInt32(truncatingIfNeeded: streams.count)
    guard count < streamsAcknowledged else {
      fail(HTTP2ErrorCode.protocolError, "more streams than SETTINGS_MAX_CONCURRENT_STREAMS")
      return nil
    }
    guard !hasSentGoAway else { return nil }
    guard dependency != id else {
      fail(HTTP2ErrorCode.protocolError, "stream that depends on itself")
      return nil
    }
    guard count < streamsServed else {
      writeReset(id, HTTP2ErrorCode.refusedStream)
      return nil
    }
    assert(lastServed < id, "a new stream is later than all others")
    lastServed = id
    begunStreams &+= 1
    unsafe streams.insert(HTTP2Stream(id: id, sendWindow: initialSendWindow))
    unsafe block.use = .request
    return unsafe .began(streamID: id)
  }

  mutating func beginContinuation() {
    guard head.type == HTTP2FrameType.continuation.rawValue,
      unsafe head.streamID == block.streamID
    else {
      return fail(HTTP2ErrorCode.protocolError, "frame between HEADERS and CONTINUATION")
    }
    unsafe block.continuations += 1
    guard unsafe block.continuations <= Limits.continuationsMax else {
      return fail(HTTP2ErrorCode.protocolError, "too many CONTINUATION frames")
    }
    guard left <= frameBytesMax else {
      return fail(HTTP2ErrorCode.frameSizeError, "frame larger than SETTINGS_MAX_FRAME_SIZE")
    }
    unsafe block.endsHeaders = head.endsHeaders
    unsafe block.awaitsContinuation = !head.endsHeaders
    phase = .fieldBlock
  }

  /// Prepares the bytes of a field block that have arrived for decoding.
  mutating func readFieldBlock(_ input: inout UnsafeRawBufferPointer) {
    let count = min(left, input.count)
    let bytes = unsafe UnsafeRawBufferPointer(rebasing: input[..<count])
    unsafe Self.advance(&input, count)
    left &-= count
    unsafe block.isFinal = unsafe left == 0 && block.endsHeaders
    unsafe block.isHeld = fragment.count > 0
    if unsafe block.isHeld {
      unsafe fragment.append(bytes)
      unsafe block.bytes = fragment.bytes
    } else {
      unsafe block.bytes = unsafe bytes
    }
    unsafe block.offset = 0
    unsafe block.isDecoding = true
  }

  /// Decodes fields until there is an event.
  @inline(__always)
  mutating func decodeFields() -> HTTP2RequestEvent? {
    var field = unsafe HPACKField()
    while true {
      switch unsafe decoder.next(block.bytes, at: &block.offset, &field) {
      case .field:
        guard unsafe block.use != .ignored else { continue }
        if let event = unsafe accept(field) { return unsafe event }
        guard failure == nil else {
          unsafe block.isDecoding = false
          return nil
        }
      case .end:
        unsafe block.isDecoding = false
        endFragment(rest: 0)
        return nil
      case .incomplete:
        unsafe block.isDecoding = false
        guard unsafe !block.isFinal else {
          failCompression()
          return nil
        }
        endFragment(rest: unsafe block.bytes.count &- block.offset)
        return nil
      case .invalid:
        unsafe block.isDecoding = false
        failCompression()
        return nil
      }
    }
  }

  private mutating func failCompression() {
    fail(HTTP2ErrorCode.compressionError, "field block that violates HPACK")
  }

  /// Holds the last `rest` bytes, which are the beginning of a field, and determines what is read next.
  private mutating func endFragment(rest: Int) {
    assert(unsafe (0...block.bytes.count).contains(rest), "the rest is a part of the fragment")
    if unsafe block.isHeld {
      fragment.removeFirst(fragment.count &- rest)
    } else if rest > 0 {
      unsafe fragment.append(UnsafeRawBufferPointer(rebasing: block.bytes.suffix(rest)))
    }
    guard left == 0 else { return }
    left = padding
    padding = 0
    guard unsafe block.isFinal else { return phase = .skip }
    phase = .fieldPadding
    if left == 0 { endBlock() }
  }

  /// Checks a field, and returns its event unless it belongs to trailers, which are ignored.
  @inline(__always)
  private mutating func accept(_ field: borrowing HPACKField) -> HTTP2RequestEvent? {
    let id = unsafe block.streamID
    guard let stream = unsafe streams.find(id),
      unsafe !stream.pointee.flags.contains(.isClosing)
    else {
      unsafe block.use = .ignored
      return nil
    }
    let isTrailer = unsafe block.use == .trailers
    guard
      unsafe HTTP2RequestRules.accept(field, in: &stream.pointee, isTrailer: isTrailer)
    else {
      unsafe block.use = .ignored
      unsafe reset(stream, HTTP2ErrorCode.protocolError)
      return nil
    }
    unsafe block.listBytes &+=
      field.name.count &+ field.value.count
      &+ Limits.fieldOverheadBytes
    guard unsafe block.listBytes <= Int(settings.maximumHeaderListBytes) else {
      unsafe block.use = .ignored
      unsafe reset(stream, HTTP2ErrorCode.enhanceYourCalm)
      charge(.oversizedHeader)
      return nil
    }
    guard !isTrailer else { return nil }
    return unsafe .field(streamID: id, name: field.name, value: field.value)
  }

  /// Handles the end of a field block.
  mutating func endBlock() {
    phase = .head
    decoder.endBlock()
    fragment.clear()
    let (use, endsStream) = unsafe (block.use, block.endsStream)
    unsafe block.use = .ignored
    guard use != .ignored, let stream = unsafe streams.find(block.streamID),
      unsafe !stream.pointee.flags.contains(.isClosing)
    else { return }
    let isComplete =
      unsafe use == .request ? HTTP2RequestRules.isComplete(&stream.pointee) : endsStream
    guard isComplete else { return unsafe rejectMessage(stream, endsStream: endsStream) }
    if endsStream { unsafe endMessage(stream) }
  }
}
