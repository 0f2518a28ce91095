/// Hexadecimal text, as used for device tokens in paths and JSON.
public enum Hexadecimal {
  /// Returns the value of a hexadecimal digit of either case, or `nil` for any other byte.
  @inlinable public static func value(_ digit: UInt8) -> UInt8? {
    let value = uncheckedValue(digit)
    return value < 16 ? value : nil
  }

  /// Returns the value of a hexadecimal digit of either case, or a number of at least 16 for any other byte.
  ///
  /// The code has no branches, because the processor cannot predict whether the next digit is a letter.
  @inlinable static func uncheckedValue(_ digit: UInt8) -> UInt8 {
    let decimal = digit &- 0x30
    let letter = (digit | 0x20) &- 0x61
    return decimal < 10 ? decimal : (letter < 6 ? letter &+ 10 : 16)
  }

  /// Returns the lowercase digit for the low four bits.
  @inlinable public static func digit(_ value: UInt8) -> UInt8 {
    let low = value & 0x0F
    return low < 10 ? low &+ 0x30 : low &+ 0x57
  }

  /// Appends the bytes that `text` encodes to `bytes`.
  ///
  /// Returns `false`, and appends nothing, if `text` is not hexadecimal.
  public static func decode(_ text: Span<UInt8>, appendingTo bytes: inout [UInt8]) -> Bool {
    guard text.count.isMultiple(of: 2) else { return false }
    let start = bytes.count
    let count = text.count / 2
    bytes.append(contentsOf: repeatElement(0, count: count))
    guard fill(&bytes, from: start, with: text) else {
      bytes.removeLast(count)
      return false
    }
    return true
  }

  private static func fill(
    _ bytes: inout [UInt8], from start: Int, with text: Span<UInt8>
  ) -> Bool {
    var span = bytes.mutableSpan
    var all: UInt8 = 0
    for index in 0..<(text.count / 2) {
      let high = uncheckedValue(text[2 &* index])
      let low = uncheckedValue(text[2 &* index &+ 1])
      all |= high | low
      span[start &+ index] = high << 4 | low
    }
    return all < 16
  }

  /// Returns the bytes that `text` encodes, or `nil` if `text` is not hexadecimal.
  public static func decode(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    let digits = Array(text.utf8)
    return decode(digits.span, appendingTo: &bytes) ? bytes : nil
  }

  /// Returns `bytes` as lowercase text.
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
