internal import Gateway
public import System
internal import Transport

/// The gateway's HTTP port: admin API, metrics, probes.
public final class ConsoleServer: Sendable {
  private let server: HTTP1Server

  /// Listens on `address` (port 0: a free one), for that many connections at a time; `router` answers the requests.
  public init(
    address: SocketAddress, connections: Int, router: AdminRouter
  ) throws(SystemFailure) {
    server = try HTTP1Server(address: address, connections: connections) { request in
      router.answer(request)
        ?? .failure(
          .missing, "there is nothing at \(request.path)", "see docs/admin-api.md", status: 404)
    }
  }

  /// The port of the listener.
  public var port: UInt16 { server.port }

  /// Ends open answers and closes the listener.
  public func stop() { server.stop() }
}
