import Glibc

/// Whose the listeners of this machine are.
///
/// A port outlives who had it: while a service is down, any user of the machine may listen there and be taken for it.
public enum ListenerOwners {
  /// The user ids of those who listen at an address, or at every address, of this network; empty where there is no listener.
  public static func userIDs(at address: SocketAddress) -> Set<UInt32> {
    ["tcp", "tcp6"].reduce(into: []) { owners, table in
      let bytes = (try? FileSystem.read("/proc/self/net/\(table)", limit: tableBytesMax)) ?? []
      owners.formUnion(userIDs(inTable: String(decoding: bytes, as: UTF8.self), at: address))
    }
  }

  /// The owners that a table of the kernel's has, in the form of `/proc/net/tcp`.
  static func userIDs(inTable text: String, at address: SocketAddress) -> Set<UInt32> {
    let port = hexadecimal(UInt64(address.port), digits: 4)
    let hosts: Set = [hexadecimalHost(address.host), String(repeating: "0", count: 8)]
    var owners: Set<UInt32> = []
    for line in text.split(separator: "\n").dropFirst() {
      let fields = line.split(separator: " ")
      guard fields.count > 7, fields[3] == "0A", let owner = UInt32(fields[7]) else { continue }
      let local = fields[1].split(separator: ":")
      guard local.count == 2, local[1] == port else { continue }
      let host = String(local[0])
      // Every address of IPv6 is 32 zeros.
      if hosts.contains(host) || host.allSatisfy({ $0 == "0" }) { owners.insert(owner) }
    }
    return owners
  }

  /// An address as the table has it: words of four bytes, each in the machine's own order.
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

  /// Bytes of a table: 150 a socket, of which a busy machine has a hundred thousand.
  private static let tableBytesMax = 64 << 20
}
