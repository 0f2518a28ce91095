/// Buffers that the connections of a loop share.
struct LoopBuffers {
  private var spareStreams: [ProviderStream] = []
  private var scratch: [UInt8] = []

  init() { scratch.reserveCapacity(16_384) }

  /// Returns a stream object for a request, reusing an existing one if possible.
  mutating func makeStream() -> ProviderStream { spareStreams.popLast() ?? ProviderStream() }

  mutating func recycle(_ stream: ProviderStream) {
    guard spareStreams.count < Limits.spareStreamsMax else { return }
    spareStreams.append(stream)
  }

  /// Returns an empty buffer with capacity; return it with ``returnScratch(_:)``.
  mutating func takeScratch() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &scratch)
    assert(taken.isEmpty, "a returned scratch buffer is empty")
    return taken
  }

  mutating func returnScratch(_ buffer: inout [UInt8]) {
    guard buffer.capacity <= Limits.scratchBytesMax, buffer.capacity > scratch.capacity else {
      return
    }
    buffer.removeAll(keepingCapacity: true)
    swap(&buffer, &scratch)
  }
}
