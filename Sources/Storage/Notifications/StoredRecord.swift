internal import PushWire

/// The record of a stored notification, as one row of the log.
///
/// All numbers are little-endian. The record begins and ends with its tag, which contains the format's version:
///
/// | Offset | Bytes | Content |
/// | --- | --- | --- |
/// | 0 | 1 | tag |
/// | 1 | 1 | length of the head; a later version can append fields before the checksum |
/// | 2 | 8, 4, 1 | device, app, kind |
/// | 15 | 1 | flags: 1 if the ID is written in lowercase |
/// | 16 | 8 | sequence |
/// | 24 | 16, 16 | ID, unique ID |
/// | 56 | 8, 8 | expiration, acceptance |
/// | 72 | 1, 1 | priority, push type |
/// | 74 | 2 | length of the collapse ID |
/// | length - 4 | 4 | CRC-32C of the head before it |
/// | length | | collapse ID, payload |
/// | last | 1 | tag |
///
/// The table's own checksum covers the whole record. The head's checksum lets a removal verify the notification's key
/// and IDs without reading the payload.
struct StoredRecord {
  /// The first and last byte.
  ///
  /// It differs in all bits from the tag of an `EndRecord`.
  static let tag: UInt8 = 0xA1
  static let headBytes = 80

  let key: NotificationKey
  let sequence: UInt64
  let id: NotificationID
  let uniqueID: NotificationID
  let expiration: Int64
  let acceptedMilliseconds: Int64
  let priority: UInt8
  let pushType: UInt8
  /// The position of the collapse ID in the record.
  let collapseRange: Range<Int>

  /// Appends the record of a notification to `bytes`.
  static func append(_ notification: StoredNotification, to bytes: inout [UInt8]) {
    let start = bytes.count
    let collapseCount = UInt16(clamping: notification.collapseID.count)
    assert(
      Int(collapseCount) == notification.collapseID.count, "a collapse ID has at most 64 bytes")
    let key = notification.key
    bytes.append(contentsOf: repeatElement(0, count: headBytes))
    bytes.write(UInt16(headBytes) << 8 | UInt16(tag), at: start)
    bytes.write(key.device, at: start + 2)
    bytes.write(key.app, at: start + 10)
    bytes.write(UInt16(key.kind) | (notification.id.isLowercase ? 1 << 8 : 0), at: start + 14)
    bytes.write(notification.sequence, at: start + 16)
    bytes.write(notification.id.high, at: start + 24)
    bytes.write(notification.id.low, at: start + 32)
    bytes.write(notification.uniqueID.high, at: start + 40)
    bytes.write(notification.uniqueID.low, at: start + 48)
    bytes.write(notification.expiration, at: start + 56)
    bytes.write(notification.acceptedMilliseconds, at: start + 64)
    bytes.write(UInt16(notification.pushType) << 8 | UInt16(notification.priority), at: start + 72)
    bytes.write(collapseCount, at: start + 74)
    let sum = RecordBytes.read(bytes) { $0.checksum(start..<start + headBytes - 4) }
    bytes.write(sum, at: start + headBytes - 4)
    bytes += notification.collapseID
    bytes += notification.payload
    bytes.append(tag)
  }

  /// Reads the head of a record.
  ///
  /// Returns nil if the bytes are not the record of a notification, or if the head has changed since it was written.
  @inline(__always)
  init?(_ bytes: borrowing RecordBytes) {
    guard bytes.count > Self.headBytes, bytes.byte(0) == Self.tag else { return nil }
    let head = Int(bytes.byte(1))
    guard head >= Self.headBytes, bytes.count > head,
      bytes.checksum(0..<head - 4) == bytes.number(head - 4, as: UInt32.self)
    else { return nil }
    key = NotificationKey(
      device: bytes.number(2, as: UInt64.self), app: bytes.number(10, as: UInt32.self),
      kind: bytes.byte(14))
    sequence = bytes.number(16, as: UInt64.self)
    id = NotificationID(
      high: bytes.number(24, as: UInt64.self), low: bytes.number(32, as: UInt64.self),
      isLowercase: bytes.byte(15) & 1 != 0)
    uniqueID = NotificationID(
      high: bytes.number(40, as: UInt64.self), low: bytes.number(48, as: UInt64.self))
    expiration = bytes.number(56, as: Int64.self)
    acceptedMilliseconds = bytes.number(64, as: Int64.self)
    priority = bytes.byte(72)
    pushType = bytes.byte(73)
    let end = head + Int(bytes.number(74, as: UInt16.self))
    guard end < bytes.count, sequence > 0 else { return nil }
    collapseRange = head..<end
  }

  /// Returns the notification, whose collapse ID and payload are in `bytes`.
  func notification(_ bytes: borrowing RecordBytes) -> StoredNotification {
    StoredNotification(
      key: key, sequence: sequence, id: id, uniqueID: uniqueID, expiration: expiration,
      priority: priority, pushType: pushType, collapseID: bytes.array(collapseRange),
      payload: bytes.array(collapseRange.upperBound..<bytes.count - 1),
      acceptedMilliseconds: acceptedMilliseconds)
  }
}

/// The bytes of a record while its row is the current one of a statement.
///
/// The offsets are checked, because the bytes come from a file.
@safe struct RecordBytes: ~Copyable {
  private let bytes: UnsafeRawBufferPointer

  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = unsafe bytes }

  /// Calls `body` with the bytes of an array.
  @inline(__always)
  static func read<Answer>(_ bytes: [UInt8], _ body: (borrowing RecordBytes) -> Answer) -> Answer {
    unsafe bytes.withUnsafeBytes { body(unsafe RecordBytes($0)) }
  }

  var count: Int { unsafe bytes.count }

  @inline(__always)
  func byte(_ offset: Int) -> UInt8 {
    precondition(offset >= 0 && offset < count, "the offset is within the record")
    return unsafe bytes[offset]
  }

  @inline(__always)
  func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ offset: Int, as type: Number.Type
  ) -> Number {
    precondition(
      offset >= 0 && offset + MemoryLayout<Number>.size <= count, "the number is within the record")
    return Number(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: type))
  }

  @inline(__always)
  func checksum(_ range: Range<Int>) -> UInt32 {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "the range is in the record")
    return unsafe Checksum.crc32c(UnsafeRawBufferPointer(rebasing: bytes[range]))
  }

  func array(_ range: Range<Int>) -> [UInt8] {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "the range is in the record")
    return unsafe [UInt8](UnsafeRawBufferPointer(rebasing: bytes[range]))
  }
}

extension [UInt8] {
  /// Writes a number over existing bytes.
  @inline(__always)
  fileprivate mutating func write<Number: FixedWidthInteger & BitwiseCopyable>(
    _ number: Number, at offset: Int
  ) {
    precondition(
      offset >= 0 && offset + MemoryLayout<Number>.size <= count, "the number is within the array")
    unsafe withUnsafeMutableBytes {
      unsafe $0.storeBytes(of: number.littleEndian, toByteOffset: offset, as: Number.self)
    }
  }

  @inline(__always)
  mutating func appendLittleEndian<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number) {
    let value = number.littleEndian
    unsafe Swift.withUnsafeBytes(of: value) { unsafe append(contentsOf: $0) }
  }
}
