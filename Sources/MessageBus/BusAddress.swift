internal import System

/// The addresses of one or several NATS servers, as a `nats://` or `tls://` URL.
public struct BusAddress: Sendable, CustomStringConvertible {
  /// The reason that a URL cannot be used.
  public enum Failure: Error, CustomStringConvertible {
    /// The URL does not begin with `nats://` or `tls://`, or does not have a host.
    case notNATS
    /// The URL contains a user or a password, which every user of the machine could read in the process list.
    case hasCredentials
    /// A host is neither a host name nor an address.
    case invalidHost
    /// A port is not a number from 1 to 65,535.
    case invalidPort
    /// The URL has more than 16 servers.
    case tooManyServers

    /// A description of a valid URL, as it follows the word "expected".
    public var description: String {
      switch self {
      case .notNATS: "nats://HOST:PORT or tls://HOST:PORT; separate several servers with commas"
      case .hasCredentials:
        "a URL without a user or password; put them in the credential file"
      case .invalidHost: "a URL with host names, IPv4 addresses, or IPv6 addresses in brackets"
      case .invalidPort: "a URL with ports from 1 to 65535"
      case .tooManyServers: "a URL with at most \(Limits.servers) servers"
      }
    }
  }

  /// One server of an address.
  struct Server: Sendable {
    /// The host name or address, without the brackets of an IPv6 address.
    let host: String
    let port: UInt16
    let isNumericV6: Bool

    /// The host and the port, as in a URL.
    var authority: String { isNumericV6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
  }

  /// The port of a server whose port is not specified.
  static let defaultPort: UInt16 = 4_222

  /// True if connections are encrypted with TLS, and the server's certificate is verified.
  public let isSecure: Bool
  let servers: [Server]

  /// The URL with every port, which never contains secrets.
  public var url: String {
    (isSecure ? "tls://" : "nats://") + servers.map(\.authority).joined(separator: ",")
  }

  /// The URL, for messages.
  public var description: String { url }

  /// Parses a URL such as `nats://bus1.example:4222,bus2.example`; the default port is 4222.
  public init(_ url: String) throws(Failure) {
    let bytes = Array(url.utf8)
    let rest: ArraySlice<UInt8>
    if bytes.starts(with: "nats://".utf8) {
      rest = bytes.dropFirst("nats://".utf8.count)
      isSecure = false
    } else if bytes.starts(with: "tls://".utf8) {
      rest = bytes.dropFirst("tls://".utf8.count)
      isSecure = true
    } else {
      throw .notNATS
    }
    guard !rest.isEmpty else { throw .notNATS }
    guard !rest.contains(UInt8(ascii: "@")) else { throw .hasCredentials }
    let parts = rest.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    guard parts.count <= Limits.servers else { throw .tooManyServers }
    var servers: [Server] = []
    for part in parts { servers.append(try Self.server(part)) }
    self.servers = servers
    assert(!servers.isEmpty, "an address has a server")
  }

  private static func server(_ text: ArraySlice<UInt8>) throws(Failure) -> Server {
    if text.first == UInt8(ascii: "[") {
      guard let end = text.firstIndex(of: UInt8(ascii: "]")) else { throw .invalidHost }
      let host = String(decoding: text[text.startIndex + 1..<end], as: UTF8.self)
      guard host.utf8.contains(UInt8(ascii: ":")), SocketAddress(host: host, port: 0) != nil else {
        throw .invalidHost
      }
      return Server(host: host, port: try port(text[(end + 1)...]), isNumericV6: true)
    }
    let end = text.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
    let host = text[..<end]
    let isValid =
      host.count <= 253
      && host.split(separator: 0x2E, omittingEmptySubsequences: false).allSatisfy(isLabel)
    guard isValid else { throw .invalidHost }
    return Server(
      host: String(decoding: host, as: UTF8.self), port: try port(text[end...]), isNumericV6: false)
  }

  /// Returns whether the bytes are one label of a host name; container networks also use underscores.
  private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
    guard (1...63).contains(label.count), label.first != UInt8(ascii: "-") else { return false }
    return label.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
  }

  /// Parses a colon and a port; an empty text means the default port.
  private static func port(_ text: ArraySlice<UInt8>) throws(Failure) -> UInt16 {
    guard !text.isEmpty else { return defaultPort }
    let digits = text.dropFirst()
    guard text.first == UInt8(ascii: ":"), (1...5).contains(digits.count),
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let port = UInt16(String(decoding: digits, as: UTF8.self)), port > 0
    else { throw .invalidPort }
    return port
  }
}
