/// The encryption of an open stream, whose bytes pass through the loop's exchange.
///
/// This is a class rather than a protocol, because a reference to it takes only one word per stream and needs no
/// witness tables on the hot path.
package class TLSLayer {
  package enum Reading {
    /// The number of bytes of plaintext that were read.
    case bytes(Int)
    /// All offered input has been consumed.
    case needsInput
    /// The peer closed the stream properly.
    case ended
    /// The stream can't continue; the exchange's output might contain an alert.
    case failed(String)
  }

  /// The encrypted bytes that haven't been written to the socket yet.
  var unsent = OutputQueue()

  var negotiatedProtocol: String? { nil }
  var peerCertificate: PeerCertificate? { nil }

  /// Decrypts from the exchange's input.
  func read(into target: UnsafeMutableRawBufferPointer) -> Reading { .needsInput }

  /// Encrypts all of `bytes` into the exchange's output, or returns false if the stream can't continue.
  func write(_ bytes: UnsafeRawBufferPointer) -> Bool { false }

  /// Writes close_notify to the exchange's output.
  func end() {}

  /// Switches to the exchange of another loop.
  func use(_ shared: StreamLoop) {}
}
