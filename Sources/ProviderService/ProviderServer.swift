public import System
internal import Transport

/// The service's HTTP port.
public final class ProviderServer: Sendable {
  private let server: HTTP1Server

  /// Listens on `address` (port 0: a free one); `router` answers the requests.
  public init(address: SocketAddress, router: ProviderRouter) throws(SystemFailure) {
    server = try HTTP1Server(address: address) { router.answer($0) }
  }

  /// The port of the listener.
  public var port: UInt16 { server.port }

  /// Ends open answers and closes the listener.
  public func stop() { server.stop() }
}
