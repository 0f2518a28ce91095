internal import COpenSSL

/// A P-256 key for Diffie-Hellman key agreement (SEC 1 section 3.3.1), as in RFC 8291 section 3.1.
public final class ECDHPrivateKey: Sendable {
  private let key: EVPKey
  /// The public half as an uncompressed point of 65 bytes.
  public let point: [UInt8]

  private init(_ key: EVPKey) throws(CryptoFailure) {
    self.key = key
    point = try key.publicPoint()
    assert(point.count == EVPKey.pointBytes, "an uncompressed point has 65 bytes")
  }

  /// Generates a new key.
  public convenience init() throws(CryptoFailure) {
    try self.init(EVPKey.generate())
  }

  /// Reads a private number of 32 bytes.
  ///
  /// Throws if the number is 0, or not below the order of the curve's group.
  public convenience init(scalar: [UInt8]) throws(CryptoFailure) {
    try self.init(EVPKey.reading(scalar: scalar))
  }

  /// Returns the private number in 32 bytes.
  public func scalar() throws(CryptoFailure) -> [UInt8] {
    try key.scalar()
  }

  /// Returns the secret of 32 bytes that this key and the owner of `point` share.
  ///
  /// Throws if `point` isn't the uncompressed form of a point on the curve; the form can't express the point at
  /// infinity.
  public func sharedSecret(with point: [UInt8]) throws(CryptoFailure) -> [UInt8] {
    let peer = try ES256PublicKey(point: point).key
    guard let context = unsafe EVP_PKEY_CTX_new(key.pointer, nil) else {
      throw OpenSSLErrors.failure("create a key context")
    }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var secret = [UInt8](repeating: 0, count: EVPKey.scalarBytes)
    var count = secret.count
    guard unsafe EVP_PKEY_derive_init(context) == 1,
      unsafe EVP_PKEY_derive_set_peer(context, peer.pointer) == 1,
      unsafe EVP_PKEY_derive(context, &secret, &count) == 1
    else { throw OpenSSLErrors.failure("agree on a secret") }
    assert(count == secret.count, "the secret is a coordinate of P-256")
    return secret
  }
}
