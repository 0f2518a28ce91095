import COpenSSL

@testable import Transport

/// OpenSSL's AES-SIV, as a reference for `SIVCipher`.
enum SIVOracle {
  /// Seals `plaintext` without associated data, and returns the synthetic IV followed by the ciphertext.
  static func seal(_ plaintext: [UInt8], key: [UInt8]) -> [UInt8]? {
    let name = key.count == 32 ? "AES-128-SIV" : "AES-256-SIV"
    let cipher = EVP_CIPHER_fetch(nil, name, nil)
    defer { EVP_CIPHER_free(cipher) }
    let context = EVP_CIPHER_CTX_new()
    defer { EVP_CIPHER_CTX_free(context) }
    var sealed = [UInt8](repeating: 0, count: plaintext.count)
    var tag = [UInt8](repeating: 0, count: SIVCipher.overheadBytes)
    var count: Int32 = 0
    guard EVP_EncryptInit_ex2(context, cipher, key, nil, nil) == 1,
      EVP_EncryptUpdate(context, &sealed, &count, plaintext, Int32(plaintext.count)) == 1,
      EVP_EncryptFinal_ex(context, &sealed, &count) == 1,
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag) == 1
    else {
      ERR_clear_error()
      return nil
    }
    return tag + sealed
  }
}
