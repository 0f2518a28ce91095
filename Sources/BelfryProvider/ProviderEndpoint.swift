/// The address of a push service.
public struct ProviderEndpoint: Sendable, Hashable, CustomStringConvertible {
  /// A hostname or a numeric IP address.
  public let host: String
  /// The TCP port of the service.
  public let port: UInt16

  /// Creates the endpoint for the provider port of a gateway or a service.
  public init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Apple's development service (apns-protocol 1.1).
  public static let appleSandbox = ProviderEndpoint(host: "api.sandbox.push.apple.com", port: 443)
  /// Apple's production service (apns-protocol 1.1).
  public static let appleProduction = ProviderEndpoint(host: "api.push.apple.com", port: 443)

  /// The text `HOST:PORT`, with an IPv6 address in brackets.
  public var description: String { "\(bracketed):\(port)" }

  /// The value of `:authority`, which omits the default port 443.
  var authority: String { port == 443 ? bracketed : description }

  private var bracketed: String { host.contains(":") ? "[\(host)]" : host }
}
