/// The record of the notifications that one commit has ended: replaced, acknowledged, expired, withdrawn, or
/// unregistered.
///
/// The record names positions in the log, so a start applies it without knowing why the notifications ended. Its
/// content is written twice, each copy with its own checksum: a flipped bit damages only one of the copies, so the
/// notifications stay ended. All numbers are little-endian.
///
/// | Offset in a copy | Bytes | Content |
/// | --- | --- | --- |
/// | 0 | 1 | tag, which contains the format's version |
/// | 1 | 1 | 0, for later versions |
/// | 2 | 8 | the highest sequence ever stored |
/// | 10 | | the positions in ascending order, each as the distance from the previous one, 7 bits per byte |
/// | last 4 | 4 | CRC-32C of the copy before it |
///
/// The record ends with the tag, so the length of a copy follows from that of the record.
struct EndRecord: Equatable {
  /// The complement of a `StoredRecord`'s tag.
  static let tag: UInt8 = 0x5E
  private static let headBytes = 10

  var highest: UInt64
  /// The positions of the ended records, in ascending order.
  var positions: [UInt64]

  /// Appends the record to `bytes`.
  func append(to bytes: inout [UInt8]) {
    assert(
      zip(positions, positions.dropFirst()).allSatisfy { $0 < $1 }, "the positions are in order")
    let start = bytes.count
    bytes.append(Self.tag)
    bytes.append(0)
    bytes.appendLittleEndian(highest)
    var last: UInt64 = 0
    for position in positions {
      var distance = position - last
      while distance > 0x7F {
        bytes.append(UInt8(truncatingIfNeeded: distance) | 0x80)
        distance >>= 7
      }
      bytes.append(UInt8(distance))
      last = position
    }
    let sum = RecordBytes.read(bytes) { $0.checksum(start..<$0.count) }
    bytes.appendLittleEndian(sum)
    bytes.append(contentsOf: bytes[start...])
    bytes.append(Self.tag)
  }

  /// Reads a record from its first copy that has not changed since it was written.
  ///
  /// Returns nil if neither copy can be read.
  init?(_ bytes: borrowing RecordBytes) {
    guard bytes.count % 2 == 1, bytes.count / 2 >= Self.headBytes + 4 else { return nil }
    let half = bytes.count / 2
    guard
      let copy = Self.read(bytes, 0..<half) ?? Self.read(bytes, half..<half * 2)
    else { return nil }
    self = copy
  }

  init(highest: UInt64, positions: [UInt64]) {
    self.highest = highest
    self.positions = positions
  }

  private static func read(_ bytes: borrowing RecordBytes, _ range: Range<Int>) -> EndRecord? {
    let end = range.upperBound - 4
    guard bytes.byte(range.lowerBound) == tag,
      bytes.checksum(range.lowerBound..<end) == bytes.number(end, as: UInt32.self)
    else { return nil }
    var record = EndRecord(
      highest: bytes.number(range.lowerBound + 2, as: UInt64.self), positions: [])
    var offset = range.lowerBound + headBytes
    var position: UInt64 = 0
    while offset < end {
      var distance: UInt64 = 0
      var shift: UInt64 = 0
      while offset < end {
        let byte = bytes.byte(offset)
        offset += 1
        distance |= UInt64(byte & 0x7F) << shift
        shift += 7
        if byte & 0x80 == 0 { break }
      }
      position &+= distance
      record.positions.append(position)
    }
    return record
  }
}
