/// The state of an open stream of a server.
@unsafe struct HTTP2Stream {
  var id: Int32
  /// The number of bytes of DATA that may be sent; negative after the peer reduced its initial window.
  var sendWindow: Int32
  /// The number of bytes of DATA received that haven't been credited with WINDOW_UPDATE yet.
  var received: Int32 = 0
  /// The fields that the request has had; see `HTTP2RequestRules`.
  var seen = HTTP2RequestRules.Seen(rawValue: 0)
  var flags = Flags(rawValue: 0)
  /// The code of the RST_STREAM that this side has sent, if the stream is closing.
  var errorCode: UInt32 = 0
  /// The value of content-length, or -1.
  var contentLength: Int64 = -1
  /// The number of bytes of content received.
  var contentBytes: Int64 = 0
  /// The rest of the response's body, if it waits for the peer's window.
  var body: UnsafeMutablePointer<StreamRecord>?

  init(id: Int32, sendWindow: Int32) {
    unsafe self.id = id
    unsafe self.sendWindow = sendWindow
    unsafe body = nil
  }

  struct Flags: OptionSet {
    let rawValue: UInt8
    /// The peer has sent END_STREAM.
    static let readClosed = Self(rawValue: 1)
    /// This side has sent END_STREAM.
    static let writeClosed = Self(rawValue: 2)
    /// The owner has responded.
    static let isAnswered = Self(rawValue: 4)
    /// This side has sent RST_STREAM; the stream closes at the end of the input.
    static let isClosing = Self(rawValue: 8)
    /// A WINDOW_UPDATE was written, and no other is written before the end of the input.
    static let hasCredited = Self(rawValue: 16)
    /// The stream is in the queue of streams whose bodies can be sent.
    static let isQueued = Self(rawValue: 32)
    /// The request's method is HEAD; a response to it has no content (RFC 9110 section 9.3.2).
    static let isHEAD = Self(rawValue: 64)
    /// The stream's content isn't reported.
    static let ignoresContent = isClosing.union(isAnswered)
    /// The stream's body isn't added to the queue.
    static let isQueuedOrClosing = isQueued.union(isClosing)
  }
}

/// The open streams of a session: a hash table by ID with linear probing.
///
/// A client's IDs are consecutive odd numbers, so collisions are rare.
@safe struct HTTP2StreamTable: ~Copyable {
  private var slots: UnsafeMutablePointer<HTTP2Stream>
  private var mask: Int
  private(set) var count = 0

  /// The number of slots of an empty table.
  private static let capacityMin = 16
  /// The number of slots that an empty table retains; a table of this size takes up 28 KB.
  private static let capacityKept = 512

  init() {
    mask = Self.capacityMin - 1
    unsafe slots = Self.allocate(Self.capacityMin)
  }

  deinit { unsafe slots.deallocate() }

  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<HTTP2Stream> {
    let slots = UnsafeMutablePointer<HTTP2Stream>.allocate(capacity: capacity)
    unsafe slots.initialize(repeating: HTTP2Stream(id: 0, sendWindow: 0), count: capacity)
    return unsafe slots
  }

  @inline(__always)
  private func home(_ id: Int32) -> Int { Int(truncatingIfNeeded: id >> 1) & mask }

  /// Returns the stream with this ID, or nil.
  ///
  /// The pointer is valid until a stream is inserted or removed.
  @inline(__always)
  func find(_ id: Int32) -> UnsafeMutablePointer<HTTP2Stream>? {
    guard id != 0 else { return nil }
    var slot = home(id)
    while true {
      let found = unsafe slots[slot].id
      if found == id { return unsafe slots + slot }
      guard found != 0 else { return nil }
      slot = (slot &+ 1) & mask
    }
  }

  /// Adds a stream, whose ID isn't in the table.
  mutating func insert(_ stream: HTTP2Stream) {
    assert(unsafe stream.id > 0 && find(stream.id) == nil, "the stream is new")
    if 2 &* (count &+ 1) > mask &+ 1 { resize(to: 2 * (mask + 1)) }
    unsafe place(stream)
    count &+= 1
  }

  private func place(_ stream: HTTP2Stream) {
    var slot = unsafe home(stream.id)
    while unsafe slots[slot].id != 0 { slot = (slot &+ 1) & mask }
    unsafe slots[slot] = unsafe stream
  }

  /// Removes a stream, and moves later streams to the slots at which they are looked up.
  mutating func remove(_ stream: UnsafeMutablePointer<HTTP2Stream>) {
    var hole = unsafe stream - slots
    assert((0...mask).contains(hole), "the stream is in the table")
    var slot = hole
    while true {
      slot = (slot &+ 1) & mask
      let id = unsafe slots[slot].id
      guard id != 0 else { break }
      // The stream may move to the hole unless its home is after the hole.
      if (slot &- home(id)) & mask >= (slot &- hole) & mask {
        unsafe slots[hole] = unsafe slots[slot]
        hole = slot
      }
    }
    unsafe slots[hole].id = 0
    count &-= 1
    if count == 0, mask >= Self.capacityKept { resize(to: Self.capacityMin) }
  }

  private mutating func resize(to capacity: Int) {
    let (old, oldCapacity) = unsafe (slots, mask + 1)
    unsafe slots = unsafe Self.allocate(capacity)
    mask = capacity - 1
    for slot in 0..<oldCapacity where unsafe old[slot].id != 0 { unsafe place(old[slot]) }
    unsafe old.deallocate()
  }

  /// The IDs of all streams.
  var ids: [Int32] {
    var ids: [Int32] = []
    unsafe forEach { unsafe ids.append($0.pointee.id) }
    return ids
  }

  /// Calls `body` for each stream, which may change the stream but must not insert or remove streams.
  func forEach(_ body: (UnsafeMutablePointer<HTTP2Stream>) -> Void) {
    for slot in 0...mask where unsafe slots[slot].id != 0 { unsafe body(slots + slot) }
  }

  /// Traps in debug builds if the fields are inconsistent.
  func checkInvariants() {
    var found = 0
    unsafe forEach { stream in
      found += 1
      assert(unsafe find(stream.pointee.id) == stream, "each stream is found by its ID")
    }
    assert(found == count, "the number of streams is correct")
  }
}
