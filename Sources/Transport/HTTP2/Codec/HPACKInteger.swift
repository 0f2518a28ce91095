/// The integers of HPACK (RFC 7541 section 5.1).
enum HPACKInteger {
  /// The result for an integer whose end hasn't been received.
  static let incomplete = -1
  /// The result for an integer that doesn't fit into 32 bits.
  static let invalid = -2

  /// Reads an integer that begins with the low `prefix` bits of the byte at `offset`, and moves `offset` past it.
  ///
  /// Returns the integer, `incomplete`, or `invalid`.
  @inline(__always)
  static func read(_ bytes: Span<UInt8>, at offset: inout Int, prefix: UInt8) -> Int {
    guard offset < bytes.count else { return incomplete }
    let mask = UInt8(truncatingIfNeeded: 1 << UInt(prefix) &- 1)
    let value = bytes[offset] & mask
    offset &+= 1
    return value < mask ? Int(value) : readRest(bytes, at: &offset, Int(mask))
  }

  private static func readRest(_ bytes: Span<UInt8>, at offset: inout Int, _ start: Int) -> Int {
    var value = start
    var shift = 0
    while offset < bytes.count {
      let byte = bytes[offset]
      offset &+= 1
      // At most 7 bits are shifted by at most 28 bits, so the sum is far from the bounds of 64 bits.
      guard shift < 32 else { return invalid }
      value &+= Int(byte & 0x7f) &<< shift
      guard value <= Int(UInt32.max) else { return invalid }
      if byte & 0x80 == 0 { return value }
      shift &+= 7
    }
    return incomplete
  }

  /// The maximum number of bytes that `write` appends for an integer of up to 32 bits.
  static let bytesMax = 6

  /// Writes an integer with the pattern of its first byte, and returns the number of bytes written.
  static func write(
    _ value: Int, pattern: UInt8, prefix: UInt8, to target: UnsafeMutablePointer<UInt8>
  ) -> Int {
    assert((0...Int(UInt32.max)).contains(value), "the integer has at most 32 bits")
    let mask = 1 << Int(prefix) &- 1
    guard value >= mask else {
      unsafe target[0] = pattern | UInt8(truncatingIfNeeded: value)
      return 1
    }
    unsafe target[0] = pattern | UInt8(truncatingIfNeeded: mask)
    var rest = value &- mask
    var count = 1
    while rest >= 128 {
      unsafe target[count] = UInt8(truncatingIfNeeded: rest) | 0x80
      rest >>= 7
      count &+= 1
    }
    unsafe target[count] = UInt8(truncatingIfNeeded: rest)
    return count &+ 1
  }
}
