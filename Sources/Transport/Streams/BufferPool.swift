import Glibc

/// A pool of output buffers for the streams on a loop.
///
/// An idle stream holds no buffer.
@safe package final class BufferPool {
  /// The free blocks, owned by this object.
  private var small: [UnsafeMutableRawPointer] = unsafe []
  private var large: [UnsafeMutableRawPointer] = unsafe []

  init() {
    unsafe small.reserveCapacity(Limits.smallBuffersKept)
    unsafe large.reserveCapacity(Limits.largeBuffersKept)
  }

  deinit {
    while let block = unsafe small.popLast() { unsafe free(block) }
    while let block = unsafe large.popLast() { unsafe free(block) }
  }

  /// Returns a block of at least `count` bytes, and its capacity.
  func acquire(atLeast count: Int) -> (block: UnsafeMutableRawPointer, capacity: Int) {
    assert(count > 0, "the requested size is positive")
    if count <= Limits.smallBufferBytes {
      let block = unsafe small.popLast() ?? allocate(Limits.smallBufferBytes)
      return unsafe (block, Limits.smallBufferBytes)
    }
    if count <= Limits.largeBufferBytes {
      let block = unsafe large.popLast() ?? allocate(Limits.largeBufferBytes)
      return unsafe (block, Limits.largeBufferBytes)
    }
    var capacity = Limits.largeBufferBytes
    while capacity < count { capacity *= 2 }
    return unsafe (allocate(capacity), capacity)
  }

  /// Returns a block to the pool; the block and its capacity must come from `acquire`.
  func release(_ block: UnsafeMutableRawPointer, capacity: Int) {
    assert(
      capacity == Limits.smallBufferBytes || capacity >= Limits.largeBufferBytes,
      "the capacity is one that acquire returns")
    if capacity == Limits.smallBufferBytes, unsafe small.count < Limits.smallBuffersKept {
      unsafe small.append(block)
    } else if capacity == Limits.largeBufferBytes, unsafe large.count < Limits.largeBuffersKept {
      unsafe large.append(block)
    } else {
      unsafe free(block)
    }
  }

  /// Traps in debug builds if a list exceeds its limit.
  func checkInvariants() {
    assert(
      unsafe small.count <= Limits.smallBuffersKept,
      "the number of kept small blocks is within its limit")
    assert(
      unsafe large.count <= Limits.largeBuffersKept,
      "the number of kept large blocks is within its limit")
    assert(unsafe Set(small).isDisjoint(with: large), "a block is in only one of the lists")
    assert(
      unsafe Set(small + large).count == small.count + large.count, "a block is released only once")
  }

  private func allocate(_ capacity: Int) -> UnsafeMutableRawPointer {
    guard let block = unsafe malloc(capacity) else {
      preconditionFailure("no memory for \(capacity) bytes of output")
    }
    return unsafe block
  }
}
