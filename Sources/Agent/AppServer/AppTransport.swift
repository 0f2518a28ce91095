package import System
package import Transport

/// A source of connections from apps and commands, which also identifies the connected processes: the machine's Unix
/// socket, or a simulated socket.
package protocol AppTransport: AnyObject {
  /// Starts accepting connections on `loop`.
  ///
  /// `accept` is called for each connection, and returns the connection's handler, or nil to close the connection.
  func listen(
    on loop: EventLoop, accept: @escaping (ByteStream) -> (any StreamHandler)?
  ) throws(SystemFailure)

  /// Stops accepting connections.
  ///
  /// Accepted connections stay open.
  func close()

  /// Returns the credentials of the process that opened a connection; nil if the kernel does not report them.
  func credentials(of stream: ByteStream) -> Socket.PeerCredentials?

  /// Returns the identity of the process that opened a connection.
  func identity(of stream: ByteStream, _ credentials: Socket.PeerCredentials) -> ProcessIdentity
}

/// The transport of a real agent, which listens on a Unix socket.
final class SocketAppTransport: AppTransport {
  private let path: String
  private let descriptor: Int32?
  private let flatpak: FlatpakInstances
  private var listener: StreamListener?

  /// Creates a transport for the socket at `path`.
  ///
  /// The transport replaces a socket file that an earlier agent left behind. If `descriptor` is not nil, the transport
  /// uses that socket, which is already listening at `path`. The socket's file then remains after the transport closes.
  init(path: String, descriptor: Int32? = nil, userID: UInt32) {
    self.path = path
    self.descriptor = descriptor
    flatpak = FlatpakInstances(ofUser: userID)
  }

  func listen(
    on loop: EventLoop, accept: @escaping (ByteStream) -> (any StreamHandler)?
  ) throws(SystemFailure) {
    assert(listener == nil, "a transport listens only once")
    if let descriptor {
      listener = try StreamListener(loop: loop, listening: descriptor, accept: accept)
    } else {
      try FileSystem.makeDirectories(FileSystem.parent(of: path))
      listener = try StreamListener(loop: loop, unixPath: path, accept: accept)
    }
  }

  func close() {
    listener?.close()
    listener = nil
  }

  func credentials(of stream: ByteStream) -> Socket.PeerCredentials? { stream.peerCredentials }

  func identity(of stream: ByteStream, _ credentials: Socket.PeerCredentials) -> ProcessIdentity {
    ProcessInspector.inspect(stream, credentials, flatpak)
  }
}
