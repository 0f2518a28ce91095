public import System

/// HTTP/1.1 for people and tools, on its own threads, away from the loops: console, admin API,
/// metrics.
public final class HTTP1Server: Sendable {
  /// The port that is listened on.
  public let port: UInt16

  /// Listens on `address` (port 0: a free one); `handler` runs on the connection's own thread and
  /// may wait.
  public init(
    address: SocketAddress, handler: @escaping @Sendable (HTTP1Request) -> HTTP1Response
  ) throws(SystemFailure) {
    port = 0
    throw .unusable(text: address.description, reason: "HTTP/1.1 is not built in yet")
  }

  /// Ends open answers and closes; returns when the last handler has returned.
  public func stop() {}
}
