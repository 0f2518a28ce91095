import COpenSSL
import Glibc

/// The owner of an `SSL_CTX`.
///
/// The `@unchecked Sendable` conformance is safe because the context changes only within the `init`s of its owners, and
/// OpenSSL allows several threads to create connections from an unchanging context concurrently.
@safe final class TLSContextHandle: @unchecked Sendable {
  let raw: OpaquePointer

  init(server: Bool, minimumVersion: TLSVersion) throws(TLSFailure) {
    OpenSSLLibrary.keepAtExit()
    let method = unsafe server ? TLS_server_method() : TLS_client_method()
    guard let raw = unsafe SSL_CTX_new(method) else {
      throw .library(OpenSSLErrors.popReason())
    }
    unsafe self.raw = raw
    let version = minimumVersion == .tls13 ? TLS1_3_VERSION : TLS1_2_VERSION
    guard unsafe belfry_ctx_set_minimum_version(raw, version) == 1,
      unsafe belfry_ctx_set_groups(raw, "X25519:P-256") == 1,
      unsafe SSL_CTX_set_ciphersuites(raw, Self.suites) == 1,
      unsafe SSL_CTX_set_cipher_list(raw, Self.suitesOfTLS12) == 1
    else { throw .library(OpenSSLErrors.popReason()) }
    // Release buffers when they are empty, which saves 9 KB for each idle connection.
    _ = unsafe belfry_ctx_set_mode(raw, Int(SSL_MODE_RELEASE_BUFFERS))
    // Disable resumption, which saves little with P-256 keys, while tickets cost 100 µs.
    _ = unsafe belfry_ctx_set_session_cache_off(raw)
    _ = unsafe SSL_CTX_set_num_tickets(raw, 0)
    let options = noTicket | noRenegotiation | noCompression | serverPreference | chaChaForPhones
    _ = unsafe SSL_CTX_set_options(raw, options)
  }

  deinit { unsafe SSL_CTX_free(raw) }

  private static let suites =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"

  /// The ciphers of Mozilla's intermediate profile: forward secrecy and authenticated ciphers, without CBC mode.
  ///
  /// The profile's suites with finite-field Diffie-Hellman are omitted, because they require parameters, and because
  /// every client supports elliptic curves.
  private static let suitesOfTLS12 =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
    + "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305"

  func use(certificateChainPEM: [UInt8], privateKeyPEM: [UInt8]) throws(TLSFailure) {
    var isLeaf = true
    try unsafe Self.eachCertificate(certificateChainPEM, what: "certificate chain") {
      (certificate: OpaquePointer) throws(TLSFailure) in
      let added =
        isLeaf
        ? unsafe Int(SSL_CTX_use_certificate(raw, certificate))
        : unsafe belfry_ctx_add_chain_certificate(raw, certificate)
      isLeaf = false
      guard added == 1 else {
        throw .badPEM(what: "certificate chain", reason: OpenSSLErrors.popReason())
      }
    }
    guard let bio = unsafe Self.memory(privateKeyPEM) else { throw .library("out of memory") }
    defer { unsafe BIO_free_all(bio) }
    // Pass an empty passphrase, because OpenSSL would otherwise prompt on the terminal.
    let read = unsafe "".withCString { empty in
      unsafe PEM_read_bio_PrivateKey(bio, nil, nil, UnsafeMutableRawPointer(mutating: empty))
    }
    guard let key = unsafe read else {
      throw .badPEM(what: "private key", reason: OpenSSLErrors.popReason())
    }
    defer { unsafe EVP_PKEY_free(key) }
    guard unsafe SSL_CTX_use_PrivateKey(raw, key) == 1, unsafe SSL_CTX_check_private_key(raw) == 1
    else {
      ERR_clear_error()
      throw .keyMismatch
    }
  }

  /// Trusts the authorities in `caPEM`.
  ///
  /// If `namesToClients` is true, the server also sends the names of these authorities to its clients.
  func trust(caPEM: [UInt8], namesToClients: Bool) throws(TLSFailure) {
    guard let store = unsafe SSL_CTX_get_cert_store(raw) else {
      throw .library("no certificate store")
    }
    try unsafe Self.eachCertificate(caPEM, what: "authority") {
      (certificate: OpaquePointer) throws(TLSFailure) in
      guard unsafe X509_STORE_add_cert(store, certificate) == 1,
        unsafe !namesToClients || SSL_CTX_add_client_CA(raw, certificate) == 1
      else { throw .badPEM(what: "authority", reason: OpenSSLErrors.popReason()) }
    }
  }

  func trustSystemRoots() throws(TLSFailure) {
    guard unsafe SSL_CTX_set_default_verify_paths(raw) == 1 else {
      throw .library(OpenSSLErrors.popReason())
    }
  }

  /// Calls `body` for each certificate in `pem`, which must contain at least one.
  static func eachCertificate(
    _ pem: [UInt8], what: String, _ body: (OpaquePointer) throws(TLSFailure) -> Void
  ) throws(TLSFailure) {
    guard let bio = unsafe memory(pem) else { throw .library("out of memory") }
    defer { unsafe BIO_free_all(bio) }
    var count = 0
    while let certificate = unsafe PEM_read_bio_X509(bio, nil, nil, nil) {
      defer { unsafe X509_free(certificate) }
      count += 1
      try unsafe body(certificate)
    }
    // OpenSSL reports the end of the text as a specific error. Any other error indicates a truncated certificate.
    let reason = OpenSSLErrors.popReason()
    guard count > 0, reason.contains("no start line") else {
      throw .badPEM(what: what, reason: reason)
    }
  }

  private static func memory(_ bytes: [UInt8]) -> OpaquePointer? {
    guard bytes.count <= Limits.credentialBytesMax, let bio = unsafe BIO_new(BIO_s_mem()) else {
      return nil
    }
    unsafe bytes.withUnsafeBytes { source in
      _ = unsafe BIO_write(bio, source.baseAddress, Int32(source.count))
    }
    return unsafe bio
  }
}

// SSL_OP_NO_TICKET and similar options are macros of the form `(uint64_t)1 << (uint64_t)n`, which aren't imported.
/// The option that applies the server's order of ciphers, which starts with AES-128.
///
/// The next option selects ChaCha20 for clients that prefer it.
private let serverPreference: UInt64 = 1 << 22
private let chaChaForPhones: UInt64 = 1 << 21
private let noTicket: UInt64 = 1 << 14
private let noCompression: UInt64 = 1 << 17
private let noRenegotiation: UInt64 = 1 << 30
