/// Where pushes go.
public struct ProviderEndpoint: Sendable, Hashable, CustomStringConvertible {
  /// A host name or an address in figures.
  public let host: String
  /// The TCP port.
  public let port: UInt16

  /// A gateway's or a service's provider port.
  public init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Apple's development service (apns-protocol 1.1).
  public static let appleSandbox = ProviderEndpoint(host: "api.sandbox.push.apple.com", port: 443)
  /// Apple's production service (apns-protocol 1.1).
  public static let appleProduction = ProviderEndpoint(host: "api.push.apple.com", port: 443)

  /// "host:port", an IPv6 address in brackets.
  public var description: String { "\(bracketed):\(port)" }

  /// The value of `:authority`.
  var authority: String { port == 443 ? bracketed : description }

  private var bracketed: String { host.contains(":") ? "[\(host)]" : host }
}
