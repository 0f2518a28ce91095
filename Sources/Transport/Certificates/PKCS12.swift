internal import COpenSSL

/// An encoder for PKCS#12 files (`.p12`), which contain a certificate and its key, protected by a password.
public enum PKCS12 {
  /// Encodes `certificatePEM` with its key and, if specified, with its authority.
  ///
  /// With `legacy`, the function writes the format of earlier Keychain Access versions, which old clients can read:
  /// 40-bit RC2 for the certificate, triple DES for the key, and SHA-1. This format requires OpenSSL's legacy provider;
  /// without the provider, the function throws `.legacyProviderMissing`. Without `legacy`, the function uses AES-256,
  /// PBKDF2, and SHA-256.
  public static func encode(
    certificatePEM: [UInt8], privateKeyPEM: [UInt8], authorityPEM: [UInt8]?, name: String,
    password: String, legacy: Bool
  ) throws(CryptoFailure) -> [UInt8] {
    let certificate = try X509Handle(pem: certificatePEM)
    let key = try EVPKey.reading(pem: privateKeyPEM, kind: .any)
    let authorities = try X509Stack()
    if let authorityPEM { try authorities.push(X509Handle(pem: authorityPEM)) }
    let library = try LibraryContext(legacy: legacy)
    let made = unsafe PKCS12_create_ex(
      password, name, key.pointer, certificate.pointer, authorities.pointer,
      legacy ? NID_pbe_WithSHA1And3_Key_TripleDES_CBC : NID_aes_256_cbc,
      legacy ? NID_pbe_WithSHA1And40BitRC2_CBC : NID_aes_256_cbc,
      Limits.passwordIterations, -1, 0, library.pointer, nil)
    guard let file = unsafe made else { throw OpenSSLErrors.failure("encode PKCS#12") }
    defer { unsafe PKCS12_free(file) }
    let digest = unsafe (legacy ? EVP_sha1() : EVP_sha256())
    guard
      unsafe PKCS12_set_mac(file, password, -1, nil, 0, Limits.passwordIterations, digest) == 1
    else { throw OpenSSLErrors.failure("protect PKCS#12") }
    return try unsafe derBytes("encode PKCS#12") { unsafe i2d_PKCS12(file, $0) }
  }
}

extension PKCS12 {
  /// Throws `.legacyProviderMissing` if the legacy format can't be written on this machine.
  public static func requireLegacy() throws(CryptoFailure) { _ = try LibraryContext(legacy: true) }
}

/// A separate library context, so that the weak algorithms are available only here.
@safe private final class LibraryContext {
  let pointer: OpaquePointer
  private var base: OpaquePointer?
  private var weak: OpaquePointer?

  init(legacy: Bool) throws(CryptoFailure) {
    guard let pointer = unsafe OSSL_LIB_CTX_new() else {
      throw OpenSSLErrors.failure("create a library context")
    }
    unsafe self.pointer = pointer
    unsafe base = OSSL_PROVIDER_load(pointer, "default")
    if legacy { unsafe weak = OSSL_PROVIDER_load(pointer, "legacy") }
    guard unsafe base != nil, unsafe weak != nil || !legacy else {
      ERR_clear_error()
      throw .legacyProviderMissing
    }
  }

  deinit {
    if let weak = unsafe weak { unsafe OSSL_PROVIDER_unload(weak) }
    if let base = unsafe base { unsafe OSSL_PROVIDER_unload(base) }
    unsafe OSSL_LIB_CTX_free(pointer)
  }
}

/// A stack of certificates that retains the handles of its certificates.
@safe private final class X509Stack {
  let pointer: OpaquePointer
  private var handles: [X509Handle] = []

  init() throws(CryptoFailure) {
    guard let pointer = unsafe OPENSSL_sk_new_null() else {
      throw OpenSSLErrors.failure("create a certificate list")
    }
    unsafe self.pointer = pointer
  }

  func push(_ handle: X509Handle) throws(CryptoFailure) {
    guard unsafe OPENSSL_sk_push(pointer, UnsafeRawPointer(handle.pointer)) > 0 else {
      throw OpenSSLErrors.failure("add to a certificate list")
    }
    handles.append(handle)
  }

  deinit { unsafe OPENSSL_sk_free(pointer) }
}
