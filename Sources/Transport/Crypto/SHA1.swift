internal import COpenSSL

/// The SHA-1 hash function (FIPS 180-4), which the handshake of a WebSocket requires (RFC 6455 section 4.2.2).
///
/// The function isn't collision-resistant. The handshake doesn't depend on that property; use ``SHA256`` for everything
/// else.
public enum SHA1 {
  /// The number of bytes in a hash.
  public static let byteCount = 20

  /// Returns the 20 bytes of the hash of `bytes`.
  public static func hash(_ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: byteCount)
    let isDone =
      unsafe EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha1(), nil) == 1
    precondition(isDone, "OpenSSL's SHA-1 operation succeeded")
    return digest
  }
}
