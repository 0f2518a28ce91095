internal import Gateway
public import System
internal import Transport

/// The gateway's HTTP port: console, admin API, metrics, probes.
public final class ConsoleServer: Sendable {
  private let server: HTTP1Server

  /// Listens on `address` (port 0: a free one), for that many connections at a time; `router` makes what answers
  /// the requests that come to the port that was taken.
  public init(
    address: SocketAddress, connections: Int,
    router: @escaping @Sendable (_ port: UInt16) -> ConsoleRouter
  ) throws(SystemFailure) {
    let made = Once<ConsoleRouter>()
    server = try HTTP1Server(address: address, connections: connections) { request in
      made.wait().answer(request)
    }
    made.set(router(server.port))
  }

  /// The port of the listener.
  public var port: UInt16 { server.port }

  /// Ends open answers and closes the listener.
  public func stop() { server.stop() }
}
