/// A frame of a WebSocket client, which can violate the protocol.
struct ClientFrame {
  var opcode: UInt8
  var payload: [UInt8]
  var isFinal = true
  var mask: [UInt8]? = [0x37, 0xFA, 0x21, 0x3D]
  /// The bits that only an extension can set.
  var extensionBits: UInt8 = 0
  /// The number of bytes in which the length is written: 1, 2 or 8; nil for the shortest form.
  var lengthBytes: Int?
  /// The length in the head, if it is not the payload's.
  var announcedBytes: UInt64?

  static func text(_ text: String) -> ClientFrame {
    ClientFrame(opcode: 0x1, payload: utf8(text))
  }

  static func ping(_ payload: [UInt8] = []) -> ClientFrame {
    ClientFrame(opcode: 0x9, payload: payload)
  }

  static func close(_ code: UInt16, _ reason: String = "") -> ClientFrame {
    ClientFrame(opcode: 0x8, payload: [UInt8(code >> 8), UInt8(code & 0xFF)] + utf8(reason))
  }

  var bytes: [UInt8] {
    let length = announcedBytes ?? UInt64(payload.count)
    let form = lengthBytes ?? (length < 126 ? 1 : length < 0x1_0000 ? 2 : 8)
    var bytes = [(isFinal ? 0x80 : 0) | extensionBits | opcode]
    let maskBit: UInt8 = mask == nil ? 0 : 0x80
    switch form {
    case 1: bytes.append(maskBit | UInt8(truncatingIfNeeded: length))
    case 2: bytes.append(maskBit | 126)
    default: bytes.append(maskBit | 127)
    }
    if form > 1 {
      for shift in stride(from: 8 * (form - 1), through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: length >> UInt64(shift)))
      }
    }
    guard let mask else { return bytes + payload }
    bytes += mask
    for (index, byte) in payload.enumerated() { bytes.append(byte ^ mask[index % 4]) }
    return bytes
  }
}

/// The frames that a server sent.
struct ServerFrame: Equatable {
  let opcode: UInt8
  let payload: [UInt8]

  var text: String { String(decoding: payload, as: UTF8.self) }

  /// Parses whole frames; stops at bytes that are not a frame.
  static func all(in bytes: [UInt8]) -> [ServerFrame] {
    var frames: [ServerFrame] = []
    var rest = bytes[...]
    while rest.count >= 2 {
      let first = rest.removeFirst()
      let second = rest.removeFirst()
      let lengthBytes = second == 126 ? 2 : second == 127 ? 8 : 0
      guard first & 0xF0 == 0x80, second < 128, rest.count >= lengthBytes else { break }
      var length = Int(second)
      if lengthBytes > 0 { length = rest.prefix(lengthBytes).reduce(0) { $0 << 8 | Int($1) } }
      rest = rest.dropFirst(lengthBytes)
      guard rest.count >= length else { break }
      frames.append(ServerFrame(opcode: first & 0x0F, payload: Array(rest.prefix(length))))
      rest = rest.dropFirst(length)
    }
    return frames
  }
}
