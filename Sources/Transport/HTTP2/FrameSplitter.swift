/// A splitter that divides a peer's bytes at the ends of frames, regardless of how nghttp2 handles the frames.
///
/// A session passes one frame at a time to nghttp2, so that the session's owner can act on the frame's events before
/// the next frame is read. The splitter also sees the headers of frames for which nghttp2 has no callback: frames of
/// unknown types, and DATA frames of streams that no longer exist.
struct FrameSplitter {
  /// The number of octets until the next header: initially the rest of the preface, and later the rest of a payload.
  private var skip: Int
  /// The octets received so far of an incomplete header; the first octet is the most significant.
  private var header: UInt64 = 0
  private var headerCount = 0

  init(prefaceBytes: Int) {
    assert(prefaceBytes >= 0, "the preface's length is not negative")
    skip = prefaceBytes
  }

  /// Returns the length of the prefix that reaches at most to the end of the first frame.
  ///
  /// Calls `body` with the type, flags, and length of the frame if its header is now complete. Returns nil if `body`
  /// returns false.
  mutating func prefix(
    of bytes: UnsafeRawBufferPointer, _ body: (UInt8, UInt8, Int) -> Bool
  ) -> Int? {
    var offset = min(skip, bytes.count)
    skip -= offset
    // The bytes begin with the rest of an earlier frame, so stop at the end of that frame.
    guard offset == 0 else { return offset }
    while offset < bytes.count, headerCount < HTTP2Frame.headerBytes {
      let byte = unsafe bytes[offset]
      // The length, type, and flags are the first five octets; the stream isn't needed here.
      if headerCount < 5 { header = header << 8 | UInt64(byte) }
      headerCount += 1
      offset += 1
    }
    guard headerCount == HTTP2Frame.headerBytes else { return offset }
    let length = Int(header >> 16 & 0xff_ffff)
    let type = UInt8(truncatingIfNeeded: header >> 8)
    let flags = UInt8(truncatingIfNeeded: header)
    headerCount = 0
    header = 0
    guard body(type, flags, length) else { return nil }
    let part = min(length, bytes.count - offset)
    skip = length - part
    checkInvariants()
    return offset + part
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
