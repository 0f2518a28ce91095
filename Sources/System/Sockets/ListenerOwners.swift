import Glibc

/// The owners of the listening sockets on this machine.
///
/// A port outlives the process that listened on it: while a service is down, any user of the machine can listen on the
/// service's port and impersonate the service.
public enum ListenerOwners {
  /// Returns the user IDs of the owners of sockets on this port.
  ///
  /// The result includes every socket that listens on this address or on all addresses, and the socket that accepted
  /// the connection from `client`, whose process might no longer be listening. The result is empty if this process's
  /// network namespace contains no such socket.
  public static func userIDs(
    at address: SocketAddress, from client: SocketAddress? = nil
  ) -> Set<UInt32> {
    ["tcp", "tcp6"].reduce(into: []) { owners, table in
      let bytes = (try? FileSystem.read("/proc/self/net/\(table)", limit: tableBytesMax)) ?? []
      owners.formUnion(
        userIDs(inTable: String(decoding: bytes, as: UTF8.self), at: address, from: client))
    }
  }

  /// Returns the owners listed in one of the kernel's tables, which has the format of `/proc/net/tcp`.
  static func userIDs(
    inTable text: String, at address: SocketAddress, from client: SocketAddress? = nil
  ) -> Set<UInt32> {
    let port = hexadecimal(UInt64(address.port), digits: 4)
    let clientPort = client.map { hexadecimal(UInt64($0.port), digits: 4) }
    let host = hexadecimalHost(address.host)
    // An IPv6 socket can have an IPv4-mapped address.
    let mapped = "0000000000000000FFFF0000" + host
    var owners: Set<UInt32> = []
    for line in text.split(separator: "\n").dropFirst() {
      let fields = line.split(separator: " ")
      guard fields.count > 7, let owner = UInt32(fields[7]) else { continue }
      let local = fields[1].split(separator: ":")
      guard local.count == 2, local[1] == port else { continue }
      let isThere = local[0] == host || local[0] == mapped
      let isEverywhere = local[0].allSatisfy { $0 == "0" }
      if fields[3] == listening {
        if isThere || isEverywhere { owners.insert(owner) }
      } else if let clientPort, isThere, fields[2].hasSuffix(":" + clientPort) {
        owners.insert(owner)
      }
    }
    return owners
  }

  /// The code for the listening state.
  private static let listening = "0A"

  /// Returns an address in the format of the table: words of four bytes, each in the machine's byte order.
  private static func hexadecimalHost(_ host: String) -> String {
    var bytes = [UInt8](repeating: 0, count: 16)
    let (family, count) = host.contains(":") ? (AF_INET6, 16) : (AF_INET, 4)
    guard
      unsafe bytes.withUnsafeMutableBytes({ unsafe inet_pton(family, host, $0.baseAddress) }) == 1
    else { return "" }
    return stride(from: 0, to: count, by: 4).map { start in
      let word = bytes[start..<start + 4].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return hexadecimal(word, digits: 8)
    }.joined()
  }

  private static func hexadecimal(_ number: UInt64, digits: Int) -> String {
    let text = String(number, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  /// The maximum number of bytes in a table: each socket takes 150 bytes, and a busy machine has a hundred thousand
  /// sockets.
  private static let tableBytesMax = 64 << 20
}
