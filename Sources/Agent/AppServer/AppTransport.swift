import System
import Transport

/// A source of the connections of apps and commands, with the processes at their other ends: the machine's Unix socket,
/// or a simulated one.
protocol AppTransport: AnyObject {
  /// Starts to accept connections on `loop`.
  ///
  /// `accept` is called for each connection, and returns the handler of the connection, or nil to close it.
  func listen(
    on loop: EventLoop, accept: @escaping (ByteStream) -> (any StreamHandler)?
  ) throws(SystemFailure)

  /// Stops accepting connections.
  ///
  /// Accepted connections stay open.
  func close()

  /// Returns the credentials of the process that opened a connection; nil if the kernel doesn't report them.
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

  /// Creates a transport for the socket at `path`, which replaces a socket file left behind by an agent that has
  /// exited.
  ///
  /// With `descriptor`, the transport uses a socket that already listens at `path`; the socket's file then outlives it.
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
