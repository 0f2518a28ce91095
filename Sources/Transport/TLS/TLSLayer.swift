/// The encryption of one open stream; its bytes pass through the loop's exchange.
///
/// A class and not a protocol: one word in each stream, and no witness tables on the hot path.
class TLSLayer {
  enum Reading {
    /// So many bytes of plaintext.
    case bytes(Int)
    /// Everything that was offered is used up.
    case needsInput
    /// The peer ended the stream in order.
    case ended
    /// The stream cannot go on; an alert may be in the exchange's output.
    case failed(String)
  }

  /// Encrypted bytes that are not written to the socket yet.
  var unsent = OutputQueue()

  var negotiatedProtocol: String? { nil }
  var peerCertificate: PeerCertificate? { nil }

  /// Decrypts from the exchange's input.
  func read(into target: UnsafeMutableRawBufferPointer) -> Reading { .needsInput }

  /// Encrypts all of `bytes` into the exchange's output; false when the stream cannot go on.
  func write(_ bytes: UnsafeRawBufferPointer) -> Bool { false }

  /// Puts close_notify into the exchange's output.
  func end() {}

  /// Moves to another loop's exchange.
  func use(_ shared: StreamLoop) {}
}
