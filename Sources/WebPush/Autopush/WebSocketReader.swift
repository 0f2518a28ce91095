/// The parser of the frames that a WebSocket client sends (RFC 6455 sections 5 and 8.1).
///
/// The bytes are untrusted and can arrive in any pieces. The work is linear in their number, and the parser keeps at
/// most one message and one control frame. No extension is supported, so no frame is compressed.
public struct WebSocketReader: Sendable {
  /// A message or a control frame that has arrived completely.
  public enum Event: Equatable, Sendable {
    /// A text message, which is valid UTF-8.
    case text([UInt8])
    /// A Ping frame, whose payload the Pong frame must repeat.
    case ping([UInt8])
    /// A Pong frame, the answer to a Ping frame of the server.
    case pong([UInt8])
    /// A Close frame, which is the client's last frame; nil if it does not contain a code.
    case close(WebSocketCloseCode?)
  }

  /// The head of a frame: the two bytes that every frame has, the rest of its length, and the mask.
  private struct Head {
    let opcode: WebSocketFrame.Opcode
    let isFinal: Bool
    let payloadBytes: Int
    let mask: [UInt8]
  }

  private enum State {
    case head
    case payload(Head)
    case ended
  }

  /// The maximum number of bytes in a message.
  private let messageBytesMax: Int
  private var state = State.head
  /// The bytes of an incomplete head.
  private var head: [UInt8] = []
  /// The unmasked payload of the current frame, if it is a control frame.
  private var control: [UInt8] = []
  /// The unmasked payload of the current message.
  private var message: [UInt8] = []
  /// True between the first and the last frame of a message.
  private var isInMessage = false
  /// The number of bytes of the current frame's payload that have arrived.
  private var payloadStart = 0

  /// Creates the parser of a new connection.
  public init(messageBytesMax: Int) {
    precondition(messageBytesMax > 0, "a message can have at least one byte")
    self.messageBytesMax = messageBytesMax
  }

  /// True after a Close frame or a fault, after which no byte is read.
  public var isEnded: Bool {
    if case .ended = state { true } else { false }
  }

  /// True if a part of a frame or of a message has arrived, and the rest of it has not.
  public var hasPartialMessage: Bool {
    switch state {
    case .head: !head.isEmpty || isInMessage
    case .payload: true
    case .ended: false
    }
  }

  /// Returns the next event in `input`, and removes the bytes that were read; returns nil if more bytes are required.
  ///
  /// Throws the violation, which ends the connection.
  public mutating func next(_ input: inout ArraySlice<UInt8>) throws(WebSocketFault) -> Event? {
    do throws(WebSocketFault) {
      let event = try read(&input)
      checkInvariants()
      return event
    } catch {
      end()
      throw error
    }
  }

  /// Ends the reading, and releases the bytes of an incomplete message.
  private mutating func end() {
    state = .ended
    head = []
    control = []
    message = []
  }

  private mutating func read(_ input: inout ArraySlice<UInt8>) throws(WebSocketFault) -> Event? {
    while true {
      switch state {
      case .ended:
        input = []
        return nil
      case .head:
        guard let frame = try readHead(&input) else { return nil }
        state = .payload(frame)
      case .payload(let frame):
        guard readPayload(of: frame, &input) else { return nil }
        state = .head
        if let event = try finish(frame) { return event }
      }
    }
  }

  // MARK: Head

  /// Reads a head byte by byte; returns nil if it is incomplete.
  private mutating func readHead(
    _ input: inout ArraySlice<UInt8>
  ) throws(WebSocketFault) -> Head? {
    while let byte = input.popFirst() {
      head.append(byte)
      // Refuse a frame as soon as its first bytes are wrong, before its payload arrives.
      if head.count == 2 { try checkStart(head[0], head[1]) }
      guard head.count >= 2, head.count == Self.headBytes(head[1]) else { continue }
      let frame = try parsedHead()
      head.removeAll(keepingCapacity: true)
      return frame
    }
    return nil
  }

  /// The number of bytes in a head with this second byte.
  private static func headBytes(_ second: UInt8) -> Int {
    switch second & ~WebSocketFrame.maskBit {
    case 126: 2 + 2 + 4
    case 127: 2 + 8 + 4
    default: 2 + 4
    }
  }

