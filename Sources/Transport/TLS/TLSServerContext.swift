/// A server's side of TLS for any number of streams on any loops.
public final class TLSServerContext: Sendable {
  /// Whether clients show certificates.
  public enum ClientCertificates: Sendable {
    /// Never asked for.
    case none
    /// Asked for; a client without one is served, one that does not verify is refused.
    case optional(caPEM: [UInt8])
    /// A client without one is refused.
    case required(caPEM: [UInt8])
  }

  /// What becomes of a client whose ALPN list has none of ours; without ALPN it is always served.
  public enum UnmatchedALPN: Sendable {
    /// The no_application_protocol alert.
    case refuse
    /// Served as if it had offered none.
    case ignore
  }

  /// What the owner thinks of a client certificate that verifies.
  public enum Verdict: Sendable {
    /// Go on.
    case accept
    /// The certificate_revoked alert.
    case revoked
    /// The certificate_expired alert.
    case expired
    /// The unknown_ca alert.
    case unknownAuthority
  }

  /// Reads certificate and key; `check` is asked on the loop's thread during the handshake.
  public init(
    certificateChainPEM: [UInt8], privateKeyPEM: [UInt8], alpn: [String],
    unmatchedALPN: UnmatchedALPN = .refuse, clientCertificates: ClientCertificates = .none,
    minimumVersion: TLSVersion = .tls12, takeOverRecords: Bool = false,
    check: (@Sendable (PeerCertificate) -> Verdict)? = nil
  ) throws(TLSFailure) {
    throw .library("TLS is not built in yet")
  }
}
