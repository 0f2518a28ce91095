import Glibc

/// The names of the request fields for which HTTP/2 has rules (RFC 9113 section 8).
enum HTTP2FieldName: UInt8 {
  /// A valid name without special rules.
  case other
  case authority
  case method
  case path
  case scheme
  case host
  case contentLength
  case te
  /// A name that a request must not have: one with invalid characters, an unknown pseudo-header field, or a field that
  /// is specific to a connection.
  case forbidden

  init(_ name: UnsafeRawBufferPointer) {
    let isPseudo = unsafe name.count > 0 && name[0] == 0x3a
    switch name.count {
    case 2 where unsafe Self.equals(name, "te"): self = .te
    case 4 where unsafe Self.equals(name, "host"): self = .host
    case 5 where unsafe isPseudo && Self.equals(name, ":path"): self = .path
    case 7 where unsafe isPseudo && Self.equals(name, ":method"): self = .method
    case 7 where unsafe isPseudo && Self.equals(name, ":scheme"): self = .scheme
    case 10 where unsafe isPseudo && Self.equals(name, ":authority"): self = .authority
    case 14 where unsafe Self.equals(name, "content-length"): self = .contentLength
    case 7 where unsafe Self.equals(name, "upgrade"),
      10 where unsafe Self.equals(name, "connection") || Self.equals(name, "keep-alive"),
      16 where unsafe Self.equals(name, "proxy-connection"),
      17 where unsafe Self.equals(name, "transfer-encoding"):
      self = .forbidden
    default:
      self = unsafe !isPseudo && HTTP2Characters.name.contains(all: name) ? .other : .forbidden
    }
  }

  static func equals(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
    guard bytes.count == text.utf8CodeUnitCount, let start = bytes.baseAddress else { return false }
    return unsafe memcmp(start, text.utf8Start, bytes.count) == 0
  }
}

/// A set of ASCII characters.
struct HTTP2Characters {
  private let low: UInt64
  private let high: UInt64

  private init(_ ranges: ClosedRange<UInt8>...) {
    var (low, high): (UInt64, UInt64) = (0, 0)
    for byte in ranges.joined() {
      if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
    }
    (self.low, self.high) = (low, high)
  }

  /// The characters of a field's name (RFC 9110 section 5.6.2) without uppercase letters (RFC 9113 section 8.2.1).
  static let name = Self(
    0x21...0x21, 0x23...0x27, 0x2a...0x2b, 0x2d...0x2e, 0x30...0x39, 0x5e...0x7a, 0x7c...0x7c,
    0x7e...0x7e)
  /// The characters of a method, which is a token (RFC 9110 section 9.1).
  static let method = Self(
    0x21...0x21, 0x23...0x27, 0x2a...0x2b, 0x2d...0x2e, 0x30...0x39, 0x41...0x5a, 0x5e...0x7a,
    0x7c...0x7c, 0x7e...0x7e)
  /// The characters of an authority (RFC 3986 section 3.2).
  static let authority = Self(
    0x21...0x21, 0x24...0x2e, 0x30...0x3b, 0x3d...0x3d, 0x40...0x5b, 0x5d...0x5d, 0x5f...0x5f,
    0x61...0x7a, 0x7e...0x7e)
  /// The characters of a scheme after its first letter (RFC 3986 section 3.1).
  static let scheme = Self(
    0x2b...0x2b, 0x2d...0x2e, 0x30...0x39, 0x41...0x5a, 0x61...0x7a)

  /// Returns true if the set contains all bytes, of which there is at least one.
  func contains(all bytes: UnsafeRawBufferPointer) -> Bool {
    let bytes = unsafe bytes.assumingMemoryBound(to: UInt8.self).span
    for index in bytes.indices where !contains(bytes[index]) { return false }
    return !bytes.isEmpty
  }

  private func contains(_ byte: UInt8) -> Bool {
    let half = byte < 64 ? low : high
    return byte < 128 && half >> UInt64(byte & 63) & 1 != 0
  }
}
