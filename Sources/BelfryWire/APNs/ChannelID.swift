/// A broadcast channel's identifier: 16 random bytes that APNs shows in base64 (apns-protocol 5.2).
public struct ChannelID: Hashable, Sendable {
  /// Bytes of an identifier.
  public static let byteCount = 16

  /// The first eight bytes, big-endian.
  public let high: UInt64
  /// The last eight bytes, big-endian.
  public let low: UInt64

  /// An identifier from its two halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The identifier with these bytes; `nil` unless there are 16, as no channel has another length.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    func half(_ start: Int) -> UInt64 {
      bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
    self.init(high: half(0), low: half(8))
  }

  /// The 16 bytes.
  public var bytes: [UInt8] {
    (0..<Self.byteCount).map { index in
      UInt8(truncatingIfNeeded: (index < 8 ? high : low) >> UInt64(56 - index % 8 * 8))
    }
  }

  /// Base64 in the standard alphabet, padded.
  public var text: String { Base64.encode(bytes, url: false) }
}
