/// A notification's identity: the 128 bits of `apns-id`.
///
/// The text that a client sent is echoed byte for byte by whoever keeps it; this is the value for
/// comparison and storage.
public struct NotificationID: Hashable, Sendable {
  /// The first eight bytes, big-endian.
  public let high: UInt64
  /// The last eight bytes, big-endian.
  public let low: UInt64

  /// An identity from its two halves.
  @inlinable public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads canonical text: 8-4-4-4-12 hexadecimal digits of either case; `nil` for anything else.
  public init?(_ text: Span<UInt8>) {
    guard text.count == 36 else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    for index in text.indices {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard text[index] == 0x2D else { return nil }
        continue
      }
      guard let digit = Hexadecimal.value(text[index]) else { return nil }
      if index < 18 {
        high = high << 4 | UInt64(digit)
      } else {
        low = low << 4 | UInt64(digit)
      }
    }
    self.init(high: high, low: low)
  }

  /// Calls `write` with each of the 36 bytes of the upper-case text, as APNs spells ids that it makes.
  @inlinable public func forEachTextByte(_ write: (UInt8) -> Void) {
    for nibble in 0..<32 {
      if nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20 { write(0x2D) }
      let half = nibble < 16 ? high : low
      let value = UInt8(truncatingIfNeeded: half >> UInt64((15 - nibble % 16) * 4)) & 0x0F
      write(value < 10 ? value &+ 0x30 : value &+ 0x37)
    }
  }

  /// The upper-case canonical text.
  public var text: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(36)
    forEachTextByte { bytes.append($0) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
