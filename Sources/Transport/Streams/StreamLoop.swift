import COpenSSL
import Glibc
import System

/// What all streams of one loop share, so that an idle one holds no buffer.
@safe final class StreamLoop {
  unowned let loop: EventLoop
  let pool = BufferPool()
  let ciphers = TLS13Ciphers()
  var handshakes = HandshakeQueue()
  /// One read(2) goes here; used only within one event.
  ///
  /// Owned here.
  let input: UnsafeMutableRawBufferPointer
  /// The plaintext of one read; used only within one event.
  ///
  /// Owned here.
  let plaintext: UnsafeMutableRawBufferPointer
  /// Where OpenSSL reads and writes; used only within one call to it.
  ///
  /// Owned here.
  let exchange: UnsafeMutablePointer<belfry_tls_exchange>

  private init(_ loop: EventLoop) {
    self.loop = loop
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

  static func of(_ loop: EventLoop) -> StreamLoop {
    loop.shared(StreamLoop.self) { StreamLoop(loop) }
  }

  /// What OpenSSL has not read yet of what it was last given.
  var unreadInput: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(
      start: exchange.pointee.input, count: exchange.pointee.input_count)
  }

  func offer(_ bytes: UnsafeRawBufferPointer) {
    unsafe exchange.pointee.input = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    unsafe exchange.pointee.input_count = bytes.count
  }

  /// What OpenSSL has written since the last `dropOutput`.
  var output: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(
      start: exchange.pointee.output, count: exchange.pointee.output_count)
  }

  /// Passes over input that is done with.
  func skipInput(_ count: Int) {
    unsafe exchange.pointee.input = exchange.pointee.input.map { unsafe $0 + count }
    unsafe exchange.pointee.input_count -= count
  }

  /// Room for `count` bytes of output; nil without memory.
  func reserveOutput(_ count: Int) -> UnsafeMutablePointer<UInt8>? {
    guard unsafe belfry_tls_reserve(exchange, count) == 1 else { return nil }
    return unsafe exchange.pointee.output + exchange.pointee.output_count
  }

  /// The reserved bytes are written.
  func addOutput(_ count: Int) { unsafe exchange.pointee.output_count += count }

  func dropOutput() { unsafe exchange.pointee.output_count = 0 }
}
