public import System

/// A TCP or UNIX socket, plain or with TLS, confined to its loop.
public final class ByteStream {
  /// The loop that it lives on.
  public let loop: EventLoop
  /// Whatever the owner wants to find again.
  public var context: AnyObject?

  init(loop: EventLoop) { self.loop = loop }

  /// Begins a connection; the handler hears of its success or failure, never within this call.
  ///
  /// `serverName` is verified against the certificate and sent as SNI; without it the endpoint's
  /// host is.
  public static func connect(
    on loop: EventLoop, to endpoint: Endpoint, tls: TLSClientContext?, serverName: String? = nil,
    timeoutNanoseconds: Int64, handler: any StreamHandler
  ) -> ByteStream {
    ByteStream(loop: loop)
  }

  /// The peer's address such as "127.0.0.1:50000", or "unix".
  public var peerDescription: String { "" }
  /// The peer's address; nil for a UNIX socket.
  public var peerAddress: SocketAddress? { nil }
  /// The protocol that ALPN chose.
  public var negotiatedProtocol: String? { nil }
  /// The peer's verified certificate, until `streamOpened` has returned where records are taken
  /// over, else for the stream's life.
  public var peerCertificate: PeerCertificate? { nil }
  /// Who is at the other end of a UNIX socket.
  public var peerCredentials: Socket.PeerCredentials? { nil }
  /// Bytes read from the socket so far.
  public private(set) var bytesIn: UInt64 = 0
  /// Bytes written to the socket so far.
  public private(set) var bytesOut: UInt64 = 0
  /// Bytes that `write` took and the socket has not.
  public var pendingOutputBytes: Int { 0 }
  /// False once `close` was called or the stream has ended.
  public var isOpen: Bool { false }

  /// Queues bytes: one write(2) at the end of the loop's turn sends all that was queued.
  public func write(_ bytes: UnsafeRawBufferPointer) {}
  /// Queues bytes.
  public func write(_ bytes: [UInt8]) {}
  /// Stops taking bytes from the socket, so that the peer has to wait.
  public func pauseReading() {}
  /// Takes bytes again.
  public func resumeReading() {}
  /// Ends the stream; with `afterFlush` what is queued is sent first (for at most 10 s).
  public func close(afterFlush: Bool = true) {}
  /// Takes the stream off its loop, to be attached to another one; `unread` goes before what comes.
  public func detach(unread: [UInt8] = []) -> DetachedStream { DetachedStream() }
}
