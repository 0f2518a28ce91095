/// A scanner that finds every frame header in a peer's bytes, regardless of how nghttp2 handles the frame.
///
/// nghttp2 has no callback for frames that it ignores: unknown types, and DATA of streams that no longer exist.
struct FrameHeaderScanner {
  /// The number of octets until the next header: initially the rest of the preface, and later the rest of a payload.
  private var skip: Int
  /// The octets received so far of an incomplete header; the first octet is the most significant.
  private var header: UInt64 = 0
  private var headerCount = 0

  init(prefaceBytes: Int) {
    assert(prefaceBytes >= 0, "the preface's length is not negative")
    skip = prefaceBytes
  }

  /// Calls `body` with the type, flags, and length of each frame, and stops if `body` returns false.
  mutating func scan(
    _ bytes: UnsafeRawBufferPointer, _ body: (UInt8, UInt8, Int) -> Bool
  ) -> Bool {
    var offset = 0
    while offset < bytes.count {
      let skipped = min(skip, bytes.count - offset)
      skip -= skipped
      offset += skipped
      while offset < bytes.count, headerCount < HTTP2Frame.headerBytes {
        let byte = unsafe bytes[offset]
        // The length, type, and flags are the first five octets; the stream isn't needed here.
        if headerCount < 5 { header = header << 8 | UInt64(byte) }
        headerCount += 1
        offset += 1
      }
      assert(
        skip == 0 || offset == bytes.count,
        "a header is read only after the previous frame's payload")
      guard headerCount == HTTP2Frame.headerBytes else { return true }
      let length = Int(header >> 16 & 0xff_ffff)
      let type = UInt8(truncatingIfNeeded: header >> 8)
      let flags = UInt8(truncatingIfNeeded: header)
      headerCount = 0
      header = 0
      skip = length
      guard body(type, flags, length) else { return false }
    }
    checkInvariants()
    return true
  }

  /// Traps in debug builds if the fields are inconsistent.
  func checkInvariants() {
    assert((0...0xff_ffff).contains(skip), "a payload's length has 24 bits")
    assert((0..<HTTP2Frame.headerBytes).contains(headerCount), "a complete header was reported")
    assert(headerCount == 0 || skip == 0, "nothing is skipped within a header")
    assert(
      header >> UInt64(8 * min(headerCount, 5)) == 0, "the header contains only the counted bytes")
  }
}
