/// A reader that returns the fields of a frame in order.
///
/// The reader never reads past the end of the frame, regardless of the lengths in the frame: each read is checked
/// against the remaining bytes. No other code of the device link reads through a pointer.
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

  /// Reads the next big-endian integer.
  mutating func integer<Value: FixedWidthInteger>(
    _: Value.Type = Value.self
  ) throws(LinkFault) -> Value {
    let size = MemoryLayout<Value>.size
    guard remaining >= size else { throw fault(.truncated) }
    assert(offset >= 0, "the reader's offset is not negative")
    let value = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: Value.self)
    offset += size
    return Value(bigEndian: value)
  }

  /// Copies the next `count` bytes.
  mutating func bytes(_ count: Int) throws(LinkFault) -> [UInt8] {
    assert(count >= 0, "the number of bytes is not negative")
    guard remaining >= count else { throw fault(.truncated) }
    let copy = unsafe [UInt8](bytes[offset..<offset + count])
    offset += count
    return copy
  }

  /// Reads bytes that are preceded by their length in one byte.
  ///
  /// The length must be in `range`.
  mutating func shortBytes(_ range: ClosedRange<Int>) throws(LinkFault) -> [UInt8] {
    let count = Int(try integer(UInt8.self))
    guard range.contains(count) else { throw fault(.badValue) }
    return try bytes(count)
  }

  /// Reads text that is preceded by its length in one byte.
  ///
  /// The text must be UTF-8 without control characters.
  mutating func shortText(_ range: ClosedRange<Int>) throws(LinkFault) -> String {
    let bytes = try shortBytes(range)
    guard let text = String(validating: bytes, as: UTF8.self),
      !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F })
    else { throw fault(.badValue) }
    return text
  }

  /// Reads a 128-bit identifier.
  mutating func identity() throws(LinkFault) -> NotificationID {
    NotificationID(high: try integer(), low: try integer())
  }

  /// Copies the remaining bytes.
  mutating func rest() throws(LinkFault) -> [UInt8] { try bytes(remaining) }

  /// Throws if bytes follow the last field.
  func finish() throws(LinkFault) {
    guard remaining == 0 else { throw fault(.trailingBytes) }
  }
}
