import CLinux
import Glibc

/// An internet address and a port, for a listener or a peer.
public struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
  /// The protocol family of an address.
  public enum Family: UInt8, Sendable {
    /// IPv4, which uses the first four bytes of the address.
    case v4
    /// IPv6, which uses all 16 bytes of the address.
    case v6
  }

  /// The protocol family of the address.
  public let family: Family
  /// The port; 0 requests a free port from the kernel.
  public var port: UInt16
  /// The address in network byte order, as two words in memory order.
  private let high: UInt64
  private let low: UInt64

  /// Returns the host at which a listener on `host` is reachable from this machine.
  ///
  /// For a listener on all addresses, the result is the loopback address of the same family.
  public static func hostOnThisMachine(ofListener host: String) -> String {
    ["0.0.0.0": "127.0.0.1", "::": "::1"][host] ?? host
  }

  /// Returns IPv4's loopback address with a port.
  public static func loopback(port: UInt16) -> SocketAddress {
    let word = unsafe withUnsafeBytes(of: (127, 0, 0, 1, 0, 0, 0, 0) as Bytes8) { bytes in
      unsafe bytes.loadUnaligned(as: UInt64.self)
    }
    return SocketAddress(family: .v4, port: port, high: word, low: 0)
  }

  private typealias Bytes8 = (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8)

  private init(family: Family, port: UInt16, high: UInt64, low: UInt64) {
    self.family = family
    self.port = port
    self.high = high
    self.low = low
  }

  /// Parses a numeric address such as "127.0.0.1", "::1", or "[::1]".
  ///
  /// Returns nil for hostnames.
  public init?(host: String, port: UInt16) {
    var host = host[...]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    let text = String(host)
    var words: (UInt64, UInt64) = (0, 0)
    var v4 = in_addr()
    if unsafe inet_pton(AF_INET, text, &v4) == 1 {
      self.init(family: .v4, port: port, high: Self.word(v4), low: 0)
      return
    }
    guard unsafe inet_pton(AF_INET6, text, &words) == 1 else { return nil }
    self.init(family: .v6, port: port, high: words.0, low: words.1)
  }

  /// Parses "127.0.0.1:2197" or "[::1]:2197".
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"),
      let port = UInt16(text[text.index(after: colon)...])
    else { return nil }
    let host = String(text[..<colon])
    // A bare IPv6 address contains colons; without brackets, its end is ambiguous.
    guard !host.contains(":") || host.hasPrefix("[") else { return nil }
    self.init(host: host, port: port)
  }

  /// True for 127.0.0.0/8 and ::1.
  public var isLoopback: Bool {
    unsafe withAddressBytes { bytes in
      switch family {
      case .v4: unsafe bytes[0] == 127
      case .v6: unsafe bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
      }
    }
  }

  /// The address without the port, such as "127.0.0.1" or "::1".
  public var host: String {
    unsafe withAddressBytes { bytes in
      unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
        guard let base = text.baseAddress,
          let from = bytes.baseAddress,
          unsafe inet_ntop(family == .v4 ? AF_INET : AF_INET6, from, base, 64) != nil
        else { return "unknown" }
        return unsafe String(cString: base)
      }
    }
  }

  /// The address with its port, such as "127.0.0.1:2197" or "[::1]:2197".
  public var description: String {
    family == .v4 ? "\(host):\(port)" : "[\(host)]:\(port)"
  }

  private static func word(_ address: in_addr) -> UInt64 {
    let zero: UInt32 = 0
    return unsafe withUnsafeBytes(of: (address.s_addr, zero)) { bytes in
      unsafe bytes.loadUnaligned(as: UInt64.self)
    }
  }

  private func withAddressBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    unsafe withUnsafeBytes(of: (high, low)) { bytes in unsafe body(bytes) }
  }

  /// The bytes of the address in network byte order: 4 for IPv4, and 16 for IPv6.
  var addressBytes: [UInt8] {
    unsafe withAddressBytes { bytes in unsafe Array(bytes.prefix(family == .v4 ? 4 : 16)) }
  }

  // MARK: the kernel's form

  /// Calls `body` with a `sockaddr` and its length, as the kernel's functions expect.
  func withSocketAddress<Result>(
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    switch family {
    case .v4:
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      unsafe withAddressBytes { bytes in
        address.sin_addr.s_addr = unsafe bytes.loadUnaligned(as: UInt32.self)
      }
      return unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          unsafe body(pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    case .v6:
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { target in
        unsafe target.storeBytes(of: high, as: UInt64.self)
        unsafe target.storeBytes(of: low, toByteOffset: 8, as: UInt64.self)
      }
      return unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          unsafe body(pointer, socklen_t(MemoryLayout<sockaddr_in6>.size))
        }
      }
    }
  }

  /// Creates an address from the kernel's form, or returns nil for a family other than IPv4 and IPv6.
  ///
  /// `storage` can be unaligned, as in a kernel buffer.
  init?(_ storage: UnsafePointer<sockaddr_storage>) {
    let raw = unsafe UnsafeRawPointer(storage)
    let family = Int32(unsafe raw.loadUnaligned(as: sa_family_t.self))
    if family == AF_INET {
      let address = unsafe raw.loadUnaligned(as: sockaddr_in.self)
      self.init(
        family: .v4, port: UInt16(bigEndian: address.sin_port), high: Self.word(address.sin_addr),
        low: 0)
    } else if family == AF_INET6 {
      let address = unsafe raw.loadUnaligned(as: sockaddr_in6.self)
      let words = unsafe withUnsafeBytes(of: address.sin6_addr) { bytes in
        unsafe (
          bytes.loadUnaligned(as: UInt64.self),
          bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        )
      }
      self.init(
        family: .v6, port: UInt16(bigEndian: address.sin6_port), high: words.0, low: words.1)
    } else {
      return nil
    }
  }
}
