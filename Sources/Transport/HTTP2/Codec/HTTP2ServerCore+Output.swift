import Glibc

extension HTTP2ServerCore {
  // MARK: the owner's calls

  mutating func respond(
    _ id: Int32, status: Int, fields: UnsafeBufferPointer<HTTP2FieldView>,
    body: UnsafeRawBufferPointer?
  ) {
    guard failure == nil, let stream = unsafe streams.find(id),
      unsafe !stream.pointee.flags.contains(.isAnswered)
    else { return }
    unsafe stream.pointee.flags.insert(.isAnswered)
    guard unsafe !stream.pointee.flags.contains(.isClosing) else { return }
    guard let body = unsafe body, body.count > 0, unsafe !stream.pointee.flags.contains(.isHEAD)
    else {
      unsafe writeHeaders(id, status, fields, endsStream: true)
      return unsafe endResponse(stream)
    }
    let window = Int(unsafe min(sendWindow, stream.pointee.sendWindow))
    if body.count <= min(window, Self.initialFrameBytes), sendable.isEmpty {
      unsafe writeHeaders(id, status, fields, endsStream: false)
      unsafe writeData(stream, body, isLast: true)
      return unsafe endResponse(stream)
    }
    let record = unsafe bodies.acquire()
    guard unsafe bodies.setBody(record, body) else {
      unsafe bodies.release(record)
      return unsafe reset(stream, HTTP2ErrorCode.enhanceYourCalm)
    }
    unsafe writeHeaders(id, status, fields, endsStream: false)
    unsafe stream.pointee.body = unsafe record
    unsafe queueIfSendable(stream)
  }

  mutating func allowConcurrentStreams(_ count: UInt32) {
    guard failure == nil else { return }
    flush()
    streamsServed = max(count, settings.servedConcurrentStreams)
    write(settings: [(3, count)])
    inFlight.append(HTTP2SettingsInFlight.Values(streams: streamsServed))
  }

  mutating func setInitialWindow(_ bytes: UInt32) {
    guard failure == nil else { return }
    let window = min(bytes, UInt32(Int32.max))
    write(settings: [(4, window)])
    inFlight.append(HTTP2SettingsInFlight.Values(window: window))
  }

  mutating func goAway(lastStreamID: Int32?, errorCode: UInt32, debugData: [UInt8]) {
    guard failure == nil else { return }
    // Answers that are ready are sent first.
    flush()
    let last = lastStreamID ?? lastServed
    guard last >= 0, last == 0 || last & 1 == 1, debugData.count <= Self.initialFrameBytes - 8
    else { return }
    lastPromised = min(lastPromised, last)
    output.append(
      HTTP2Frame.goAway(
        lastStreamID: lastPromised, errorCode: errorCode, debugData: debugData))
    hasSentGoAway = true
    for id in streams.ids where id > lastPromised {
      guard let stream = unsafe streams.find(id) else { continue }
      unsafe close(stream, HTTP2ErrorCode.refusedStream)
    }
  }

  mutating func reset(_ id: Int32, errorCode: UInt32) {
    guard failure == nil, let stream = unsafe streams.find(id) else { return }
    unsafe reset(stream, errorCode)
  }

  // MARK: frames

  mutating func write(_ head: HTTP2FrameHead, _ payload: UnsafeRawBufferPointer) {
    assert(head.length == payload.count, "the header has the payload's length")
    let target = unsafe output.reserve(HTTP2Frame.headerBytes &+ payload.count)
    unsafe head.write(to: target)
    if let source = payload.baseAddress {
      unsafe memcpy(target + HTTP2Frame.headerBytes, source, payload.count)
    }
    output.advance(HTTP2Frame.headerBytes &+ payload.count)
  }

  private mutating func write(_ head: HTTP2FrameHead, word: UInt32) {
    unsafe withUnsafeBytes(of: word.bigEndian) { unsafe write(head, $0) }
  }

  mutating func writeReset(_ id: Int32, _ code: UInt32) {
    unchargedResets += 1
    write(HTTP2FrameHead(length: 4, .resetStream, streamID: id), word: code)
  }

  mutating func writeWindowUpdate(_ id: Int32, _ increment: Int32) {
    assert(increment > 0, "credit is positive")
    write(HTTP2FrameHead(length: 4, .windowUpdate, streamID: id), word: UInt32(increment))
  }

  mutating func write(settings: [(UInt16, UInt32)]) {
    var payload: [UInt8] = []
    for (identifier, value) in settings {
      payload += [UInt8(identifier >> 8), UInt8(truncatingIfNeeded: identifier)]
      for shift: UInt32 in [24, 16, 8, 0] {
        payload.append(UInt8(truncatingIfNeeded: value >> shift))
      }
    }
    unsafe payload.withUnsafeBytes {
      unsafe write(HTTP2FrameHead(length: $0.count, .settings), $0)
    }
  }

  mutating func writeData(
    _ stream: UnsafeMutablePointer<HTTP2Stream>, _ bytes: UnsafeRawBufferPointer, isLast: Bool
  ) {
    let count = Int32(truncatingIfNeeded: bytes.count)
    assert(unsafe count <= sendWindow && count <= stream.pointee.sendWindow, "the windows allow it")
    sendWindow &-= count
    unsafe stream.pointee.sendWindow &-= count
    unsafe write(
      HTTP2FrameHead(
        length: bytes.count, .data, flags: isLast ? 1 : 0, streamID: stream.pointee.id), bytes)
  }

  /// Writes a response's HEADERS, and CONTINUATION if the fields don't fit in a frame of the size that all peers accept.
  private mutating func writeHeaders(
    _ id: Int32, _ status: Int, _ fields: UnsafeBufferPointer<HTTP2FieldView>, endsStream: Bool
  ) {
    let capacity = unsafe HPACKResponseEncoder.capacity(fields)
    let target = unsafe output.reserve(HTTP2Frame.headerBytes &+ capacity)
    let length = unsafe encoder.encode(
      status: status, fields, to: target + HTTP2Frame.headerBytes)
    assert(length <= capacity, "the fields fit in their memory")
    let endFlag: UInt8 = endsStream ? 1 : 0
    guard length > Self.initialFrameBytes else {
      unsafe HTTP2FrameHead(length: length, .headers, flags: 4 | endFlag, streamID: id)
        .write(to: target)
      return output.advance(HTTP2Frame.headerBytes &+ length)
    }
    let fields = unsafe [UInt8](
      UnsafeRawBufferPointer(start: target + HTTP2Frame.headerBytes, count: length))
    var rest = fields[...]
    var type = HTTP2FrameType.headers
    while !rest.isEmpty {
      let piece = rest.prefix(Self.initialFrameBytes)
      rest = rest.dropFirst(piece.count)
      let flags = (type == .headers ? endFlag : 0) | (rest.isEmpty ? 4 : 0)
      unsafe piece.withUnsafeBytes {
        unsafe write(HTTP2FrameHead(length: $0.count, type, flags: flags, streamID: id), $0)
      }
      type = .continuation
    }
  }
}
