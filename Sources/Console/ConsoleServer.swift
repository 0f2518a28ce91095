public import System
public import Transport

/// The HTTP server of a console, which serves the console's pages and handles requests from pages and scripts.
public final class ConsoleServer: Sendable {
  private let server: HTTP1Server

  /// Listens on `address`, whose port `--option` specifies (0 means any free port), for at most `connections`
  /// simultaneous connections, by default 128.
  ///
  /// `handler` returns the request handler for the port that was bound.
  public init(
    address: SocketAddress, option: String, connections: Int? = nil,
    handler: @escaping @Sendable (_ port: UInt16) -> HTTP1Server.Handler
  ) throws(ListenFailure) {
    let made = Once<HTTP1Server.Handler>()
    do throws(SystemFailure) {
      server = try HTTP1Server(address: address, connections: connections) { request in
        made.wait()(request)
      }
    } catch {
      throw ListenFailure(option: option, port: address.port, reason: error)
    }
    made.set(handler(server.port))
  }

  /// The port of the listener.
  public var port: UInt16 { server.port }

  /// Closes open responses and the listener.
  public func stop() { server.stop() }

  /// Closes the listener, and answers the requests that have arrived; endless responses are cut off.
  public func finish() { server.finish() }
}
