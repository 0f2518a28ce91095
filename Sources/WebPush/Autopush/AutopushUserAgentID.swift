internal import BelfryWire

/// The identifier with which a device authenticates in autopush's protocol, `uaid`: 16 bytes that cannot be guessed.
public struct AutopushUserAgentID: Hashable, Sendable {
  /// The number of bytes in an identifier.
  public static let byteCount = 16

  /// The 16 bytes of the identifier.
  public let bytes: [UInt8]

  /// Creates an identifier from its 16 bytes; returns nil for any other number of bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// Parses the text, 32 lowercase hexadecimal digits, or returns nil for any other form.
  ///
  /// No other service's identifier is known here, so a client with another form gets a new identifier.
  public init?(_ text: Span<UInt8>) {
    guard text.count == 2 * Self.byteCount else { return nil }
    for index in 0..<text.count where (0x41...0x5A).contains(text[index]) { return nil }
    var bytes: [UInt8] = []
    guard Hexadecimal.decode(text, appendingTo: &bytes) else { return nil }
    self.init(bytes: bytes)
  }

  /// The text: 32 hexadecimal digits.
  public var text: String { Hexadecimal.encode(bytes) }
}
