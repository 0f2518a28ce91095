/// Hexadecimal text, as device tokens travel in paths and JSON.
public enum Hexadecimal {
  /// The value of a digit of either case; `nil` for another byte.
  @inlinable public static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit &- 0x30
    case 0x61...0x66: digit &- 0x57
    case 0x41...0x46: digit &- 0x37
    default: nil
    }
  }

  /// The lower-case digit of the low four bits.
  @inlinable public static func digit(_ value: UInt8) -> UInt8 {
    let low = value & 0x0F
    return low < 10 ? low &+ 0x30 : low &+ 0x57
  }

  /// Appends the bytes that `text` spells to `bytes`; `false`, with nothing appended, when it spells none.
  public static func decode(_ text: Span<UInt8>, appendingTo bytes: inout [UInt8]) -> Bool {
    guard text.count.isMultiple(of: 2) else { return false }
    let start = bytes.count
    var index = 0
    while index < text.count {
      guard let high = value(text[index]), let low = value(text[index &+ 1]) else {
        bytes.removeLast(bytes.count - start)
        return false
      }
      bytes.append(high << 4 | low)
      index &+= 2
    }
    return true
  }

  /// The bytes that `text` spells; `nil` when it spells none.
  public static func decode(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    let digits = Array(text.utf8)
    return decode(digits.span, appendingTo: &bytes) ? bytes : nil
  }

  /// Lower-case text of `bytes`.
  public static func encode(_ bytes: [UInt8]) -> String {
    var digits: [UInt8] = []
    digits.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      digits.append(digit(byte >> 4))
      digits.append(digit(byte))
    }
    return String(decoding: digits, as: UTF8.self)
  }
}
