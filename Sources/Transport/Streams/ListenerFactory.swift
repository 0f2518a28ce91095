public import System

/// What accepts streams until it is closed.
public protocol Listener: AnyObject {
  /// The port that is listened on.
  var port: UInt16 { get }
  /// Has connections that come from now on secured like this.
  func use(_ security: StreamSecurity)
  /// Stops listening; accepted streams live on.
  func close()
}

/// Where a server's streams come from: the machine's network, or a simulated one.
public protocol ListenerFactory: Sendable {
  /// Listens on `address` (port 0: a free one) for `loop`, the calling thread's.
  ///
  /// `accept` is called for each connection, before any handshake, and says who handles it, or nil to
  /// close it. Loops whose listeners share one port share its connections.
  func listen(
    on loop: EventLoop, at address: SocketAddress, security: StreamSecurity,
    sharing: Socket.PortSharing,
    accept: @escaping (ByteStream) -> (any StreamHandler)?
  ) throws(SystemFailure) -> any Listener
}

/// Listens on the machine's sockets.
public struct SocketListenerFactory: ListenerFactory {
  /// A factory; it holds nothing.
  public init() {}

  /// Opens a socket.
  public func listen(
    on loop: EventLoop, at address: SocketAddress, security: StreamSecurity,
    sharing: Socket.PortSharing, accept: @escaping (ByteStream) -> (any StreamHandler)?
  ) throws(SystemFailure) -> any Listener {
    try StreamListener(
      loop: loop, address: address, security: security, sharing: sharing, accept: accept)
  }
}
