public import System

/// An object that accepts streams until it is closed.
public protocol Listener: AnyObject {
  /// The port that the listener is bound to.
  var port: UInt16 { get }
  /// Sets the security of new connections.
  func use(_ security: StreamSecurity)
  /// Limits the rate at which connections are admitted; the others wait in the kernel's backlog.
  func limitAdmissions(perSecond: Int, burst: Int)
  /// Stops listening.
  ///
  /// Accepted streams stay open.
  func close()
}

/// A source of a server's streams: the machine's network, or a simulated network.
public protocol ListenerFactory: Sendable {
  /// Listens on `address` for `loop`, which must belong to the calling thread.
  ///
  /// If the port is 0, any free port is used. `accept` is called for each connection, before any handshake. It returns
  /// the connection's handler, or nil to close the connection. Loops whose listeners share a port also share the
  /// connections to this port.
  func listen(
    on loop: EventLoop, at address: SocketAddress, security: StreamSecurity,
    sharing: Socket.PortSharing,
    accept: @escaping (ByteStream) -> (any StreamHandler)?
  ) throws(SystemFailure) -> any Listener
}

/// A factory for listeners on the machine's sockets.
public struct SocketListenerFactory: ListenerFactory {
  /// Creates a factory, which has no state.
  public init() {}

  /// Opens a listening socket.
  public func listen(
    on loop: EventLoop, at address: SocketAddress, security: StreamSecurity,
    sharing: Socket.PortSharing, accept: @escaping (ByteStream) -> (any StreamHandler)?
  ) throws(SystemFailure) -> any Listener {
    try StreamListener(
      loop: loop, address: address, security: security, sharing: sharing, accept: accept)
  }
}
