internal import COpenSSL

/// HKDF with SHA-256 (RFC 5869), which derives keys from a secret.
public enum HKDF {
  /// The maximum number of bytes in a derived key: 255 hashes (RFC 5869 section 2.3).
  static let keyBytesMax = 255 * 32

  /// Derives a key of `count` bytes from `secret`, for the single use that `salt` and `info` identify.
  ///
  /// `count` is in the range 1…8160.
  public static func key(
    from secret: [UInt8], salt: [UInt8], info: [UInt8], count: Int
  ) throws(CryptoFailure) -> [UInt8] {
    guard (1...keyBytesMax).contains(count) else {
      throw .malformed(expected: "a key of 1 to \(keyBytesMax) bytes")
    }
    let root = try authenticate(secret, key: salt)
    var key: [UInt8] = []
    var block: [UInt8] = []
    var number: UInt8 = 0
    while key.count < count {
      number &+= 1
      block = try authenticate(block + info + [number], key: root)
      key += block
    }
    return Array(key.prefix(count))
  }

  /// Returns the HMAC-SHA-256 of a message (RFC 2104).
  static func authenticate(
    _ message: [UInt8], key: [UInt8]
  ) throws(CryptoFailure) -> [UInt8] {
    guard let keyCount = Int32(exactly: key.count) else {
      throw .malformed(expected: "a secret of fewer bytes")
    }
    var code = [UInt8](repeating: 0, count: 32)
    // For an empty key, pass a pointer to a zero byte instead of a null pointer. The result is the same, because HMAC
    // pads keys with zeros.
    let secret = key.isEmpty ? [0] : key
    let isDone =
      unsafe HMAC(
        EVP_sha256(), secret, keyCount, message, message.count, &code, nil) != nil
    guard isDone else { throw OpenSSLErrors.failure("derive a key") }
    return code
  }
}
