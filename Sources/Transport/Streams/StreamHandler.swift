import System

/// The owner of a stream, called on its loop's thread.
public protocol StreamHandler: AnyObject {
  /// The stream is connected and, with TLS, its handshake is finished.
  func streamOpened(_ stream: ByteStream)

  /// Plaintext has arrived; the bytes are valid during the call only.
  func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer)

  /// The peer sends nothing more, but may still read: returns whether it has asked for something that is not
  /// answered yet.
  ///
  /// With true the stream stays open for writing, for at most 30 s: the handler calls `close` after its last answer.
  /// With false it ends, once what is queued has been sent.
  func streamAwaitsAnswers(_ stream: ByteStream) -> Bool

  /// Unsent output fell to the low-water mark after it had been over the high one.
  func streamDrained(_ stream: ByteStream)

  /// The stream is over: called exactly once, for failed connects and handshakes, too.
  func stream(_ stream: ByteStream, closed reason: StreamClosure)
}

extension StreamHandler {
  /// Returns false: the owner has nothing for a peer that sends nothing more.
  public func streamAwaitsAnswers(_ stream: ByteStream) -> Bool { false }
}

/// Why a stream ended.
public enum StreamClosure: Sendable, Equatable, CustomStringConvertible {
  /// This side called `close`.
  case local
  /// The peer ended the stream in order (with TLS: with close_notify).
  case peer
  /// The peer ended a TLS stream without close_notify: what came last may have been cut.
  case truncated
  /// No connection was made; the text says why and what to do.
  case connectFailed(String)
  /// The connection broke; the error number of the system call.
  case broken(errno: Int32)
  /// The connection or its handshake was not finished in time.
  case timedOut(Phase)
  /// TLS was refused by either side, for one reason, such as "certificate revoked".
  case tlsFailed(String)
  /// The peer did not take what was sent: `Limits.unsentOutputBytes` were waiting.
  case outputOverflow

  /// What was not finished in time.
  public enum Phase: Sendable, Equatable {
    /// The TCP connection.
    case connect
    /// The TLS handshake.
    case handshake
    /// Sending the last output after `close`.
    case flush
    /// The answers to a peer that sends nothing more.
    case answers
  }

  /// One line for a log.
  public var description: String {
    switch self {
    case .local: "closed here"
    case .peer: "closed by the peer"
    case .truncated: "cut off by the peer without a TLS close_notify"
    case .connectFailed(let reason): "not connected: \(reason)"
    case .broken(let number): "connection broken: \(SystemFailure.message(number))"
    case .timedOut(.connect): "not connected in time"
    case .timedOut(.handshake): "TLS handshake not finished in time: check the port"
    case .timedOut(.flush): "the peer did not take the last output in time"
    case .timedOut(.answers): "the last requests were not answered in time"
    case .tlsFailed(let reason): "TLS failed: \(reason)"
    case .outputOverflow: "the peer does not take what is sent"
    }
  }
}

/// Where a stream leads.
public enum Endpoint: Sendable, Hashable, CustomStringConvertible {
  /// A host name or an address in figures, and a port.
  case tcp(host: String, port: UInt16)
  /// A UNIX socket's path.
  case unix(path: String)

  /// "host:port" or the path.
  public var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): path
    }
  }
}

/// Whether a listener's streams are encrypted.
public enum StreamSecurity: Sendable {
  /// Bytes as they are.
  case plain
  /// TLS; clients that speak none are closed.
  case tls(TLSServerContext)
  /// Bytes as they are, from a peer whose identity is known: for simulations and tests.
  case identified(StreamIdentity)
}

/// What a TLS handshake would have told of a peer.
public struct StreamIdentity: Sendable {
  /// The certificate that the peer proved to own; nil: none.
  public var certificate: PeerCertificate?
  /// The protocol that ALPN chose; nil: none.
  public var negotiatedProtocol: String?

  /// An identity; without arguments that of a peer that showed nothing.
  public init(certificate: PeerCertificate? = nil, negotiatedProtocol: String? = nil) {
    self.certificate = certificate
    self.negotiatedProtocol = negotiatedProtocol
  }
}
