internal import BelfryWire

/// The identifier of a broadcast channel: 16 random bytes, which APNs writes in base64 (apns-protocol 5.2).
public struct ChannelID: Hashable, Sendable {
  /// The length of an identifier in bytes.
  public static let byteCount = 16

  /// The first eight bytes, big-endian.
  public let high: UInt64
  /// The last eight bytes, big-endian.
  public let low: UInt64

  /// Creates an identifier from its two halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates an identifier from 16 bytes.
  ///
  /// Returns `nil` for any other length.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    func half(_ start: Int) -> UInt64 {
      bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
    self.init(high: half(0), low: half(8))
  }

  /// The identifier as 16 bytes.
  public var bytes: [UInt8] {
    (0..<Self.byteCount).map { index in
      UInt8(truncatingIfNeeded: (index < 8 ? high : low) >> UInt64(56 - index % 8 * 8))
    }
  }

  /// The identifier in padded base64 with the standard alphabet.
  public var text: String { Base64.encode(bytes, url: false) }
}
