import Glibc

/// A session's frames that the owner hasn't written yet, in one contiguous block.
@safe struct SessionOutput: ~Copyable {
  /// The memory block, owned by this value.
  private var block: UnsafeMutablePointer<UInt8>?
  private var capacity = 0
  private(set) var count = 0

  init() { unsafe block = nil }

  deinit { unsafe free(block) }

  var bytes: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: block, count: count)
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return }
    unsafe memcpy(reserve(bytes.count), source, bytes.count)
    advance(bytes.count)
  }

  /// Returns memory for `bytes` more bytes, which belong to the output after `advance`.
  @inline(__always)
  mutating func reserve(_ bytes: Int) -> UnsafeMutablePointer<UInt8> {
    if capacity &- count < bytes { grow(bytes) }
    guard let block = unsafe block else {
      preconditionFailure("the output buffer has no memory")
    }
    return unsafe block + count
  }

  /// Adds the next `bytes` bytes of reserved memory, which the caller has written.
  @inline(__always)
  mutating func advance(_ bytes: Int) {
    count &+= bytes
    assert(count <= capacity, "the output fits in the buffer")
  }

  private mutating func grow(_ bytes: Int) {
    var wanted = max(capacity, 2_048)
    while wanted - count < bytes { wanted *= 2 }
    guard let grown = unsafe realloc(block, wanted) else {
      preconditionFailure("no memory for \(wanted) bytes of output")
    }
    unsafe block = grown.assumingMemoryBound(to: UInt8.self)
    capacity = wanted
  }

  mutating func append(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { unsafe append($0) }
  }

  /// Empties the buffer, and frees memory that exceeds the capacity to retain.
  mutating func clear() {
    count = 0
    guard capacity > Limits.sessionBufferKept else { return }
    unsafe free(block)
    unsafe block = nil
    capacity = 0
  }

  /// Overwrites the setting `identifier` of the SETTINGS frame at `offset` with `value`.
  mutating func rewriteSetting(_ identifier: UInt16, to value: UInt32, frameAt offset: Int) {
    guard let block = unsafe block else { return }
    assert(offset >= 0 && offset + HTTP2Frame.headerBytes <= count, "the frame is in the output")
    var entry = offset + HTTP2Frame.headerBytes
    while entry + 6 <= count {
      let found = unsafe UInt16(block[entry]) << 8 | UInt16(block[entry + 1])
      if found == identifier {
        for index in 0..<4 {
          unsafe block[entry + 2 + index] = UInt8(
            truncatingIfNeeded: value >> UInt32(24 - 8 * index))
        }
      }
      entry += 6
    }
  }
}

/// The frames that must be written without nghttp2 after a session has failed.
enum HTTP2Frame {
  static let headerBytes = 9

  /// Returns a GOAWAY frame (RFC 9113 section 6.8).
  static func goAway(lastStreamID: Int32, errorCode: UInt32, debugData: [UInt8] = []) -> [UInt8] {
    let length = 8 + debugData.count
    assert(length <= 16_384, "the frame is within the size that every peer accepts")
    var frame: [UInt8] = [
      UInt8(truncatingIfNeeded: length >> 16), UInt8(truncatingIfNeeded: length >> 8),
      UInt8(truncatingIfNeeded: length), HTTP2FrameType.goAway.rawValue, 0, 0, 0, 0, 0,
    ]
    for word in [UInt32(bitPattern: lastStreamID) & 0x7fff_ffff, errorCode] {
      for shift: UInt32 in [24, 16, 8, 0] { frame.append(UInt8(truncatingIfNeeded: word >> shift)) }
    }
    return frame + debugData
  }
}
