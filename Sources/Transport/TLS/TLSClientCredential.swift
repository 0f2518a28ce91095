internal import COpenSSL

/// What a client shows of itself: its certificates, and the key to the first of them.
///
/// Beside a ``TLSClientContext`` that many clients share: a context of its own costs each of them more than
/// its handshake.
@safe public final class TLSClientCredential: Sendable {
  private let certificates: [X509Handle]
  private let key: EVPKey

  /// Reads the chain, the client's own certificate first; `key` has to be that one's.
  public init(certificateChainPEM: [UInt8], key: ES256PrivateKey) throws(TLSFailure) {
    var certificates: [X509Handle] = []
    try unsafe TLSContextHandle.eachCertificate(certificateChainPEM, what: "certificate chain") {
      (certificate: OpaquePointer) in
      _ = unsafe X509_up_ref(certificate)
      certificates.append(unsafe X509Handle(owning: certificate))
    }
    self.certificates = certificates
    self.key = key.key
    guard let own = certificates.first,
      unsafe X509_check_private_key(own.pointer, key.key.pointer) == 1
    else {
      ERR_clear_error()
      throw .keyMismatch
    }
  }

  /// Whether `ssl` shows it from now on.
  func use(for ssl: OpaquePointer) -> Bool {
    guard let own = certificates.first, unsafe SSL_use_certificate(ssl, own.pointer) == 1,
      unsafe SSL_use_PrivateKey(ssl, key.pointer) == 1
    else { return false }
    return certificates.dropFirst().allSatisfy {
      unsafe belfry_ssl_add_chain_certificate(ssl, $0.pointer) == 1
    }
  }
}
