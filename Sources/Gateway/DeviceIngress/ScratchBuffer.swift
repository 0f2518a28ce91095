/// An output buffer that the connections of a home take turns using.
struct ScratchBuffer {
  private var buffer: [UInt8] = []

  init() { buffer.reserveCapacity(16_384) }

  /// Returns an empty buffer with spare capacity; the caller returns the buffer with ``giveBack(_:)``.
  mutating func take() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &buffer)
    assert(taken.isEmpty, "a returned buffer is empty")
    return taken
  }

  /// Keeps the buffer for the next use, unless it is larger than the limit or a larger buffer is already kept.
  mutating func giveBack(_ used: inout [UInt8]) {
    guard used.capacity <= Limits.scratchBytesMax, used.capacity > buffer.capacity else { return }
    used.removeAll(keepingCapacity: true)
    swap(&used, &buffer)
  }
}
