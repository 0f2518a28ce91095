import Glibc

/// Output buffers of a loop's streams: an idle stream holds none.
@safe final class BufferPool {
  /// Blocks that nobody uses, owned by this object.
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

  /// A block of at least `count` bytes and its capacity.
  func take(atLeast count: Int) -> (block: UnsafeMutableRawPointer, capacity: Int) {
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

  /// Gives a block back.
  func give(_ block: UnsafeMutableRawPointer, capacity: Int) {
    if capacity == Limits.smallBufferBytes, unsafe small.count < Limits.smallBuffersKept {
      unsafe small.append(block)
    } else if capacity == Limits.largeBufferBytes, unsafe large.count < Limits.largeBuffersKept {
      unsafe large.append(block)
    } else {
      unsafe free(block)
    }
  }

  private func allocate(_ capacity: Int) -> UnsafeMutableRawPointer {
    guard let block = unsafe malloc(capacity) else {
      preconditionFailure("no memory for \(capacity) bytes of output")
    }
    return unsafe block
  }
}
