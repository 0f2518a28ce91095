public import System

/// Accepts streams on an internet address or a UNIX path.
public final class StreamListener {
  /// The port that is listened on; 0 for a UNIX path.
  public let port: UInt16

  /// Listens on `address` (port 0: a free one).
  ///
  /// `accept` is called for each connection, before any handshake, and says who handles it, or nil
  /// to close it.
  public init(
    loop: EventLoop, address: SocketAddress, security: StreamSecurity, reusePort: Bool = false,
    accept: @escaping (ByteStream) -> (any StreamHandler)?
  ) throws(SystemFailure) {
    port = 0
    throw .unusable(text: address.description, reason: "streams are not built in yet")
  }

  /// Listens on a UNIX path with mode 0600.
  public init(
    loop: EventLoop, unixPath: String, accept: @escaping (ByteStream) -> (any StreamHandler)?
  ) throws(SystemFailure) {
    port = 0
    throw .unusable(text: unixPath, reason: "streams are not built in yet")
  }

  /// Stops listening; accepted streams live on.
  public func close() {}
}
