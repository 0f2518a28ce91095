internal import System

/// The host names that the console accepts in requests.
///
/// Another site can make its own host name resolve to this machine (DNS rebinding), and its pages would then have the
/// same origin as the console. Addresses are allowed, because no other site can change which machine they refer to.
package struct HostNames: Sendable {
  private let names: Set<String>

  /// Creates a set that contains the names of this machine and `names`, which the operator specified.
  init(_ names: [String]) {
    var known: Set<String> = ["localhost"]
    for name in names + [LocalHost.name] where !name.isEmpty {
      let name = Self.lowercased(name)
      known.insert(name)
      // `host` and `host.local` are this machine's names on its network.
      known.insert("\(name).local")
    }
    self.names = known
  }

  /// Returns true if a `Host` field contains one of the names, or an address.
  func contains(_ field: String) -> Bool {
    guard let host = Self.host(of: field) else { return false }
    if names.contains(host) || host.hasSuffix(".localhost") { return true }
    return SocketAddress(host: host, port: 0) != nil
  }

  /// Returns the name or address in `HOST[:PORT]`, in lowercase and without brackets or a trailing dot.
  ///
  /// Returns nil for any other string.
  static func host(of field: String) -> String? {
    var host = Substring(field)
    if host.first == "[" {
      guard let end = host.firstIndex(of: "]") else { return nil }
      let port = host[host.index(after: end)...]
      guard port.isEmpty || isPort(port) else { return nil }
      return lowercased(String(host[host.index(after: host.startIndex)..<end]))
    }
    if let colon = host.firstIndex(of: ":") {
      guard isPort(host[colon...]) else { return nil }
      host = host[..<colon]
    }
    if host.last == "." { host = host.dropLast() }
    return host.isEmpty ? nil : lowercased(String(host))
  }

  private static func isPort(_ text: Substring) -> Bool {
    text.first == ":" && text.count <= 6 && text.dropFirst().allSatisfy { ("0"..."9").contains($0) }
  }

  private static func lowercased(_ name: String) -> String { name.lowercased() }
}
