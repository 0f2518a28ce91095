import System

/// The owner of a stream, which is called on the thread of the stream's loop.
public protocol StreamHandler: AnyObject {
  /// Called when the stream is connected and, with TLS, the handshake has finished.
  func streamOpened(_ stream: ByteStream)

  /// Called when plaintext has arrived.
  ///
  /// The bytes are valid only during the call.
  func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer)

  /// Called when the peer has finished sending but might still read.
  ///
  /// Return true if the peer has sent a request that isn't answered yet. The stream then stays open for writing for at
  /// most 30 s, and the handler calls `close` after its last answer. If this method returns false, the stream closes
  /// once queued bytes have been sent.
  func streamAwaitsAnswers(_ stream: ByteStream) -> Bool

  /// Called when unsent output has fallen to the low-water mark after it exceeded the high-water mark.
  func streamDrained(_ stream: ByteStream)

  /// Called exactly once when the stream has closed, including after failed connections and handshakes.
  func stream(_ stream: ByteStream, closed reason: StreamClosure)
}

extension StreamHandler {
  /// Returns false, for handlers that never have outstanding answers when the peer has finished sending.
  public func streamAwaitsAnswers(_ stream: ByteStream) -> Bool { false }
}

/// The reason that a stream closed.
public enum StreamClosure: Sendable, Equatable, CustomStringConvertible {
  /// This side called `close`.
  case local
  /// The peer closed the stream properly (with TLS: with close_notify).
  case peer
  /// The peer closed a TLS stream without close_notify, so its last bytes might be missing.
  case truncated
  /// No connection was established. The string contains the reason and a suggestion.
  case connectFailed(String)
  /// The connection broke. The value is the error number of the system call.
  case broken(errno: Int32)
  /// The connection or its handshake timed out.
  case timedOut(Phase)
  /// Either side refused TLS. The string is the reason, such as "certificate revoked".
  case tlsFailed(String)
  /// The peer didn't read the output: more than `Limits.unsentOutputBytes` bytes were waiting.
  case outputOverflow

  /// The phase that timed out.
  public enum Phase: Sendable, Equatable {
    /// Establishing the TCP connection.
    case connect
    /// Completing the TLS handshake.
    case handshake
    /// Sending the last output after `close`.
    case flush
    /// Answering a peer that has finished sending.
    case answers
  }

  /// The reason as one line for a log.
  public var description: String {
    switch self {
    case .local: "closed here"
    case .peer: "closed by the peer"
    case .truncated: "closed by the peer without a TLS close_notify"
    case .connectFailed(let reason): "not connected: \(reason)"
    case .broken(let number): "connection broken: \(SystemFailure.message(number))"
    case .timedOut(.connect): "connection timed out"
    case .timedOut(.handshake): "TLS handshake timed out: check the port"
    case .timedOut(.flush): "the peer did not read the last output in time"
    case .timedOut(.answers): "the last requests were not answered in time"
    case .tlsFailed(let reason): "TLS failed: \(reason)"
    case .outputOverflow: "the peer does not read"
    }
  }
}

extension StreamClosure {
  /// True if this side refused the peer's certificate because no authority that this side trusts has signed it.
  public var isUnknownAuthority: Bool {
    self == .tlsFailed(TLSReason.unknownAuthority) || self == .tlsFailed(TLSReason.wrongSignature)
  }

  /// The reason that the TLS handshake with a client failed, for the server's log; nil if it did not fail.
  ///
  /// A server does not trust another CA for the sake of one client, so the remedy differs from that of a client.
  public var handshakeFailureOfClient: String? {
    guard case .tlsFailed(let reason) = self else { return nil }
    return switch reason {
    case TLSReason.unknownAuthority: TLSReason.unknownClientAuthority
    case TLSReason.refusedAuthority: TLSReason.untrustedByClient
    default: reason
    }
  }

  /// True if the peer refused this side's certificate, as far as the peer's alert indicates.
  public var isOwnCertificateRefused: Bool {
    self == .tlsFailed(TLSReason.refusedAuthority)
      || self == .tlsFailed(TLSReason.refusedCertificate)
  }

  /// True if this side refused the peer's certificate because the certificate is for other names.
  public var isOtherName: Bool { self == .tlsFailed(TLSReason.otherName) }
}

/// The destination of a stream.
public enum Endpoint: Sendable, Hashable, CustomStringConvertible {
  /// A host name or a numeric address, and a port.
  case tcp(host: String, port: UInt16)
  /// The path of a UNIX socket.
  case unix(path: String)

  /// The endpoint as "host:port", or as a path.
  public var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): path
    }
  }
}

/// The security of a listener's streams.
public enum StreamSecurity: Sendable {
  /// Unencrypted bytes from any peer, without an identity.
  case plain
  /// TLS. Clients that don't use TLS are disconnected.
  case tls(TLSServerContext)
  /// Unencrypted bytes from a peer with a given identity, for simulations and tests.
  case identified(StreamIdentity)
}

/// The information that a TLS handshake would have provided about a peer.
public struct StreamIdentity: Sendable {
  /// The certificate that the peer proved to own; nil if the peer has no certificate.
  public var certificate: PeerCertificate?
  /// The protocol that ALPN selected; nil if ALPN wasn't used.
  public var negotiatedProtocol: String?

  /// Creates an identity.
  ///
  /// By default, the peer has neither a certificate nor a protocol.
  public init(certificate: PeerCertificate? = nil, negotiatedProtocol: String? = nil) {
    self.certificate = certificate
    self.negotiatedProtocol = negotiatedProtocol
  }
}
