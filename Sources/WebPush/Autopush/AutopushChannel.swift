internal import BelfryWire
internal import Transport

/// The identifier of a subscription in autopush's protocol, `channelID`: a UUID that the client chose.
///
/// Only the form that clients write is accepted, in lowercase with hyphens. A client ignores a message for another
/// spelling.
public struct AutopushChannel: Hashable, Sendable {
  /// The number of bytes in an identifier.
  public static let byteCount = 16
  /// The number of characters in the text.
  public static let textBytes = 36

  /// The 16 bytes of the UUID.
  public let bytes: [UInt8]

  /// Creates an identifier from its 16 bytes; returns nil for any other number of bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// Parses the text, or returns nil for any other form.
  public init?(_ text: Span<UInt8>) {
    guard text.count == Self.textBytes else { return nil }
    var digits: [UInt8] = []
    for index in 0..<text.count {
      let byte = text[index]
      if Self.hyphens.contains(index) {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard !(0x41...0x5A).contains(byte) else { return nil }
      digits.append(byte)
    }
    var bytes: [UInt8] = []
    guard Hexadecimal.decode(digits.span, appendingTo: &bytes) else { return nil }
    self.init(bytes: bytes)
  }

  /// The text: 36 characters.
  public var text: String {
    let digits = Array(Hexadecimal.encode(bytes).utf8)
    var text: [UInt8] = []
    for digit in digits {
      if Self.hyphens.contains(text.count) { text.append(UInt8(ascii: "-")) }
      text.append(digit)
    }
    assert(text.count == Self.textBytes, "a UUID has 32 digits and 4 hyphens")
    return String(decoding: text, as: UTF8.self)
  }

  /// The number of the subscription among those of its device, in 28 bits.
  ///
  /// The number is a hash of the UUID, so that it is the same whenever the client registers again.
  public var number: UInt32 {
    let hash = SHA256.hash(Array("autopush channel ".utf8) + bytes).words.0
    return UInt32(truncatingIfNeeded: hash >> 36)
  }

  /// The positions of the hyphens in the text.
  private static let hyphens = [8, 13, 18, 23]
}
