extension SocketAddress {
  /// True for an address that the registries of IANA list as globally reachable (RFC 6890).
  ///
  /// A server that connects to hosts that other parties choose can refuse all other addresses: those of the machine
  /// itself, of its network, and of the metadata services of clouds. An IPv6 address that contains an IPv4 address is
  /// public if the IPv4 address is.
  public var isPublic: Bool {
    let bytes = addressBytes
    guard family == .v6 else { return Self.isPublicV4(bytes[...]) }
    assert(bytes.count == 16, "an IPv6 address has 16 bytes")
    // ::/96 and ::ffff:0:0/96 (RFC 4291 section 2.5.5).
    if bytes[..<10].allSatisfy({ $0 == 0 }),
      bytes[10...11] == [0, 0] || bytes[10...11] == [0xFF, 0xFF]
    {
      return Self.isPublicV4(bytes[12...])
    }
    // 64:ff9b::/96 (RFC 6052) and 2002::/16 (RFC 3056).
    if bytes[..<12] == [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0] {
      return Self.isPublicV4(bytes[12...])
    }
    if bytes[0] == 0x20, bytes[1] == 0x02 { return Self.isPublicV4(bytes[2...5]) }
    // Teredo and other addresses for special purposes, and documentation.
    if bytes[0] == 0x20, bytes[1] == 0x01 {
      if bytes[2] < 0x02 || bytes[2...3] == [0x0D, 0xB8] { return false }
    }
    // Global unicast addresses (RFC 4291 section 2.4).
    return bytes[0] & 0xE0 == 0x20
  }

  private static func isPublicV4(_ address: ArraySlice<UInt8>) -> Bool {
    let bytes = Array(address)
    assert(bytes.count == 4, "an IPv4 address has 4 bytes")
    switch (bytes[0], bytes[1], bytes[2]) {
    // This host, private use, and loopback.
    case (0, _, _), (10, _, _), (127, _, _): return false
    case (172, 16...31, _), (192, 168, _): return false
    // Networks of providers (RFC 6598), and the local link.
    case (100, 64...127, _), (169, 254, _): return false
    // Protocol assignments, 6to4 relays, benchmarks, and documentation.
    case (192, 0, 0), (192, 0, 2), (192, 88, 99), (198, 18...19, _): return false
    case (198, 51, 100), (203, 0, 113): return false
    // Multicast, reserved addresses, and broadcast.
    case (224...255, _, _): return false
    default: return true
    }
  }
}
