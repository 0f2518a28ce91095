/// The header of a frame (RFC 9113 section 4.1).
struct HTTP2FrameHead {
  var length = 0
  var type: UInt8 = 0
  var flags: UInt8 = 0
  var streamID: Int32 = 0

  var endsStream: Bool { flags & 1 != 0 }
  var isAcknowledgment: Bool { flags & 1 != 0 }
  var endsHeaders: Bool { flags & 4 != 0 }
  var isPadded: Bool { flags & 8 != 0 }
  var hasPriority: Bool { flags & 32 != 0 }

  init() {}

  /// Reads a header from 9 bytes.
  init(_ bytes: UnsafeRawBufferPointer) {
    let first = unsafe bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self).bigEndian
    length = Int(first >> 40)
    type = UInt8(truncatingIfNeeded: first >> 32)
    flags = UInt8(truncatingIfNeeded: first >> 24)
    let high = UInt32(truncatingIfNeeded: first) << 8
    streamID = Int32(truncatingIfNeeded: (high | UInt32(unsafe bytes[8])) & 0x7fff_ffff)
  }

  init(length: Int, _ type: HTTP2FrameType, flags: UInt8 = 0, streamID: Int32 = 0) {
    self.length = length
    self.type = type.rawValue
    self.flags = flags
    self.streamID = streamID
  }

  /// Writes the 9 bytes of the header.
  func write(to target: UnsafeMutablePointer<UInt8>) {
    assert(length >= 0 && length <= 0xff_ffff, "a frame's length has 24 bits")
    let id = UInt32(bitPattern: streamID)
    let first =
      UInt64(truncatingIfNeeded: length) << 40 | UInt64(type) << 32 | UInt64(flags) << 24
      | UInt64(id >> 8)
    let raw = UnsafeMutableRawPointer(target)
    unsafe raw.storeBytes(of: first.bigEndian, as: UInt64.self)
    unsafe raw.storeBytes(of: UInt8(truncatingIfNeeded: id), toByteOffset: 8, as: UInt8.self)
  }
}

/// Bytes that a session holds because a part of a frame, or of a field, is incomplete.
@safe struct HTTP2HeldBytes: ~Copyable {
  private var block: UnsafeMutablePointer<UInt8>?
  private var capacity = 0
  private(set) var count = 0

  init() { unsafe block = nil }

  deinit { unsafe block?.deallocate() }

  var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: block, count: count) }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return }
    if capacity &- count < bytes.count {
      var wanted = max(capacity, 256)
      while wanted - count < bytes.count { wanted *= 2 }
      let grown = UnsafeMutablePointer<UInt8>.allocate(capacity: wanted)
      if let block = unsafe block {
        unsafe grown.update(from: block, count: count)
        unsafe block.deallocate()
      }
      unsafe block = grown
      capacity = wanted
    }
    guard let block = unsafe block else { return }
    unsafe UnsafeMutableRawPointer(block + count).copyMemory(
      from: source, byteCount: bytes.count)
    count &+= bytes.count
    assert(count <= capacity, "the held bytes fit in their memory")
  }

  /// Removes the first `prefix` bytes.
  mutating func removeFirst(_ prefix: Int) {
    assert(prefix >= 0 && prefix <= count, "only held bytes are removed")
    guard prefix > 0, let block = unsafe block else { return }
    count &-= prefix
    unsafe UnsafeMutableRawPointer(block).copyMemory(from: block + prefix, byteCount: count)
  }

  /// Removes all bytes, and frees memory that exceeds the capacity to retain.
  mutating func clear() {
    count = 0
    guard capacity > Limits.heldBytesKept else { return }
    unsafe block?.deallocate()
    unsafe block = nil
    capacity = 0
  }
}
