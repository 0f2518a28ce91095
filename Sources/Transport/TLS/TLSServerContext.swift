import COpenSSL

/// The TLS configuration of a server, for any number of streams on any loops.
public final class TLSServerContext: Sendable {
  /// The policy for client certificates.
  public enum ClientCertificates: Sendable {
    /// Certificates are not requested, so clients have no identity.
    case none
    /// Certificates are requested.
    ///
    /// A client without a certificate is accepted. A client whose certificate fails verification is rejected.
    case optional(caPEM: [UInt8])
    /// Certificates are required. A client without a certificate is rejected.
    case required(caPEM: [UInt8])
  }

  /// The policy for a client whose ALPN list contains none of the server's protocols.
  ///
  /// A client without ALPN is always accepted.
  public enum UnmatchedALPN: Sendable {
    /// The client is rejected with the no_application_protocol alert.
    case refuse
    /// The client is accepted as if it hadn't used ALPN.
    case ignore
  }

  /// The owner's decision about a verified client certificate.
  public enum Verdict: Sendable {
    /// Continue the handshake, with the certificate as the identity of the client.
    case accept
    /// Reject the client with the certificate_revoked alert.
    case revoked
    /// Reject the client with the certificate_expired alert.
    case expired
    /// Reject the client with the unknown_ca alert.
    case unknownAuthority
  }

  /// A certificate for clients that request one of its host names through SNI.
  public struct Identity: Sendable {
    /// The certificate, followed by its issuers, in PEM.
    public var certificateChainPEM: [UInt8]
    /// The certificate's key in PEM.
    public var privateKeyPEM: [UInt8]
    /// The host names in lowercase.
    ///
    /// `*.example.org` matches all names with exactly one more label.
    public var hostNames: [String]

    /// Creates an identity from a certificate, its key, and its host names.
    public init(certificateChainPEM: [UInt8], privateKeyPEM: [UInt8], hostNames: [String]) {
      self.certificateChainPEM = certificateChainPEM
      self.privateKeyPEM = privateKeyPEM
      self.hostNames = hostNames
    }
  }

  /// The OpenSSL form of an identity.
  private struct Alternate: Sendable {
    let handle: TLSContextHandle
    let hostNames: [String]

    init(_ identity: Identity) throws(TLSFailure) {
      handle = try TLSContextHandle(server: true, minimumVersion: .tls12)
      try handle.use(
        certificateChainPEM: identity.certificateChainPEM, privateKeyPEM: identity.privateKeyPEM)
      hostNames = identity.hostNames
    }

    func isFor(_ name: String) -> Bool {
      hostNames.contains { host in
        guard host.hasPrefix("*.") else { return host == name }
        return name.firstIndex(of: ".").map { name[$0...] == host.dropFirst() } ?? false
      }
    }
  }

  let handle: TLSContextHandle
  let alpn: ALPNList
  let unmatchedALPN: UnmatchedALPN
  let takesOverRecords: Bool
  let recordsPerKey: UInt64
  private let alternates: [Alternate]
  private let check: (@Sendable (PeerCertificate) -> Verdict)?

