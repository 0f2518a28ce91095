/// Sees every frame header in a peer's bytes, whatever the codec behind makes of it.
///
/// nghttp2 calls nobody for frames that it ignores: unknown types, DATA of streams that are gone.
struct FrameWalker {
  /// Octets that belong to what was seen before: first the preface, then payloads.
  private var skip: Int
  /// The header's first octets that have come, the first one highest.
  private var header: UInt64 = 0
  private var headerCount = 0

  init(prefaceBytes: Int) { skip = prefaceBytes }

  /// Calls `body` with each frame's type, flags and length; stops when it answers false.
  mutating func walk(
    _ bytes: UnsafeRawBufferPointer, _ body: (UInt8, UInt8, Int) -> Bool
  ) -> Bool {
    var offset = 0
    while offset < bytes.count {
      let skipped = min(skip, bytes.count - offset)
      skip -= skipped
      offset += skipped
      while offset < bytes.count, headerCount < HTTP2Frame.headerBytes {
        let byte = unsafe bytes[offset]
        // Length, type and flags are the first five octets; the stream does not matter here.
        if headerCount < 5 { header = header << 8 | UInt64(byte) }
        headerCount += 1
        offset += 1
      }
      guard headerCount == HTTP2Frame.headerBytes else { return true }
      let length = Int(header >> 16 & 0xff_ffff)
      let type = UInt8(truncatingIfNeeded: header >> 8)
      let flags = UInt8(truncatingIfNeeded: header)
      headerCount = 0
      header = 0
      skip = length
      guard body(type, flags, length) else { return false }
    }
    return true
  }
}
