import COpenSSL
import Glibc
package import System

/// The buffers and contexts that all streams of one loop share, so that idle streams hold neither.
@safe package final class StreamLoop {
  unowned let loop: EventLoop
  package let pool = BufferPool()
  let ciphers = TLS13Ciphers()
  let handshakes: HandshakeQueue
  /// The buffer for read(2), owned by this object.
  ///
  /// Its content is valid within one event.
  let input: UnsafeMutableRawBufferPointer
  /// The buffer for the plaintext of one read, owned by this object.
  ///
  /// Its content is valid within one event.
  package let plaintext: UnsafeMutableRawBufferPointer
  /// The memory that OpenSSL reads and writes as its BIO, owned by this object.
  ///
  /// Its content is valid within one call.
  let exchange: UnsafeMutablePointer<belfry_tls_exchange>

  private init(_ loop: EventLoop) {
    self.loop = loop
    handshakes = HandshakeQueue(loop)
    unsafe input = .allocate(byteCount: Limits.readBytes, alignment: 64)
    unsafe plaintext = .allocate(byteCount: Limits.plaintextBytes, alignment: 64)
    unsafe exchange = .allocate(capacity: 1)
    unsafe exchange.initialize(to: belfry_tls_exchange())
  }

  deinit {
    unsafe free(exchange.pointee.output)
    unsafe exchange.deallocate()
    unsafe input.deallocate()
    unsafe plaintext.deallocate()
  }

  package static func of(_ loop: EventLoop) -> StreamLoop {
    loop.shared(StreamLoop.self) { StreamLoop(loop) }
  }

  /// The part of the last `offer` that OpenSSL hasn't read yet.
  package var unreadInput: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(
      start: exchange.pointee.input, count: exchange.pointee.input_count)
  }

  /// Offers the peer's bytes to OpenSSL for reading.
  package func offer(_ bytes: UnsafeRawBufferPointer) {
    unsafe exchange.pointee.input = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    unsafe exchange.pointee.input_count = bytes.count
  }

  /// The bytes that OpenSSL has written since the last `clearOutput`.
  package var output: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(
      start: exchange.pointee.output, count: exchange.pointee.output_count)
  }

  /// Removes the first `count` bytes of the unread input.
  func skipInput(_ count: Int) {
    assert(
      unsafe count >= 0 && count <= exchange.pointee.input_count,
      "no more bytes are skipped than are unread")
    unsafe exchange.pointee.input = exchange.pointee.input.map { unsafe $0 + count }
    unsafe exchange.pointee.input_count -= count
  }

  /// Reserves room for `count` bytes of output, or returns nil if memory can't be allocated.
  func reserveOutput(_ count: Int) -> UnsafeMutablePointer<UInt8>? {
    guard unsafe belfry_tls_reserve(exchange, count) == 1 else { return nil }
    return unsafe exchange.pointee.output + exchange.pointee.output_count
  }

  /// Commits reserved bytes that have been written.
  func commitOutput(_ count: Int) {
    assert(count >= 0, "the number of committed bytes is not negative")
    unsafe exchange.pointee.output_count += count
  }

  package func clearOutput() { unsafe exchange.pointee.output_count = 0 }
}