  /// Reads the certificate and the key in PEM, and throws if they don't match.
  ///
  /// Clients that request a host name of an identity in `alternates` receive the certificate of this identity. If
  /// several identities match, the first match is used. `check` is called on the loop's thread during the handshake.
  ///
  /// With `takeOverRecords`, TLS 1.3 streams need about 300 bytes instead of 14 KB while idle. In return, their
  /// `peerCertificate` is available only until `streamOpened` has returned. `recordsPerKey` is the number of records
  /// after which a stream's key is renewed (RFC 8446 section 5.5 allows 2^24.5).
  public init(
    certificateChainPEM: [UInt8], privateKeyPEM: [UInt8], alternates: [Identity] = [],
    alpn: [String],
    unmatchedALPN: UnmatchedALPN = .refuse, clientCertificates: ClientCertificates = .none,
    minimumVersion: TLSVersion = .tls12, takeOverRecords: Bool = false,
    recordsPerKey: UInt64 = 16_777_216,
    check: (@Sendable (PeerCertificate) -> Verdict)? = nil
  ) throws(TLSFailure) {
    handle = try TLSContextHandle(server: true, minimumVersion: minimumVersion)
    self.alpn = try ALPNList(alpn)
    self.unmatchedALPN = unmatchedALPN
    takesOverRecords = takeOverRecords
    self.recordsPerKey = recordsPerKey
    self.check = check
    var others: [Alternate] = []
    for identity in alternates { others.append(try Alternate(identity)) }
    self.alternates = others
    try handle.use(certificateChainPEM: certificateChainPEM, privateKeyPEM: privateKeyPEM)
    switch clientCertificates {
    case .none:
      unsafe SSL_CTX_set_verify(handle.raw, SSL_VERIFY_NONE, nil)
    case .optional(let authority):
      try handle.trust(caPEM: authority, namesToClients: true)
      unsafe SSL_CTX_set_verify(handle.raw, SSL_VERIFY_PEER, nil)
    case .required(let authority):
      try handle.trust(caPEM: authority, namesToClients: true)
      unsafe SSL_CTX_set_verify(
        handle.raw, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    }
    // Every connection keeps this object alive, so the callbacks can use an unretained reference.
    let this = unsafe Unmanaged.passUnretained(self).toOpaque()
    if !alpn.isEmpty {
      unsafe SSL_CTX_set_alpn_select_cb(
        handle.raw, { unsafe TLSServerContext.selectALPN($1, $2, $3, $4, $5) }, this)
    }
    if !others.isEmpty {
      unsafe SSL_CTX_set_cert_cb(
        handle.raw, { unsafe TLSServerContext.chooseIdentity($0, $1) }, this)
    }
    if check != nil {
      unsafe SSL_CTX_set_cert_verify_callback(
        handle.raw, { unsafe TLSServerContext.verify($0, $1) }, this)
    }
    if takeOverRecords {
      unsafe SSL_CTX_set_keylog_callback(handle.raw) { unsafe TLSSession.logSecret($0, $1) }
    }
  }

  private static func selectALPN(
    _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ chosenCount: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?,
    _ offeredCount: UInt32, _ argument: UnsafeMutableRawPointer?
  ) -> Int32 {
    guard let argument = unsafe argument, let offered = unsafe offered else {
      return SSL_TLSEXT_ERR_NOACK
    }
    return unsafe Unmanaged<TLSServerContext>.fromOpaque(argument)._withUnsafeGuaranteedRef {
      let list = unsafe UnsafeRawBufferPointer(start: offered, count: Int(offeredCount))
      guard let found = unsafe $0.alpn.choose(from: list) else {
        return $0.unmatchedALPN == .refuse ? SSL_TLSEXT_ERR_ALERT_FATAL : SSL_TLSEXT_ERR_NOACK
      }
      unsafe chosen?.pointee = offered + found.offset
      unsafe chosenCount?.pointee = UInt8(found.count)
      return SSL_TLSEXT_ERR_OK
    }
  }

  private static func chooseIdentity(
    _ ssl: OpaquePointer?, _ argument: UnsafeMutableRawPointer?
  ) -> Int32 {
    guard let ssl = unsafe ssl, let argument = unsafe argument,
      let asked = unsafe belfry_ssl_server_name(ssl)
    else { return 1 }
    return unsafe Unmanaged<TLSServerContext>.fromOpaque(argument)._withUnsafeGuaranteedRef {
      let name = unsafe String(cString: asked).lowercased()
      guard let alternate = $0.alternates.first(where: { $0.isFor(name) }) else { return 1 }
      return unsafe belfry_ssl_use_identity(ssl, alternate.handle.raw)
    }
  }

  private static func verify(
    _ store: OpaquePointer?, _ argument: UnsafeMutableRawPointer?
  ) -> Int32 {
    let verified = unsafe X509_verify_cert(store)
    guard verified == 1, let argument = unsafe argument,
      let raw = unsafe X509_STORE_CTX_get0_cert(store)
    else { return verified }
    return unsafe Unmanaged<TLSServerContext>.fromOpaque(argument)._withUnsafeGuaranteedRef {
      let error = unsafe $0.refusal(of: raw)
      guard error != X509_V_OK else { return 1 }
      unsafe X509_STORE_CTX_set_error(store, error)
      return 0
    }
  }

  private func refusal(of raw: OpaquePointer) -> Int32 {
    guard let check else { return X509_V_OK }
    guard let certificate = unsafe TLSSession.certificate(raw) else {
      return X509_V_ERR_UNSPECIFIED
    }
    switch check(certificate) {
    case .accept: return X509_V_OK
    case .revoked: return X509_V_ERR_CERT_REVOKED
    case .expired: return X509_V_ERR_CERT_HAS_EXPIRED
    case .unknownAuthority: return X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY
    }
  }
}
