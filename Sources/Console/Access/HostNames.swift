internal import System

/// The names under which the console answers.
///
/// A page of another site may have its own name point here (DNS rebinding), and would then be of one origin with
/// the console. An address is no name that somebody else can point anywhere.
struct HostNames: Sendable {
  private let names: Set<String>

  /// The names of this machine, and `names` of the operator.
  init(_ names: [String]) {
    var known: Set<String> = ["localhost"]
    for name in names + [LocalHost.name] where !name.isEmpty {
      let name = Self.lowercased(name)
      known.insert(name)
      // `host` and `host.local` are this machine on its network.
      known.insert("\(name).local")
    }
    self.names = known
  }

  /// Whether a `Host` field is one of them.
  func contains(_ field: String) -> Bool {
    guard let host = Self.host(of: field) else { return false }
    if names.contains(host) || host.hasSuffix(".localhost") { return true }
    return SocketAddress(host: host, port: 0) != nil
  }

  /// The name or address of `HOST[:PORT]`, without brackets, dot at the end and capitals; nil for anything else.
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
