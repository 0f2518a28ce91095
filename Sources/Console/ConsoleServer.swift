public import System
public import Transport

/// The HTTP server of a console, which serves the console's pages and handles requests from pages and scripts.
public final class ConsoleServer: Sendable {
  private let server: HTTP1Server

  /// Creates a server that listens on `address`, and accepts up to `connections` simultaneous connections (128 by
  /// default).
  ///
  /// `option` and `hostOption` are the names of the command-line options that set the port and the address. A port of 0
  /// selects any free port. `handler` receives the port that was bound, and returns the request handler.
  public init(
    address: SocketAddress, option: String, hostOption: String, connections: Int? = nil,
    handler: @escaping @Sendable (_ port: UInt16) -> HTTP1Server.Handler
  ) throws(ListenFailure) {
    let made = Once<HTTP1Server.Handler>()
    do throws(SystemFailure) {
      server = try HTTP1Server(address: address, connections: connections) { request in
        made.wait()(request)
      }
    } catch {
      throw ListenFailure(
        option: option, hostOption: hostOption, port: address.port, reason: error)
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
