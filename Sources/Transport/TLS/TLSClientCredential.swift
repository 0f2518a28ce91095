internal import COpenSSL

/// The certificate chain that a client presents, and the key of its own certificate.
///
/// A credential is separate from the ``TLSClientContext``, which many clients share, because a context for each client
/// would cost more than the client's handshake.
@safe public final class TLSClientCredential: Sendable {
  private let certificates: [X509Handle]
  private let key: EVPKey

  /// Reads the chain, which starts with the client's own certificate.
  ///
  /// `key` must be the key of that certificate.
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

  /// Configures `ssl` to present this credential, and returns true on success.
  func use(for ssl: OpaquePointer) -> Bool {
    guard let own = certificates.first, unsafe SSL_use_certificate(ssl, own.pointer) == 1,
      unsafe SSL_use_PrivateKey(ssl, key.pointer) == 1
    else { return false }
    return certificates.dropFirst().allSatisfy {
      unsafe belfry_ssl_add_chain_certificate(ssl, $0.pointer) == 1
    }
  }
}
