import COpenSSL

/// A client's side of TLS for any number of streams on any loops; the server is always verified.
public final class TLSClientContext: Sendable {
  let handle: TLSContextHandle
  let alpn: ALPNList

  /// Trusts `caPEM`, or without it the system's roots; shows a certificate when given one.
  ///
  /// The client may speak first, so a server that refuses its certificate is heard of afterwards.
  public init(
    caPEM: [UInt8]?, certificateChainPEM: [UInt8]? = nil, privateKeyPEM: [UInt8]? = nil,
    alpn: [String] = [], minimumVersion: TLSVersion = .tls12
  ) throws(TLSFailure) {
    handle = try TLSContextHandle(server: false, minimumVersion: minimumVersion)
    self.alpn = try ALPNList(alpn)
    if let caPEM {
      try handle.trust(caPEM: caPEM, namesToClients: false)
    } else {
      try handle.trustSystemRoots()
    }
    if let certificateChainPEM, let privateKeyPEM {
      try handle.use(certificateChainPEM: certificateChainPEM, privateKeyPEM: privateKeyPEM)
    }
    unsafe SSL_CTX_set_verify(handle.raw, SSL_VERIFY_PEER, nil)
    guard !alpn.isEmpty else { return }
    // This one of OpenSSL's functions says 0 when it is done.
    let refused = unsafe SSL_CTX_set_alpn_protos(
      handle.raw, self.alpn.wire, UInt32(self.alpn.wire.count))
    guard refused == 0 else { throw .library(OpenSSLErrors.popReason()) }
  }
}
