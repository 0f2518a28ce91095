/// The frames that a WebSocket server sends (RFC 6455 section 5.2): whole messages, which are neither masked nor
/// compressed.
enum WebSocketFrame {
  /// The kind of a frame.
  enum Opcode: UInt8, CaseIterable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// True if the frame is about the connection; such a frame is short, and can be between the frames of a message.
    var isControl: Bool { rawValue >= 0x8 }
  }

  /// The maximum number of bytes in the payload of a control frame (RFC 6455 section 5.5).
  static let controlBytesMax = 125
  /// The bit of the first byte that marks the last frame of a message.
  static let finalBit: UInt8 = 0x80
  /// The bits of the first byte that only an extension can set.
  static let extensionBits: UInt8 = 0x70
  /// The bit of the second byte that marks a masked payload.
  static let maskBit: UInt8 = 0x80

  /// Appends a frame with the whole message.
  static func append(_ opcode: Opcode, _ payload: [UInt8], to output: inout [UInt8]) {
    assert(
      !opcode.isControl || payload.count <= controlBytesMax,
      "the payload of a control frame is short: \(payload.count) bytes")
    output.append(finalBit | opcode.rawValue)
    switch payload.count {
    case 0...125: output.append(UInt8(payload.count))
    case 126...0xFFFF:
      output.append(126)
      appendNumber(UInt64(payload.count), bytes: 2, to: &output)
    default:
      output.append(127)
      appendNumber(UInt64(payload.count), bytes: 8, to: &output)
    }
    output += payload
  }

  /// Appends a Close frame; a longer text is cut off.
  static func appendClose(_ code: WebSocketCloseCode, _ text: String, to output: inout [UInt8]) {
    assert(code.isSendable, "the code is one that may be sent: \(code.rawValue)")
    var payload: [UInt8] = []
    appendNumber(UInt64(code.rawValue), bytes: 2, to: &payload)
    // Every prefix of ASCII is valid UTF-8, which the peer requires.
    let reason = text.utf8.prefix(controlBytesMax - 2).map { byte in
      (0x20..<0x7F).contains(byte) ? byte : UInt8(ascii: "?")
    }
    append(.close, payload + reason, to: &output)
  }

  private static func appendNumber(_ number: UInt64, bytes: Int, to output: inout [UInt8]) {
    for position in stride(from: bytes - 1, through: 0, by: -1) {
      output.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * position)))
    }
  }
}
