import Glibc

/// The outgoing body and the state of a stream, which nghttp2 stores as the stream's user data.
@unsafe struct StreamRecord {
  var next: UnsafeMutablePointer<StreamRecord>?
  var previous: UnsafeMutablePointer<StreamRecord>?
  /// The body, if it doesn't fit into the memory that follows this record.
  var large: UnsafeMutableRawPointer?
  var count: Int32
  var sent: Int32
  /// True once a server has responded, or once a client has its complete response.
  var isDone: Bool
  /// True if the request's method is HEAD; a response to it has no content (RFC 9110 9.3.2).
  var isHead: Bool
}

/// The records of a session's streams, which are reused so that a response requires no allocation in this module.
@safe struct BodyStore: ~Copyable {
  private var free: UnsafeMutablePointer<StreamRecord>?
  /// The records of open streams.
  ///
  /// The store tracks them because nghttp2 closes a session's streams without a callback when the session is freed.
  private var used: UnsafeMutablePointer<StreamRecord>?
  private var freeCount = 0
  private var usedCount = 0
  /// The total size, in bytes, of the bodies that have their own memory.
  private var largeBytes = 0
  private static let stride = unsafe MemoryLayout<StreamRecord>.stride

  init() {
    unsafe free = nil
    unsafe used = nil
  }

  deinit {
    unsafe Self.free(free)
    unsafe Self.free(used)
  }

  private static func free(_ list: UnsafeMutablePointer<StreamRecord>?) {
    var record = unsafe list
    while let current = unsafe record {
      unsafe record = current.pointee.next
      if let large = unsafe current.pointee.large { unsafe Glibc.free(large) }
      unsafe Glibc.free(current)
    }
  }

  /// True if a body that has its own memory hasn't been fully sent yet.
  var hasLarge: Bool { largeBytes > 0 }

  mutating func acquire() -> UnsafeMutablePointer<StreamRecord> {
    let record: UnsafeMutablePointer<StreamRecord>
    if let reused = unsafe free {
      unsafe free = reused.pointee.next
      freeCount -= 1
      unsafe record = reused
    } else {
      guard let fresh = unsafe malloc(Self.stride + Limits.smallBodyBytes) else {
        preconditionFailure("no memory for a stream")
      }
      unsafe record = fresh.bindMemory(to: StreamRecord.self, capacity: 1)
    }
    unsafe record.initialize(
      to: StreamRecord(
        next: used, previous: nil, large: nil, count: 0, sent: 0, isDone: false, isHead: false))
    unsafe used?.pointee.previous = record
    unsafe used = record
    usedCount += 1
    assert(freeCount >= 0, "the number of free records is not negative")
    return unsafe record
  }

  /// Copies `body` into the record, or returns false if the body is too large or if too many large bodies are waiting.
  mutating func setBody(
    _ record: UnsafeMutablePointer<StreamRecord>, _ body: UnsafeRawBufferPointer
  ) -> Bool {
    assert(
      unsafe record.pointee.count == 0 && record.pointee.large == nil, "a stream has only one body")
    guard body.count <= Int(Int32.max) else { return false }
    if body.count > Limits.smallBodyBytes {
      guard largeBytes == 0 || largeBytes + body.count <= Limits.sessionBodyBytes,
        let large = unsafe malloc(body.count)
      else { return false }
      unsafe record.pointee.large = large
      largeBytes += body.count
    }
    if let source = body.baseAddress { unsafe memcpy(Self.start(record), source, body.count) }
    unsafe record.pointee.count = Int32(body.count)
    return true
  }

  /// Copies as much of the remaining body as fits into the buffer.
  ///
  /// `isLast` is true for the last piece.
  static func read(
    _ record: UnsafeMutablePointer<StreamRecord>, into target: UnsafeMutableRawBufferPointer
  ) -> (count: Int, isLast: Bool) {
    let rest = Int(unsafe record.pointee.count &- record.pointee.sent)
    assert(rest >= 0, "no more is sent than the body contains")
    let count = min(rest, target.count)
    if let base = target.baseAddress {
      unsafe memcpy(base, start(record) + Int(record.pointee.sent), count)
    }
    unsafe record.pointee.sent &+= Int32(count)
    return (count, count == rest)
  }

  /// Returns the part of the body that hasn't been sent.
  static func rest(_ record: UnsafeMutablePointer<StreamRecord>) -> UnsafeRawBufferPointer {
    let (count, sent) = unsafe (Int(record.pointee.count), Int(record.pointee.sent))
    return unsafe UnsafeRawBufferPointer(start: start(record) + sent, count: count &- sent)
  }

  mutating func release(_ record: UnsafeMutablePointer<StreamRecord>) {
    if let large = unsafe record.pointee.large {
      unsafe Glibc.free(large)
      largeBytes -= Int(unsafe record.pointee.count)
    }
    usedCount -= 1
    assert(usedCount >= 0 && largeBytes >= 0, "a record is released only once")
    let (next, previous) = unsafe (record.pointee.next, record.pointee.previous)
    unsafe next?.pointee.previous = previous
    if let previous = unsafe previous {
      unsafe previous.pointee.next = next
    } else {
      unsafe used = next
    }
    guard freeCount < Limits.smallBodiesKept else {
      unsafe Glibc.free(record)
      return
    }
    unsafe record.pointee.large = nil
    unsafe record.pointee.next = unsafe free
    unsafe free = record
    freeCount += 1
  }

  /// Traps in debug builds if the lists and their counts are inconsistent.
  func checkInvariants() {
    assert(unsafe Self.count(free) == freeCount, "the count of free records is correct")
    assert(unsafe Self.count(used) == usedCount, "the count of records in use is correct")
    assert(freeCount <= Limits.smallBodiesKept, "the number of free records is within its limit")
    assert(usedCount > 0 || largeBytes == 0, "large bodies belong to records in use")
  }

  private static func count(_ list: UnsafeMutablePointer<StreamRecord>?) -> Int {
    var count = 0
    var record = unsafe list
    while let current = unsafe record {
      count += 1
      unsafe record = current.pointee.next
    }
    return count
  }

  private static func start(
    _ record: UnsafeMutablePointer<StreamRecord>
  ) -> UnsafeMutableRawPointer {
    unsafe record.pointee.large ?? UnsafeMutableRawPointer(record) + stride
  }
}
