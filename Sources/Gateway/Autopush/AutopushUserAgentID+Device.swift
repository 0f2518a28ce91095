import Transport
import WebPush

/// The identifier of a browser, which consists of its device number and 72 random bits.
///
/// The control store contains a hash of the identifier in place of the hash of a device's key.
extension AutopushUserAgentID {
  /// The number of bytes in which the device number is written; device numbers have at most 53 bits.
  private static let numberBytes = 7
  private static let secretBytes = byteCount - numberBytes

  /// Creates the identifier of a new device; returns nil if the number is too large.
  init?(device: UInt64, random first: UInt64, _ second: UInt64) {
    guard device >> UInt64(8 * Self.numberBytes) == 0 else { return nil }
    let number = Array(Self.bytes(of: device).suffix(Self.numberBytes))
    let secret = Array((Self.bytes(of: first) + Self.bytes(of: second)).prefix(Self.secretBytes))
    self.init(bytes: number + secret)
  }

  /// The identity that the browser claims, which is to be compared with the control store.
  var claim: DeviceClaim {
    let number = bytes.prefix(Self.numberBytes).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return DeviceClaim(
      number: number, keyHash: SHA256.hash(Array("autopush uaid ".utf8) + bytes))
  }

  private static func bytes(of word: UInt64) -> [UInt8] {
    stride(from: UInt64(56), through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
  }
}
