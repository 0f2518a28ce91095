extension HTTP2ServerCore {
  mutating func beginSettings() {
    guard left % 6 == 0, !head.isAcknowledgment || left == 0 else { return failFrameSize() }
    if !head.isAcknowledgment {
      guard hasRoomForAcknowledgment() else { return }
      guard left / 6 <= Limits.settingsEntriesMax else {
        return fail(HTTP2ErrorCode.enhanceYourCalm, "too many settings in one frame")
      }
    }
    phase = .control
  }

  /// Handles a payload, or the first bytes of GOAWAY.
  mutating func handleControl(_ bytes: UnsafeRawBufferPointer) {
    phase = .head
    switch HTTP2FrameType(rawValue: head.type) {
    case .priority: unsafe receivePriority(bytes)
    case .resetStream: unsafe receiveReset(Self.word(bytes, at: 0))
    case .settings: unsafe receiveSettings(bytes)
    case .ping: unsafe receivePing(bytes)
    case .goAway:
      goAwayLastStreamID = unsafe Self.streamID(bytes, at: 0)
      left = head.length &- 8
      phase = .skip
    case .windowUpdate: unsafe receiveWindowUpdate(Self.streamID(bytes, at: 0))
    case .data, .headers, .pushPromise, .continuation, nil:
      assertionFailure("the payloads of these frames are read elsewhere")
    }
  }

  private static func word(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt32 {
    unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self).bigEndian
  }

  /// Checks a priority, which is otherwise ignored (RFC 9113 section 5.3.2).
  ///
  /// It isn't checked if the peer has announced that it uses no such priorities (RFC 9218 section 2.1).
  private mutating func receivePriority(_ bytes: UnsafeRawBufferPointer) {
    guard peerPriorities != 1 else { return }
    guard head.streamID != 0 else {
      return fail(HTTP2ErrorCode.protocolError, "PRIORITY on stream 0")
    }
    guard unsafe Self.streamID(bytes, at: 0) != head.streamID else {
      return fail(HTTP2ErrorCode.protocolError, "stream that depends on itself")
    }
  }

  private mutating func receiveReset(_ code: UInt32) {
    let id = head.streamID
    guard id != 0, !isIdle(id) else {
      return fail(HTTP2ErrorCode.protocolError, "RST_STREAM on a stream that isn't open")
    }
    guard let stream = unsafe streams.find(id) else { return charge(.lateReset) }
    // It is normal for a peer to reset an answered stream (RFC 9113 section 8.1).
    if unsafe !stream.pointee.flags.contains(.isAnswered) {
      charge(.reset)
      guard failure == nil else { return }
    }
    unsafe close(stream, code)
  }

  private mutating func receivePing(_ bytes: UnsafeRawBufferPointer) {
    guard head.streamID == 0 else {
      return fail(HTTP2ErrorCode.protocolError, "PING on a stream")
    }
    guard !head.isAcknowledgment, hasRoomForAcknowledgment() else { return }
    acknowledgments += 1
    unsafe write(HTTP2FrameHead(length: 8, .ping, flags: 1), bytes)
  }

  /// Fails if the peer has requested too many acknowledgments in one block of input.
  private mutating func hasRoomForAcknowledgment() -> Bool {
    guard acknowledgments < Limits.acknowledgmentsMax else {
      fail(HTTP2ErrorCode.enhanceYourCalm, "too many frames that request a response")
      return false
    }
    return true
  }

  mutating func receiveGoAway(_ last: Int32) {
    guard head.streamID == 0 else {
      return fail(HTTP2ErrorCode.protocolError, "GOAWAY on a stream")
    }
    // A server opens no streams, and the last stream must never increase (RFC 9113 section 6.8).
    guard last & 1 == 0, last <= peerLastStreamID else {
      return fail(HTTP2ErrorCode.protocolError, "GOAWAY with a wrong last stream")
    }
    peerLastStreamID = last
    hasReceivedGoAway = true
  }

  private mutating func receiveWindowUpdate(_ increment: Int32) {
    let id = head.streamID
    if id == 0 {
      guard increment > 0 else {
        return fail(HTTP2ErrorCode.protocolError, "WINDOW_UPDATE of zero bytes")
      }
      let (window, overflow) = sendWindow.addingReportingOverflow(increment)
      guard !overflow else {
        return fail(HTTP2ErrorCode.flowControlError, "window of more than 31 bits")
      }
      sendWindow = window
      return
    }
    guard !isIdle(id) else {
      return fail(HTTP2ErrorCode.protocolError, "WINDOW_UPDATE on a stream that isn't open")
    }
    guard let stream = unsafe streams.find(id) else { return }
    guard increment > 0 else {
      return fail(HTTP2ErrorCode.protocolError, "WINDOW_UPDATE of zero bytes")
    }
    unsafe enlarge(stream, by: Int64(increment))
  }

  /// Changes the number of bytes that may be sent on a stream.
  private mutating func enlarge(_ stream: UnsafeMutablePointer<HTTP2Stream>, by bytes: Int64) {
    guard let window = unsafe Int32(exactly: Int64(stream.pointee.sendWindow) + bytes) else {
      return unsafe reset(stream, HTTP2ErrorCode.flowControlError)
    }
    unsafe stream.pointee.sendWindow = window
    unsafe queueIfSendable(stream)
  }

  // MARK: settings

  private mutating func receiveSettings(_ bytes: UnsafeRawBufferPointer) {
    guard head.streamID == 0 else {
      return fail(HTTP2ErrorCode.protocolError, "SETTINGS on a stream")
    }
    guard !head.isAcknowledgment else { return acknowledgeSettings() }
    for offset in stride(from: 0, to: bytes.count, by: 6) {
      let identifier = unsafe Self.identifier(bytes, at: offset)
      // The lowest limit of HPACK's table counts. Of other settings, the last value counts.
      if identifier == 1 { unsafe encoder.limitTable(Self.word(bytes, at: offset + 2)) }
      guard unsafe !Self.contains(identifier, in: bytes, before: offset) else { continue }
      unsafe apply(identifier, Self.lastValue(of: identifier, in: bytes, from: offset))
      guard failure == nil else { return }
    }
    peerPriorities = peerPriorities ?? 0
    acknowledgments += 1
    unsafe write(
      HTTP2FrameHead(length: 0, .settings, flags: 1), UnsafeRawBufferPointer(start: nil, count: 0))
  }

  private static func identifier(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt16 {
    unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self).bigEndian
  }

  private static func contains(
    _ identifier: UInt16, in bytes: UnsafeRawBufferPointer, before end: Int
  ) -> Bool {
    for offset in stride(from: 0, to: end, by: 6)
    where unsafe self.identifier(bytes, at: offset) == identifier {
      return true
    }
    return false
  }

  private static func lastValue(
    of identifier: UInt16, in bytes: UnsafeRawBufferPointer, from start: Int
  ) -> UInt32 {
    var value: UInt32 = 0
    for offset in stride(from: start, to: bytes.count, by: 6)
    where unsafe self.identifier(bytes, at: offset) == identifier {
      value = unsafe word(bytes, at: offset + 2)
    }
    return value
  }

  /// Applies a setting of the peer (RFC 9113 section 6.5.2, RFC 8441 section 3, RFC 9218 section 2.1).
  private mutating func apply(_ identifier: UInt16, _ value: UInt32) {
    switch identifier {
    case 2, 8:
      guard value <= 1 else {
        return fail(HTTP2ErrorCode.protocolError, "setting that must be 0 or 1")
      }
    case 4:
      guard let window = Int32(exactly: value) else {
        return fail(HTTP2ErrorCode.flowControlError, "window of more than 31 bits")
      }
      let change = Int64(window) - Int64(initialSendWindow)
      initialSendWindow = window
      guard change != 0 else { return }
      for id in streams.ids {
        guard let stream = unsafe streams.find(id) else { continue }
        unsafe enlarge(stream, by: change)
      }
    case 5:
      guard (16_384...16_777_215).contains(value) else {
        return fail(HTTP2ErrorCode.protocolError, "wrong SETTINGS_MAX_FRAME_SIZE")
      }
    case 9:
      guard value <= 1, peerPriorities == nil || peerPriorities == value else {
        return fail(HTTP2ErrorCode.protocolError, "wrong SETTINGS_NO_RFC7540_PRIORITIES")
      }
      peerPriorities = value
    default: break
    }
  }

  private mutating func acknowledgeSettings() {
    guard let values = inFlight.acknowledge() else {
      return fail(HTTP2ErrorCode.protocolError, "acknowledgment of SETTINGS that weren't sent")
    }
    if let bytes = values.tableBytes { decoder.limitTable(Int(bytes)) }
    if let streams = values.streams { streamsAcknowledged = streams }
    if let bytes = values.frameBytes { frameBytesMax = Int(bytes) }
    guard let window = values.window else { return }
    receiveWindow = Int32(clamping: window)
    for id in streams.ids {
      guard let stream = unsafe streams.find(id) else { continue }
      unsafe credit(stream)
    }
  }
}
