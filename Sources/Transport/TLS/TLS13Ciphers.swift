import COpenSSL

/// The AEAD contexts shared by all streams on a loop that use the module's own record layer.
///
/// The contexts are rekeyed for each use, so that streams don't need their own.
@safe package final class TLS13Ciphers {
  /// One context for each cipher and direction, created on first use and owned by this object.
  private var contexts: [OpaquePointer?]

  package init() { unsafe contexts = [OpaquePointer?](repeating: nil, count: 6) }

  deinit {
    for index in 0..<6 { unsafe EVP_CIPHER_CTX_free(contexts[index]) }
  }

  /// Returns a context with this key, or nil if OpenSSL can't allocate memory.
  package func context(_ cipher: TLS13Cipher, encrypts: Bool, _ keys: inout TLS13Keys)
    -> OpaquePointer?
  {
    let index = cipher.rawValue * 2 + (encrypts ? 1 : 0)
    let direction: Int32 = encrypts ? 1 : 0
    let known = unsafe contexts[index] ?? make(cipher, direction)
    guard let context = unsafe known else { return nil }
    unsafe contexts[index] = context
    var key = keys.key
    defer {
      unsafe withUnsafeMutableBytes(of: &key) { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
    }
    let isKeyed = unsafe withUnsafeBytes(of: &key) { key in
      unsafe EVP_CipherInit_ex(
        context, nil, nil, key.baseAddress?.assumingMemoryBound(to: UInt8.self), nil, direction)
    }
    return isKeyed == 1 ? unsafe context : nil
  }

  private func make(_ cipher: TLS13Cipher, _ direction: Int32) -> OpaquePointer? {
    guard let context = unsafe EVP_CIPHER_CTX_new() else { return nil }
    let algorithm =
      switch cipher {
      case .aes128: unsafe EVP_aes_128_gcm()
      case .aes256: unsafe EVP_aes_256_gcm()
      case .chacha20: unsafe EVP_chacha20_poly1305()
      }
    guard unsafe EVP_CipherInit_ex(context, algorithm, nil, nil, nil, direction) == 1 else {
      unsafe EVP_CIPHER_CTX_free(context)
      return nil
    }
    return unsafe context
  }

  /// Encrypts `content` and its type as one record at `target`.
  ///
  /// The type is the number of a `TLSContentType`. `target` must have room for 22 additional bytes.
  package static func seal(
    _ context: OpaquePointer, _ keys: inout TLS13Keys, _ type: UInt8,
    _ content: UnsafeRawBufferPointer, into target: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    let length = content.count + 1 + TLSRecord.tagBytes
    assert(length <= TLSRecord.ciphertextBytes, "the record is within its size limit")
    unsafe target[0] = TLSContentType.applicationData.rawValue
    unsafe target[1] = 3
    unsafe target[2] = 3
    unsafe target[3] = UInt8(truncatingIfNeeded: length >> 8)
    unsafe target[4] = UInt8(truncatingIfNeeded: length)
    let body = unsafe target + TLSRecord.headerBytes
    var count: Int32 = 0
    var type = type
    return unsafe withNonce(&keys) { nonce in
      unsafe EVP_EncryptInit_ex(context, nil, nil, nil, nonce) == 1
        && EVP_EncryptUpdate(context, nil, &count, target, Int32(TLSRecord.headerBytes)) == 1
        && (content.isEmpty
          || EVP_EncryptUpdate(
            context, body, &count, content.baseAddress?.assumingMemoryBound(to: UInt8.self),
            Int32(content.count)) == 1)
        && EVP_EncryptUpdate(context, body + content.count, &count, &type, 1) == 1
        && EVP_EncryptFinal_ex(context, body + content.count + 1, &count) == 1
        && EVP_CIPHER_CTX_ctrl(
          context, EVP_CTRL_AEAD_GET_TAG, Int32(TLSRecord.tagBytes), body + content.count + 1) == 1
    }
  }

  /// Decrypts a complete record.
  ///
  /// Returns the number of bytes written to `target`, or nil if the record isn't authentic.
  package static func open(
    _ context: OpaquePointer, _ keys: inout TLS13Keys, _ record: UnsafeRawBufferPointer,
    into target: UnsafeMutablePointer<UInt8>
  ) -> Int? {
    let inner = record.count - TLSRecord.headerBytes - TLSRecord.tagBytes
    guard inner >= 0, let start = unsafe record.baseAddress?.assumingMemoryBound(to: UInt8.self)
    else {
      return nil
    }
    let body = unsafe start + TLSRecord.headerBytes
    var count: Int32 = 0
    let isGenuine = unsafe withNonce(&keys) { nonce in
      unsafe EVP_DecryptInit_ex(context, nil, nil, nil, nonce) == 1
        && EVP_CIPHER_CTX_ctrl(
          context, EVP_CTRL_AEAD_SET_TAG, Int32(TLSRecord.tagBytes),
          UnsafeMutableRawPointer(mutating: body + inner)) == 1
        && EVP_DecryptUpdate(context, nil, &count, start, Int32(TLSRecord.headerBytes)) == 1
        && EVP_DecryptUpdate(context, target, &count, body, Int32(inner)) == 1
        && EVP_DecryptFinal_ex(context, target + inner, &count) == 1
    }
    guard isGenuine else {
      ERR_clear_error()
      return nil
    }
    return inner
  }

  private static func withNonce(
    _ keys: inout TLS13Keys, _ body: (UnsafePointer<UInt8>?) -> Bool
  ) -> Bool {
    unsafe withUnsafeTemporaryAllocation(byteCount: 16, alignment: 4) { nonce in
      unsafe keys.nextNonce(into: nonce)
      return unsafe body(nonce.baseAddress?.assumingMemoryBound(to: UInt8.self))
    }
  }
}
