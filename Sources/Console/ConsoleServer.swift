public import System
public import Transport

/// The HTTP port of a console: its pages, and what they and scripts ask for.
public final class ConsoleServer: Sendable {
  private let server: HTTP1Server

  /// Listens on `address` (port 0: a free one), for that many connections at a time, 128 if nothing is said; `handler`
  /// makes what answers the requests that come to the port that was taken.
  public init(
    address: SocketAddress, connections: Int? = nil,
    handler: @escaping @Sendable (_ port: UInt16) -> HTTP1Server.Handler
  ) throws(SystemFailure) {
    let made = Once<HTTP1Server.Handler>()
    server = try HTTP1Server(address: address, connections: connections) { request in
      made.wait()(request)
    }
    made.set(handler(server.port))
  }

  /// The port of the listener.
  public var port: UInt16 { server.port }

  /// Ends open answers and closes the listener.
  public func stop() { server.stop() }
}
