internal import Transport

/// The key and the nonces for the records of one body (RFC 8188 sections 2.2 and 2.3).
struct ContentKeys {
  let cipher: AESGCMCipher
  private let base: [UInt8]

  init(keyingMaterial: [UInt8], salt: [UInt8]) throws(CryptoFailure) {
    cipher = try AESGCMCipher(key: Self.key(keyingMaterial, salt))
    base = try Self.nonce(keyingMaterial, salt)
  }

  static func key(_ keyingMaterial: [UInt8], _ salt: [UInt8]) throws(CryptoFailure) -> [UInt8] {
    try HKDF.key(
      from: keyingMaterial, salt: salt, info: Array("Content-Encoding: aes128gcm".utf8) + [0],
      count: AESGCMCipher.keyBytes)
  }

  static func nonce(_ keyingMaterial: [UInt8], _ salt: [UInt8]) throws(CryptoFailure) -> [UInt8] {
    try HKDF.key(
      from: keyingMaterial, salt: salt, info: Array("Content-Encoding: nonce".utf8) + [0],
      count: AESGCMCipher.nonceBytes)
  }

  /// Returns the nonce of a record, whose number is 0 for the first record.
  func nonce(of record: Int) -> [UInt8] {
    var nonce = base
    for index in 0..<8 {
      let byte = UInt8(truncatingIfNeeded: record >> (8 * index))
      nonce[nonce.count - 1 - index] ^= byte
    }
    return nonce
  }
}
