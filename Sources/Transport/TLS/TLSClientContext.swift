import COpenSSL

/// The TLS configuration of a client, for any number of streams on any loops.
///
/// The client always verifies the server.
public final class TLSClientContext: Sendable {
  let handle: TLSContextHandle
  let alpn: ALPNList

  /// Creates a context that trusts `caPEM`, or the system's roots if `caPEM` is nil.
  ///
  /// If `trustsSystemRoots` is true, the context trusts the system's roots in addition to `caPEM`.
  ///
  /// If a certificate is specified, the client presents it.
  ///
  /// The client might send data before the server has checked the client's certificate. A rejection of the certificate
  /// can therefore be reported after the stream has opened.
  public init(
    caPEM: [UInt8]?, trustsSystemRoots: Bool = false, certificateChainPEM: [UInt8]? = nil,
    privateKeyPEM: [UInt8]? = nil, alpn: [String] = [], minimumVersion: TLSVersion = .tls12
  ) throws(TLSFailure) {
    handle = try TLSContextHandle(server: false, minimumVersion: minimumVersion)
    self.alpn = try ALPNList(alpn)
    if let caPEM {
      try handle.trust(caPEM: caPEM, namesToClients: false)
    }
    if caPEM == nil || trustsSystemRoots { try handle.trustSystemRoots() }
    if let certificateChainPEM, let privateKeyPEM {
      try handle.use(certificateChainPEM: certificateChainPEM, privateKeyPEM: privateKeyPEM)
    }
    unsafe SSL_CTX_set_verify(handle.raw, SSL_VERIFY_PEER, nil)
    guard !alpn.isEmpty else { return }
    // Unlike most OpenSSL functions, `SSL_CTX_set_alpn_protos` returns 0 on success.
    let refused = unsafe SSL_CTX_set_alpn_protos(
      handle.raw, self.alpn.wire, UInt32(self.alpn.wire.count))
    guard refused == 0 else { throw .library(OpenSSLErrors.popReason()) }
  }

  /// Throws if a client can't present this certificate chain with this private key.
  public static func check(
    certificateChainPEM: [UInt8], privateKeyPEM: [UInt8]
  ) throws(TLSFailure) {
    let handle = try TLSContextHandle(server: false, minimumVersion: .tls12)
    try handle.use(certificateChainPEM: certificateChainPEM, privateKeyPEM: privateKeyPEM)
  }
}
