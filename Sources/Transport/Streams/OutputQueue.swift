import Glibc

/// The bytes that are waiting to be sent, in one contiguous block.
///
/// The queue holds no memory while it is empty.
@safe struct OutputQueue: ~Copyable {
  /// The memory block, which this value owns and returns to the pool when the queue becomes empty.
  private var block: UnsafeMutableRawPointer?
  private var capacity: UInt32 = 0
  private var head: UInt32 = 0
  private var tail: UInt32 = 0

  init() { unsafe block = nil }

  deinit { unsafe free(block) }

  var count: Int { Int(tail &- head) }
  var isEmpty: Bool { tail == head }

  /// The waiting bytes, oldest first.
  ///
  /// The buffer is valid until the next change.
  var bytes: UnsafeRawBufferPointer {
    guard let block = unsafe block else {
      return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return unsafe UnsafeRawBufferPointer(start: block + Int(head), count: count)
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer, pool: BufferPool) {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return }
    makeRoom(bytes.count, pool)
    guard let block = unsafe block else { return }
    unsafe memcpy(block + Int(tail), source, bytes.count)
    tail &+= UInt32(truncatingIfNeeded: bytes.count)
    checkInvariants()
  }

  /// Removes the first `count` bytes.
  mutating func consume(_ count: Int, pool: BufferPool) {
    precondition(count >= 0 && count <= self.count, "no more bytes are consumed than are waiting")
    head &+= UInt32(truncatingIfNeeded: count)
    if head == tail { clear(pool) }
  }

  mutating func clear(_ pool: BufferPool) {
    if let block = unsafe block { unsafe pool.release(block, capacity: Int(capacity)) }
    unsafe block = nil
    capacity = 0
    head = 0
    tail = 0
  }

  /// Traps in debug builds if the fields are inconsistent.
  func checkInvariants() {
    assert(head <= tail && tail <= capacity, "the waiting bytes lie within the block")
    assert(
      unsafe (block == nil) == (capacity == 0),
      "there is a block exactly while the capacity is not 0")
    assert(unsafe block != nil || count == 0, "waiting bytes have a block")
  }

  private mutating func makeRoom(_ more: Int, _ pool: BufferPool) {
    let needed = count + more
    precondition(needed <= Int(UInt32.max), "the size of the output fits in 32 bits")
    guard let old = unsafe block else {
      let fresh = unsafe pool.acquire(atLeast: needed)
      unsafe block = fresh.block
      capacity = UInt32(unsafe fresh.capacity)
      return
    }
    if Int(capacity) - Int(tail) >= more { return }
    let used = count
    if Int(capacity) >= needed {
      unsafe memmove(old, old + Int(head), used)
    } else {
      // Doubling the capacity limits copying to an average of one byte per byte written.
      let fresh = unsafe pool.acquire(atLeast: max(needed, Int(capacity) * 2))
      unsafe memcpy(fresh.block, old + Int(head), used)
      unsafe pool.release(old, capacity: Int(capacity))
      unsafe block = fresh.block
      capacity = UInt32(unsafe fresh.capacity)
    }
    head = 0
    tail = UInt32(used)
  }
}
