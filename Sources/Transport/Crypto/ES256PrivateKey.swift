internal import COpenSSL

/// An ECDSA key on P-256 that signs with SHA-256.
///
/// These keys sign provider tokens (ES256 in RFC 7518; apns-protocol.md 2.1) and authenticate devices.
public final class ES256PrivateKey: Sendable {
  let key: EVPKey
  /// The public half of the key, which verifies the signatures.
  public let publicKey: ES256PublicKey

  private init(_ key: EVPKey) throws(CryptoFailure) {
    self.key = key
    publicKey = try ES256PublicKey(spkiDER: key.publicDER())
  }

  /// Generates a new key.
  public convenience init() throws(CryptoFailure) {
    try self.init(EVPKey.generate())
  }

  /// Reads the key in a `.p8` file, which contains a single unencrypted PEM block.
  ///
  /// The block is in PKCS#8 format, or in SEC 1 format, which OpenSSL's tools still write. Throws if the key is
  /// encrypted or isn't an ECDSA key on P-256.
  public convenience init(pkcs8PEM: [UInt8]) throws(CryptoFailure) {
    try self.init(EVPKey.reading(pem: pkcs8PEM))
  }

  /// Reads a private number of 32 bytes, the form in which Web Push libraries store a key.
  ///
  /// Throws if the number is 0, or not below the order of the curve's group.
  public convenience init(scalar: [UInt8]) throws(CryptoFailure) {
    try self.init(EVPKey.reading(scalar: scalar))
  }

  /// Returns the private number in 32 bytes.
  public func scalar() throws(CryptoFailure) -> [UInt8] {
    try key.scalar()
  }

  /// Returns the key in the `.p8` format that Apple uses: PKCS#8 in PEM, unencrypted.
  public func pkcs8PEM() throws(CryptoFailure) -> [UInt8] {
    try key.pkcs8PEM()
  }

  /// Signs `message`, and returns 64 bytes, `r‖s`, as in JSON Web Signatures.
  public func sign(_ message: UnsafeRawBufferPointer) throws(CryptoFailure) -> [UInt8] {
    guard let raw = ECDSASignature.raw(fromDER: try unsafe signDER(message)) else {
      throw .malformed(expected: "an ECDSA signature")
    }
    return raw
  }

  /// Signs `message`, and returns 64 bytes, `r‖s`, as in JSON Web Signatures.
  public func sign(_ message: [UInt8]) throws(CryptoFailure) -> [UInt8] {
    guard let raw = ECDSASignature.raw(fromDER: try signDER(message)) else {
      throw .malformed(expected: "an ECDSA signature")
    }
    return raw
  }

  /// Signs `message`, and returns a DER `ECDSA-Sig-Value` of 70 to 72 bytes, the form that OpenSSL's tools write.
  public func signDER(_ message: [UInt8]) throws(CryptoFailure) -> [UInt8] {
    let signed: Result<[UInt8], CryptoFailure> = unsafe message.withUnsafeBytes { bytes in
      Result { () throws(CryptoFailure) in try unsafe signDER(bytes) }
    }
    return try signed.get()
  }

  /// Signs `message`, and returns a DER `ECDSA-Sig-Value` of 70 to 72 bytes, the form that OpenSSL's tools write.
  public func signDER(_ message: UnsafeRawBufferPointer) throws(CryptoFailure) -> [UInt8] {
    guard let context = unsafe EVP_MD_CTX_new() else { throw OpenSSLErrors.failure("sign") }
    defer { unsafe EVP_MD_CTX_free(context) }
    guard unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key.pointer) == 1 else {
      throw OpenSSLErrors.failure("sign")
    }
    var count = ECDSASignature.derBytesMax
    var done: Int32 = 0
    let signature = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
      done = unsafe EVP_DigestSign(
        context, buffer.baseAddress, &count, message.bindMemory(to: UInt8.self).baseAddress,
        message.count)
      used = done == 1 ? count : 0
    }
    guard done == 1 else { throw OpenSSLErrors.failure("sign") }
    return signature
  }
}
