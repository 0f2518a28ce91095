internal import COpenSSL

/// A cipher for AES-128-GCM without associated data (NIST SP 800-38D), as in RFC 8188.
///
/// The cipher reuses an EVP context, so many short messages are cheap. A cipher is confined to one thread.
@safe public final class AESGCMCipher {
  /// The number of bytes in a key.
  public static let keyBytes = 16
  /// The number of bytes in a nonce; a nonce must never be used twice with the same key.
  public static let nonceBytes = 12
  /// The difference in bytes between a sealed message and its plaintext: the authentication tag.
  public static let overheadBytes = 16

  private let context: OpaquePointer

  /// Creates a cipher with `key`, which has 16 bytes.
  public init(key: [UInt8]) throws(CryptoFailure) {
    guard key.count == Self.keyBytes else {
      throw .malformed(expected: "a key of \(Self.keyBytes) bytes")
    }
    guard let context = unsafe EVP_CIPHER_CTX_new() else {
      throw OpenSSLErrors.failure("create a cipher context")
    }
    unsafe self.context = context
    guard unsafe EVP_CipherInit_ex(context, EVP_aes_128_gcm(), nil, key, nil, 1) == 1 else {
      throw OpenSSLErrors.failure("initialize AES-GCM")
    }
  }

  /// Returns the ciphertext of `plaintext`, followed by the tag.
  public func seal(_ plaintext: [UInt8], nonce: [UInt8]) throws(CryptoFailure) -> [UInt8] {
    precondition(nonce.count == Self.nonceBytes, "a nonce has 12 bytes")
    guard let count = Int32(exactly: plaintext.count) else {
      throw .malformed(expected: "a shorter message")
    }
    var written: Int32 = 0
    var rest: Int32 = 0
    var isDone = false
    let sealed = unsafe [UInt8](
      unsafeUninitializedCapacity: plaintext.count + Self.overheadBytes
    ) { buffer, used in
      guard let start = buffer.baseAddress else { return }
      isDone =
        unsafe EVP_CipherInit_ex(context, nil, nil, nil, nonce, 1) == 1
        && EVP_CipherUpdate(context, start, &written, plaintext, count) == 1
        && EVP_CipherFinal_ex(context, start + Int(written), &rest) == 1
        && EVP_CIPHER_CTX_ctrl(
          context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.overheadBytes), start + plaintext.count) == 1
      used = isDone ? plaintext.count + Self.overheadBytes : 0
    }
    guard isDone else { throw OpenSSLErrors.failure("encrypt") }
    assert(written == count && rest == 0, "GCM doesn't pad")
    return sealed
  }

  /// Returns the plaintext of `sealed`, or nil if it wasn't sealed with this key and this nonce.
  public func open(_ sealed: ArraySlice<UInt8>, nonce: [UInt8]) -> [UInt8]? {
    precondition(nonce.count == Self.nonceBytes, "a nonce has 12 bytes")
    guard sealed.count >= Self.overheadBytes,
      let count = Int32(exactly: sealed.count - Self.overheadBytes)
    else { return nil }
    var tag = Array(sealed.suffix(Self.overheadBytes))
    var written: Int32 = 0
    var isOpen = false
    // One byte more than necessary, because OpenSSL takes a null pointer for a request of another kind.
    let plaintext = unsafe [UInt8](unsafeUninitializedCapacity: Int(count) + 1) { buffer, used in
      guard let start = buffer.baseAddress else { return }
      isOpen = unsafe sealed.withUnsafeBufferPointer { source in
        var rest: Int32 = 0
        return unsafe EVP_CipherInit_ex(context, nil, nil, nil, nonce, 0) == 1
          && EVP_CipherUpdate(context, start, &written, source.baseAddress, count) == 1
          && EVP_CIPHER_CTX_ctrl(
            context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.overheadBytes), &tag) == 1
          && EVP_CipherFinal_ex(context, start + Int(written), &rest) == 1
      }
      used = isOpen ? Int(count) : 0
    }
    guard isOpen else {
      ERR_clear_error()
      return nil
    }
    assert(written == count, "GCM doesn't pad")
    return plaintext
  }

  deinit { unsafe EVP_CIPHER_CTX_free(context) }
}