  private func checkStart(_ first: UInt8, _ second: UInt8) throws(WebSocketFault) {
    guard first & WebSocketFrame.extensionBits == 0 else {
      throw WebSocketFault(.protocolError, "a frame uses an extension that was not negotiated")
    }
    guard let opcode = WebSocketFrame.Opcode(rawValue: first & 0x0F) else {
      throw WebSocketFault(.protocolError, "a frame has the unknown opcode \(first & 0x0F)")
    }
    guard second & WebSocketFrame.maskBit != 0 else {
      throw WebSocketFault(.protocolError, "a frame of the client is not masked")
    }
    if opcode.isControl {
      guard first & WebSocketFrame.finalBit != 0 else {
        throw WebSocketFault(.protocolError, "a control frame is fragmented")
      }
      let bytesMax = WebSocketFrame.controlBytesMax
      guard Int(second & ~WebSocketFrame.maskBit) <= bytesMax else {
        throw WebSocketFault(.protocolError, "a control frame has more than \(bytesMax) bytes")
      }
      return
    }
    if opcode == .binary {
      throw WebSocketFault(.unsupportedData, "a message is binary; only text is accepted")
    }
    guard (opcode == .continuation) == isInMessage else {
      throw WebSocketFault(
        .protocolError,
        isInMessage
          ? "a message begins before the previous one has ended"
          : "a frame continues a message that has not begun")
    }
  }

  private func parsedHead() throws(WebSocketFault) -> Head {
    assert(head.count == Self.headBytes(head[1]), "the head is complete")
    let short = head[1] & ~WebSocketFrame.maskBit
    let lengthBytes = head[2..<(head.count - 4)]
    var length = UInt64(short)
    if !lengthBytes.isEmpty {
      length = lengthBytes.reduce(0) { $0 << 8 | UInt64($1) }
      let least: UInt64 = short == 126 ? 126 : 0x1_0000
      guard length >= least, length >> 63 == 0 else {
        throw WebSocketFault(.protocolError, "the length of a frame is not in its shortest form")
      }
    }
    guard let opcode = WebSocketFrame.Opcode(rawValue: head[0] & 0x0F) else {
      throw WebSocketFault(.protocolError, "a frame has the unknown opcode \(head[0] & 0x0F)")
    }
    let room = opcode.isControl ? WebSocketFrame.controlBytesMax : messageBytesMax - message.count
    guard length <= UInt64(room) else {
      throw WebSocketFault(
        .messageTooBig, "a message has more than \(messageBytesMax) bytes")
    }
    return Head(
      opcode: opcode, isFinal: head[0] & WebSocketFrame.finalBit != 0, payloadBytes: Int(length),
      mask: Array(head.suffix(4)))
  }

  // MARK: Payload

  /// Unmasks the bytes that belong to the frame; returns true if the frame is complete.
  private mutating func readPayload(of frame: Head, _ input: inout ArraySlice<UInt8>) -> Bool {
    assert(frame.mask.count == 4, "a mask has four bytes")
    let part = input.prefix(frame.payloadBytes - payloadStart)
    var position = payloadStart
    if frame.opcode.isControl {
      for byte in part {
        control.append(byte ^ frame.mask[position & 3])
        position += 1
      }
    } else {
      for byte in part {
        message.append(byte ^ frame.mask[position & 3])
        position += 1
      }
    }
    input = input.dropFirst(part.count)
    guard position == frame.payloadBytes else {
      payloadStart = position
      return false
    }
    payloadStart = 0
    return true
  }

  /// Handles a complete frame; returns nil if it is not the last frame of a message.
  private mutating func finish(_ frame: Head) throws(WebSocketFault) -> Event? {
    if frame.opcode.isControl {
      let payload = control
      control.removeAll(keepingCapacity: true)
      switch frame.opcode {
      case .ping: return .ping(payload)
      case .pong: return .pong(payload)
      case .close:
        let code = try Self.closeCode(payload)
        end()
        return .close(code)
      case .continuation, .text, .binary:
        assertionFailure("a data frame is not a control frame")
        return nil
      }
    }
    isInMessage = !frame.isFinal
    guard frame.isFinal else { return nil }
    let text = message
    message.removeAll(keepingCapacity: false)
    guard String(validating: text, as: UTF8.self) != nil else {
      throw WebSocketFault(.invalidText, "a text message is not UTF-8")
    }
    return .text(text)
  }

  private static func closeCode(
    _ payload: [UInt8]
  ) throws(WebSocketFault) -> WebSocketCloseCode? {
    guard !payload.isEmpty else { return nil }
    guard payload.count >= 2 else {
      throw WebSocketFault(.protocolError, "the payload of a Close frame has only 1 byte")
    }
    let code = WebSocketCloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
    guard code.isSendable else {
      throw WebSocketFault(
        .protocolError, "a Close frame has the code \(code.rawValue), which must not be sent")
    }
    guard String(validating: payload[2...], as: UTF8.self) != nil else {
      throw WebSocketFault(.invalidText, "the reason in a Close frame is not UTF-8")
    }
    return code
  }

  /// Traps in debug builds if the fields are inconsistent.
  func checkInvariants() {
    assert(message.count <= messageBytesMax, "a message is not longer than the limit")
    assert(control.count <= WebSocketFrame.controlBytesMax, "a control frame is short")
    assert(head.count < 14, "a complete head has been removed")
    assert(isInMessage || message.isEmpty || payloadStart > 0, "a complete message was reported")
  }
}
