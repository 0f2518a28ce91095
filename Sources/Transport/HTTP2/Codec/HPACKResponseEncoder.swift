import Glibc

/// An encoder of responses that never adds to the peer's dynamic table.
///
/// A response's fields contain an ID that never occurs again. In the dynamic table, these IDs would replace useful
/// entries, and a table must be searched for each response.
struct HPACKResponseEncoder {
  /// True if the next block must announce a table of zero bytes, because the peer lowered its limit.
  private var announcesSize = false
  private var hasAnnounced = false

  /// Handles the peer's SETTINGS_HEADER_TABLE_SIZE.
  ///
  /// An encoder must acknowledge a limit below the table's size in its next block (RFC 7541 section 4.2). An empty table
  /// satisfies all later limits.
  mutating func limitTable(_ bytes: UInt32) {
    guard bytes < HPACKFieldDecoder.initialTableBytes, !hasAnnounced else { return }
    announcesSize = true
    hasAnnounced = true
  }

  /// Returns the maximum number of bytes that `encode` writes.
  static func capacity(_ fields: UnsafeBufferPointer<HTTP2FieldView>) -> Int {
    var bytes = 6
    for index in 0..<fields.count {
      let field = unsafe fields[index]
      bytes &+= 1 &+ 2 &* HPACKInteger.bytesMax
      unsafe bytes &+= field.name.count &+ field.value.count
    }
    return bytes
  }

  /// Writes the field block of a response, and returns the number of bytes written.
  ///
  /// `target` must have room for `capacity(fields)` bytes.
  mutating func encode(
    status: Int, _ fields: UnsafeBufferPointer<HTTP2FieldView>,
    to target: UnsafeMutablePointer<UInt8>
  ) -> Int {
    var count = 0
    if announcesSize {
      announcesSize = false
      unsafe target[0] = 0x20
      count = 1
    }
    unsafe count &+= Self.write(status: status, to: target + count)
    var index = 0
    while index < fields.count {
      let field = unsafe fields[index]
      // A literal field without indexing, with a new name (RFC 7541 section 6.2.2).
      unsafe target[count] = 0
      count &+= 1
      unsafe count &+= Self.write(field.name, to: target + count)
      unsafe count &+= Self.write(field.value, to: target + count)
      index &+= 1
    }
    return count
  }

  private static func write(status: Int, to target: UnsafeMutablePointer<UInt8>) -> Int {
    let index: UInt8 =
      switch status {
      case 200: 8
      case 204: 9
      case 206: 10
      case 304: 11
      case 400: 12
      case 404: 13
      case 500: 14
      default: 0
      }
    guard index == 0 else {
      unsafe target[0] = 0x80 | index
      return 1
    }
    let code = min(max(status, 100), 599)
    unsafe target[0] = 8
    unsafe target[1] = 3
    unsafe target[2] = UInt8(truncatingIfNeeded: 0x30 + code / 100)
    unsafe target[3] = UInt8(truncatingIfNeeded: 0x30 + code / 10 % 10)
    unsafe target[4] = UInt8(truncatingIfNeeded: 0x30 + code % 10)
    return 5
  }

  private static func write(
    _ text: UnsafeRawBufferPointer, to target: UnsafeMutablePointer<UInt8>
  ) -> Int {
    let prefix = unsafe HPACKInteger.write(text.count, pattern: 0, prefix: 7, to: target)
    if let start = text.baseAddress { unsafe memcpy(target + prefix, start, text.count) }
    return prefix &+ text.count
  }
}
