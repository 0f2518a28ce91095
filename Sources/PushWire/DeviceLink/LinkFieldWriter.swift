/// A writer that appends the fields of a frame to a buffer, and sets the frame's length at the end.
struct LinkFieldWriter {
  private let start: Int

  init(_ type: LinkFrameType, to output: inout [UInt8]) {
    start = output.count
    output.append(0)
    output.append(0)
    output.append(type.rawValue)
  }

  @inline(__always)
  func integer<Value: FixedWidthInteger>(_ value: Value, to output: inout [UInt8]) {
    unsafe withUnsafeBytes(of: value.bigEndian) { unsafe output.append(contentsOf: $0) }
  }

  /// Writes the length of `bytes` as a single byte, then the bytes.
  ///
  /// A value of more than 255 bytes would be truncated, but the caller's limits prevent this.
  func shortBytes(_ bytes: [UInt8], to output: inout [UInt8]) {
    let count = min(bytes.count, 255)
    output.append(UInt8(count))
    output.append(contentsOf: bytes.prefix(count))
  }

  func shortText(_ text: String, to output: inout [UInt8]) {
    shortBytes(Array(text.utf8), to: &output)
  }

  func identity(_ id: NotificationID, to output: inout [UInt8]) {
    integer(id.high, to: &output)
    integer(id.low, to: &output)
  }

  /// Sets the frame's length.
  func finish(_ output: inout [UInt8]) {
    let count = output.count - start - LinkLimits.headerBytes
    assert(count >= 0, "the frame still has its header")
    assert(count <= UInt16.max, "the frame's length fits in 16 bits: \(count) bytes")
    output[start] = UInt8(truncatingIfNeeded: count >> 8)
    output[start + 1] = UInt8(truncatingIfNeeded: count)
  }
}
