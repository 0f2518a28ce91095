/// Base64 in both alphabets, padded or not, as used in provider tokens and channel IDs.
public enum Base64 {
  /// Returns the bytes that `text` encodes, or `nil` if `text` is not valid base64.
  ///
  /// Both alphabets are accepted, because some clients send a token's segments in the standard alphabet with padding
  /// (apns-protocol 2.1).
  public static func decode(_ text: Span<UInt8>) -> [UInt8]? {
    var count = text.count
    while count > 0, text.count - count < 2, text[count &- 1] == 0x3D { count &-= 1 }
    guard count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count * 3 / 4)
    var bits: UInt32 = 0
    var held = 0
    for index in 0..<count {
      guard let value = value(text[index]) else { return nil }
      bits = bits << 6 | UInt32(value)
      held += 6
      if held >= 8 {
        held -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
      }
    }
    assert(held < 6, "fewer than 6 bits remain")
    assert(bytes.count == count * 3 / 4, "every 4 digits decode to 3 bytes")
    return bytes
  }

  /// Returns `bytes` in base64: the URL alphabet without padding, or the standard alphabet with padding.
  public static func encode(_ bytes: [UInt8], url: Bool) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var index = 0
    while index < bytes.count {
      let left = bytes.count - index
      let first = UInt32(bytes[index])
      let second = left > 1 ? UInt32(bytes[index + 1]) : 0
      let third = left > 2 ? UInt32(bytes[index + 2]) : 0
      let bits = first << 16 | second << 8 | third
      text.append(digit(bits >> 18, url: url))
      text.append(digit(bits >> 12, url: url))
      if left > 1 { text.append(digit(bits >> 6, url: url)) } else if !url { text.append(0x3D) }
      if left > 2 { text.append(digit(bits, url: url)) } else if !url { text.append(0x3D) }
      index += 3
    }
    assert(url || text.count.isMultiple(of: 4), "padding completes the last group of digits")
    return String(decoding: text, as: UTF8.self)
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x41...0x5A: digit &- 0x41
    case 0x61...0x7A: digit &- 0x47
    case 0x30...0x39: digit &+ 4
    case 0x2B, 0x2D: 62
    case 0x2F, 0x5F: 63
    default: nil
    }
  }

  private static func digit(_ bits: UInt32, url: Bool) -> UInt8 {
    let value = UInt8(bits & 0x3F)
    switch value {
    case 0..<26: return value &+ 0x41
    case 26..<52: return value &+ 0x47
    case 52..<62: return value &- 4
    case 62: return url ? 0x2D : 0x2B
    default: return url ? 0x5F : 0x2F
    }
  }
}
