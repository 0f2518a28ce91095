internal import Glibc

/// A range of IP addresses, such as `10.0.0.0/8` or `fe80::/10`, or a single address, such as `127.0.0.1`.
public struct AddressRange: Hashable, Sendable, CustomStringConvertible {
  /// The address: 4 or 16 bytes in network byte order.
  public let address: [UInt8]
  /// The number of leading bits that are significant.
  public let prefixBits: Int
  /// The string that was parsed.
  public let description: String

  /// Parses an IPv4 or IPv6 address, with or without a prefix length, such as `/8`.
  ///
  /// Ignores a zone, such as `%eth0`. Returns nil if `text` is not an address.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let host = String(parts[0].prefix { $0 != "%" })
    guard let address = Self.bytes(of: host) else { return nil }
    var bits = address.count * 8
    if parts.count == 2 {
      guard let given = Int(parts[1]), (0...bits).contains(given) else { return nil }
      bits = given
    }
    self.address = address
    prefixBits = bits
    description = text
  }

  private static func bytes(of host: String) -> [UInt8]? {
    for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: count)
      if unsafe inet_pton(family, host, &bytes) == 1 { return bytes }
    }
    return nil
  }
}
