internal import COpenSSL

/// The hash that an ECDSA signature covers.
public enum SignatureDigest: Sendable {
  /// SHA-256, as in ES256, the only algorithm that Apple documents.
  case sha256
  /// SHA-512, which one provider library uses even though its key is on P-256 (apns-protocol.md 2.1).
  case sha512
}

/// The public half of an ECDSA key on P-256.
public final class ES256PublicKey: Sendable, Hashable {
  let key: EVPKey
  /// The SubjectPublicKeyInfo in DER (RFC 5480), always 91 bytes.
  ///
  /// The bytes for a key are the same regardless of how the key was encoded, such as with a compressed point or with
  /// the curve's parameters.
  public let spkiDER: [UInt8]

  private init(_ key: EVPKey) throws(CryptoFailure) {
    self.key = key
    spkiDER = Self.spkiPrefix + (try key.publicPoint())
  }

  /// The bytes before the point, which specify an EC key on the named curve P-256 (RFC 5480 2.1.1, 2.2).
  private static let spkiPrefix: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A,
    0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
  ]

  /// Reads the key in `spkiDER`.
  ///
  /// Throws for other kinds of keys, points that aren't on the curve, and trailing bytes.
  public convenience init(spkiDER: [UInt8]) throws(CryptoFailure) {
    guard let pointer = unsafe Self.read(spkiDER) else {
      ERR_clear_error()
      throw .malformed(expected: "a SubjectPublicKeyInfo in DER")
    }
    try self.init(unsafe EVPKey(owning: pointer))
  }

  /// Reads the key in a `PUBLIC KEY` block of PEM.
  public convenience init(spkiPEM: [UInt8]) throws(CryptoFailure) {
    let sink = try ByteSink.reading(spkiPEM)
    guard let pointer = unsafe PEM_read_bio_PUBKEY(sink.bio, nil, nil, nil) else {
      ERR_clear_error()
      throw .malformed(expected: "a public key in PEM")
    }
    try self.init(unsafe EVPKey(owning: pointer))
  }

  /// Reads the uncompressed form of a point, 65 bytes that begin with 0x04 (SEC 1 section 2.3.4).
  ///
  /// Throws for other forms, and for points that aren't on the curve.
  public convenience init(point: [UInt8]) throws(CryptoFailure) {
    guard point.count == EVPKey.pointBytes, point.first == 0x04 else {
      throw .malformed(expected: "an uncompressed point of P-256 in 65 bytes")
    }
    try self.init(spkiDER: Self.spkiPrefix + point)
  }

  /// The uncompressed form of the point: 65 bytes.
  public var point: [UInt8] { Array(spkiDER.suffix(EVPKey.pointBytes)) }

  private static func read(_ bytes: [UInt8]) -> OpaquePointer? {
    guard bytes.count <= Limits.credentialBytesMax else { return nil }
    return unsafe bytes.withUnsafeBufferPointer { buffer -> OpaquePointer? in
      var cursor = buffer.baseAddress
      guard let key = unsafe d2i_PUBKEY(nil, &cursor, buffer.count) else { return nil }
      guard unsafe cursor == buffer.baseAddress.map({ unsafe $0 + buffer.count }) else {
        unsafe EVP_PKEY_free(key)
        return nil
      }
      return unsafe key
    }
  }

  /// Returns true if `rawSignature` (`r‖s`: 64 bytes, or wider with leading zeros) is this key's signature of
  /// `message`.
  ///
  /// Verification takes about 80 µs, so cache the result.
  public func verify(
    rawSignature: UnsafeRawBufferPointer, message: UnsafeRawBufferPointer,
    digest: SignatureDigest = .sha256
  ) -> Bool {
    unsafe withUnsafeTemporaryAllocation(
      byteCount: ECDSASignature.derBytesMax, alignment: 1
    ) { der in
      guard let count = unsafe ECDSASignature.writeDER(of: rawSignature, into: der) else {
        return false
      }
      let signature = unsafe UnsafeRawBufferPointer(rebasing: der[..<count])
      return unsafe verify(derSignature: signature, message: message, digest: digest)
    }
  }

  /// Returns true if `derSignature` (`ECDSA-Sig-Value`) is this key's signature of `message`.
  public func verify(
    derSignature: UnsafeRawBufferPointer, message: UnsafeRawBufferPointer,
    digest: SignatureDigest = .sha256
  ) -> Bool {
    guard let context = unsafe EVP_MD_CTX_new() else { return false }
    defer { unsafe EVP_MD_CTX_free(context) }
    let hash = unsafe (digest == .sha256 ? EVP_sha256() : EVP_sha512())
    guard unsafe EVP_DigestVerifyInit(context, nil, hash, nil, key.pointer) == 1 else {
      ERR_clear_error()
      return false
    }
    let answer = unsafe EVP_DigestVerify(
      context, derSignature.bindMemory(to: UInt8.self).baseAddress, derSignature.count,
      message.bindMemory(to: UInt8.self).baseAddress, message.count)
    if answer != 1 { ERR_clear_error() }
    return answer == 1
  }

  /// Returns true if `rawSignature` is this key's signature of `message`.
  public func verify(rawSignature: [UInt8], message: [UInt8]) -> Bool {
    unsafe rawSignature.withUnsafeBytes { signature in
      unsafe message.withUnsafeBytes { message in
        unsafe verify(rawSignature: signature, message: message)
      }
    }
  }

  /// Returns true if `derSignature` is this key's signature of `message`.
  public func verify(derSignature: [UInt8], message: [UInt8]) -> Bool {
    unsafe derSignature.withUnsafeBytes { signature in
      unsafe message.withUnsafeBytes { message in
        unsafe verify(derSignature: signature, message: message)
      }
    }
  }

  /// Compares the keys by their DER form.
  public static func == (one: ES256PublicKey, other: ES256PublicKey) -> Bool {
    one.spkiDER == other.spkiDER
  }

  /// Hashes the key's DER form.
  public func hash(into hasher: inout Hasher) { hasher.combine(spkiDER) }
}
