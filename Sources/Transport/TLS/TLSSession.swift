import COpenSSL
import Glibc

/// A TLS connection in OpenSSL, which reads from and writes to the loop's exchange.
@safe final class TLSSession: TLSLayer {
  enum Step {
    case finished
    case needsInput
    case failed(String)
  }

  /// The SSL object, owned by this object and used on one loop at a time.
  private let ssl: OpaquePointer
  /// The BIO, which `ssl` owns.
  private let bio: OpaquePointer
  let context: any Sendable & AnyObject
  private let isServer: Bool
  /// The traffic secrets of a TLS 1.3 server whose records will be taken over.
  private(set) var secrets: TLSSecrets?

  /// OpenSSL's method table for the exchange, created once and never changed.
  nonisolated(unsafe) private static let method = unsafe belfry_tls_bio_method()

  convenience init?(
    server context: TLSServerContext, exchange: UnsafeMutablePointer<belfry_tls_exchange>
  ) {
    unsafe self.init(context.handle, context, isServer: true, exchange)
    if context.takesOverRecords {
      let secrets = TLSSecrets()
      self.secrets = secrets
      // `ssl` doesn't outlive this object, which retains the secrets.
      unsafe SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(secrets).toOpaque())
    }
  }

  /// Creates a client session that expects a certificate for `serverName`.
  ///
  /// The session presents `credential` if it isn't nil.
  convenience init?(
    client context: TLSClientContext, credential: TLSClientCredential?, serverName: String,
    exchange: UnsafeMutablePointer<belfry_tls_exchange>
  ) {
    unsafe self.init(context.handle, context, isServer: false, exchange)
    guard expect(serverName), unsafe credential?.use(for: ssl) != false else {
      ERR_clear_error()
      return nil
    }
  }

  private init?(
    _ handle: TLSContextHandle, _ context: any Sendable & AnyObject, isServer: Bool,
    _ exchange: UnsafeMutablePointer<belfry_tls_exchange>
  ) {
    guard let ssl = unsafe SSL_new(handle.raw) else { return nil }
    guard let method = unsafe Self.method, let bio = unsafe BIO_new(method) else {
      unsafe SSL_free(ssl)
      return nil
    }
    unsafe BIO_set_data(bio, exchange)
    // The same BIO serves both directions, so one reference is enough.
    unsafe SSL_set_bio(ssl, bio, bio)
    unsafe isServer ? SSL_set_accept_state(ssl) : SSL_set_connect_state(ssl)
    unsafe self.ssl = ssl
    unsafe self.bio = bio
    self.context = context
    self.isServer = isServer
  }

  deinit { unsafe SSL_free(ssl) }

  private func expect(_ name: String) -> Bool {
    let parameters = unsafe SSL_get0_param(ssl)
    if unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, name) == 1 { return true }
    ERR_clear_error()
    return unsafe SSL_set1_host(ssl, name) == 1 && belfry_ssl_set_server_name(ssl, name) == 1
  }

  func handshake() -> Step {
    ERR_clear_error()
    let result = unsafe SSL_do_handshake(ssl)
    if result == 1 { return .finished }
    return unsafe SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ
      ? .needsInput : .failed(unsafe TLSReason.pop(ssl))
  }

  override func read(into target: UnsafeMutableRawBufferPointer) -> Reading {
    var count = 0
    let result = unsafe SSL_read_ex(ssl, target.baseAddress, target.count, &count)
    if result == 1 { return .bytes(count) }
    switch unsafe SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ: return .needsInput
    case SSL_ERROR_ZERO_RETURN: return .ended
    default: return .failed(unsafe TLSReason.pop(ssl))
    }
  }

  override func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var written = 0
    guard unsafe SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &written) == 1 else {
      ERR_clear_error()
      return false
    }
    return true
  }

  override func end() {
    _ = unsafe SSL_shutdown(ssl)
    ERR_clear_error()
  }

  override func use(_ shared: StreamLoop) {
    unsafe BIO_set_data(bio, shared.exchange)
  }

  /// Sends a KeyUpdate with the next bytes, and requests a KeyUpdate from the peer.
  func updateKeys() {
    _ = unsafe SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED)
    ERR_clear_error()
  }

  override var negotiatedProtocol: String? {
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    unsafe SSL_get0_alpn_selected(ssl, &name, &count)
    guard let name = unsafe name, count > 0 else { return nil }
    return unsafe String(
      decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
  }

  override var peerCertificate: PeerCertificate? {
    guard let raw = unsafe SSL_get0_peer_certificate(ssl) else { return nil }
    return unsafe Self.certificate(raw)
  }

  /// Returns the certificate that OpenSSL holds, as plain values.
  static func certificate(_ raw: OpaquePointer) -> PeerCertificate? {
    guard unsafe X509_up_ref(raw) == 1 else { return nil }
    return try? PeerCertificate(unsafe X509Handle(owning: raw))
  }

  // MARK: takeover

  /// True if OpenSSL holds no unprocessed bytes from the peer and the protocol is TLS 1.3.
  var canBeTakenOver: Bool {
    unsafe isServer && SSL_version(ssl) == TLS1_3_VERSION && SSL_has_pending(ssl) == 0
  }

  /// The number of the TLS 1.3 cipher suite; 0 if no cipher has been negotiated.
  var cipherSuite: UInt16 {
    guard let cipher = unsafe SSL_get_current_cipher(ssl) else { return 0 }
    return unsafe SSL_CIPHER_get_protocol_id(cipher)
  }

  /// Parses a line of OpenSSL's key log.
  ///
  /// OpenSSL calls this function.
  static func logSecret(_ ssl: OpaquePointer?, _ line: UnsafePointer<CChar>?) {
    guard let ssl = unsafe ssl, let line = unsafe line,
      let holder = unsafe SSL_get_ex_data(ssl, 0)
    else { return }
    unsafe Unmanaged<TLSSecrets>.fromOpaque(holder)._withUnsafeGuaranteedRef {
      unsafe $0.parse(keyLogLine: UnsafeBufferPointer(start: line, count: strlen(line)))
    }
  }
}
