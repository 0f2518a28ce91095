internal import COpenSSL

/// The owner of an `EVP_PKEY`, private or public.
///
/// The key is on P-256, unless it is a provider's own TLS key. The `@unchecked Sendable` conformance is safe because
/// the key never changes after `init`, and OpenSSL 3 allows several threads to use an unchanging key concurrently.
@safe final class EVPKey: @unchecked Sendable {
  let pointer: OpaquePointer

  /// The kinds of keys that are accepted.
  enum Kind {
    /// Only ECDSA on P-256.
    case p256
    /// Any kind that OpenSSL supports.
    case any
  }

  /// Takes ownership of `pointer`, which is freed even if its kind is rejected.
  init(owning pointer: OpaquePointer, kind: Kind = .p256) throws(CryptoFailure) {
    unsafe self.pointer = pointer
    guard unsafe kind == .any || Self.isP256(pointer) else { throw .unsupportedKey }
  }

  /// Generates an RSA key pair of 2,048 bits, as in Apple's push certificates.
  static func generateRSA() throws(CryptoFailure) -> EVPKey {
    guard let context = unsafe EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, nil) else {
      throw OpenSSLErrors.failure("create a key context")
    }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var made: OpaquePointer?
    guard unsafe EVP_PKEY_keygen_init(context) == 1,
      unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, Limits.rsaKeyBits) == 1,
      unsafe EVP_PKEY_generate(context, &made) == 1, let made = unsafe made
    else { throw OpenSSLErrors.failure("generate a key") }
    return try unsafe EVPKey(owning: made, kind: .any)
  }

  /// Generates a key pair on P-256.
  static func generate() throws(CryptoFailure) -> EVPKey {
    guard let context = unsafe EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else {
      throw OpenSSLErrors.failure("create a key context")
    }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var made: OpaquePointer?
    guard unsafe EVP_PKEY_keygen_init(context) == 1,
      unsafe EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
      unsafe EVP_PKEY_generate(context, &made) == 1, let made = unsafe made
    else { throw OpenSSLErrors.failure("generate a key") }
    return try unsafe EVPKey(owning: made)
  }

  /// Reads the private key in PEM, and rejects encrypted keys.
  static func reading(pem: [UInt8], kind: Kind = .p256) throws(CryptoFailure) -> EVPKey {
    let sink = try ByteSink.reading(pem)
    // Pass an empty passphrase, because OpenSSL would otherwise prompt on the terminal.
    let read = unsafe "".withCString { empty in
      unsafe PEM_read_bio_PrivateKey(sink.bio, nil, nil, UnsafeMutableRawPointer(mutating: empty))
    }
    guard let pointer = unsafe read else {
      ERR_clear_error()
      throw .malformed(expected: "an unencrypted private key in PEM")
    }
    return try unsafe EVPKey(owning: pointer, kind: kind)
  }

  /// Returns the private key in PKCS#8 PEM, unencrypted.
  func pkcs8PEM() throws(CryptoFailure) -> [UInt8] {
    let sink = try ByteSink()
    guard unsafe PEM_write_bio_PKCS8PrivateKey(sink.bio, pointer, nil, nil, 0, nil, nil) == 1 else {
      throw OpenSSLErrors.failure("encode a private key")
    }
    return sink.bytes()
  }

  /// Returns the public half as SubjectPublicKeyInfo in DER.
  func publicDER() throws(CryptoFailure) -> [UInt8] {
    try unsafe derBytes("encode a public key") { unsafe i2d_PUBKEY(pointer, $0) }
  }

  /// Returns the public half of a P-256 key as an uncompressed point: 65 bytes.
  func publicPoint() throws(CryptoFailure) -> [UInt8] {
    try [0x04] + coordinate("qx") + coordinate("qy")
  }

  private func coordinate(_ name: String) throws(CryptoFailure) -> [UInt8] {
    var number: OpaquePointer?
    guard unsafe EVP_PKEY_get_bn_param(pointer, name, &number) == 1 else {
      throw OpenSSLErrors.failure("read a public key")
    }
    defer { unsafe BN_free(number) }
    var bytes = [UInt8](repeating: 0, count: 32)
    guard unsafe BN_bn2binpad(number, &bytes, 32) == 32 else {
      throw OpenSSLErrors.failure("read a public key")
    }
    return bytes
  }

  private static func isP256(_ pointer: OpaquePointer) -> Bool {
    guard unsafe EVP_PKEY_get_base_id(pointer) == EVP_PKEY_EC else { return false }
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { name in
      var length = 0
      guard
        unsafe EVP_PKEY_get_group_name(pointer, name.baseAddress, name.count, &length) == 1,
        let start = name.baseAddress
      else {
        ERR_clear_error()
        return false
      }
      return unsafe String(cString: start) == "prime256v1"
    }
  }

  deinit { unsafe EVP_PKEY_free(pointer) }
}

/// Runs one of OpenSSL's `i2d_` functions and takes ownership of the memory that the function allocated.
func derBytes(
  _ operation: String, _ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> Int32
) throws(CryptoFailure) -> [UInt8] {
  var encoded: UnsafeMutablePointer<UInt8>?
  let count = unsafe encode(&encoded)
  guard count > 0, let start = unsafe encoded else { throw OpenSSLErrors.failure(operation) }
  defer { unsafe CRYPTO_free(start, nil, 0) }
  return unsafe [UInt8](UnsafeBufferPointer(start: start, count: Int(count)))
}
