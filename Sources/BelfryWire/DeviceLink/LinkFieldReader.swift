/// Reads a frame's fields in order; never past its end, whatever the lengths in it claim.
///
/// The one place of the link that touches a pointer to read: each read is checked against what is left.
@safe struct LinkFieldReader {
  private let bytes: UnsafeRawBufferPointer
  private let frameType: UInt8
  private var offset = 0

  init(_ bytes: UnsafeRawBufferPointer, frameType: UInt8) {
    unsafe self.bytes = bytes
    self.frameType = frameType
  }

  var remaining: Int { unsafe bytes.count - offset }

  func fault(_ reason: LinkCloseReason) -> LinkFault { LinkFault(reason, frameType: frameType) }

  /// The next integer, big-endian.
  mutating func integer<Value: FixedWidthInteger>(
    _: Value.Type = Value.self
  ) throws(LinkFault) -> Value {
    let size = MemoryLayout<Value>.size
    guard remaining >= size else { throw fault(.truncated) }
    assert(offset >= 0, "the reader went back")
    let value = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: Value.self)
    offset += size
    return Value(bigEndian: value)
  }

  /// The next `count` bytes, copied.
  mutating func bytes(_ count: Int) throws(LinkFault) -> [UInt8] {
    assert(count >= 0, "less than nothing is read")
    guard remaining >= count else { throw fault(.truncated) }
    let copy = unsafe [UInt8](bytes[offset..<offset + count])
    offset += count
    return copy
  }

  /// Bytes behind their length in one byte, which has to lie in `range`.
  mutating func shortBytes(_ range: ClosedRange<Int>) throws(LinkFault) -> [UInt8] {
    let count = Int(try integer(UInt8.self))
    guard range.contains(count) else { throw fault(.badValue) }
    return try bytes(count)
  }

  /// Text behind its length in one byte: UTF-8 without control characters.
  mutating func shortText(_ range: ClosedRange<Int>) throws(LinkFault) -> String {
    let bytes = try shortBytes(range)
    guard let text = String(validating: bytes, as: UTF8.self),
      !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F })
    else { throw fault(.badValue) }
    return text
  }

  /// A 128-bit identity.
  mutating func identity() throws(LinkFault) -> NotificationID {
    NotificationID(high: try integer(), low: try integer())
  }

  /// What is left, copied.
  mutating func rest() throws(LinkFault) -> [UInt8] { try bytes(remaining) }

  /// Refuses bytes after the last field.
  func finish() throws(LinkFault) {
    guard remaining == 0 else { throw fault(.trailingBytes) }
  }
}
