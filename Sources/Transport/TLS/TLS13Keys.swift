import COpenSSL

/// The parameters of a TLS 1.3 cipher suite (RFC 8446 appendix B.4).
package struct TLS13Suite {
  package let cipher: TLS13Cipher
  package let secretBytes: Int
  let keyBytes: Int

  /// Creates a suite from its number, or returns nil for a suite whose records OpenSSL must handle.
  package init?(number: UInt16) {
    switch number {
    case 0x1301: (cipher, secretBytes, keyBytes) = (.aes128, 32, 16)
    case 0x1302: (cipher, secretBytes, keyBytes) = (.aes256, 48, 32)
    case 0x1303: (cipher, secretBytes, keyBytes) = (.chacha20, 32, 32)
    default: return nil
    }
  }
}

/// The AEADs of TLS 1.3.
package enum TLS13Cipher: Int {
  case aes128
  case aes256
  case chacha20
}

/// The traffic secret of one direction, and the key and IV derived from it.
///
/// The owner erases these values in its own `deinit`.
package struct TLS13Keys {
  typealias Word4 = (UInt64, UInt64, UInt64, UInt64)

  /// The secret, retained for KeyUpdate; 32 or 48 of its bytes are used.
  private var secret: (Word4, UInt64, UInt64) = ((0, 0, 0, 0), 0, 0)
  private(set) var key: Word4 = (0, 0, 0, 0)
  /// The first four bytes of the IV.
  ///
  /// The last eight bytes of the IV follow, in memory order.
  private var ivHead: UInt32 = 0
  private var ivTail: UInt64 = 0
  /// The sequence number of the next record.
  private(set) var sequence: UInt64 = 0

  package init() {}

  /// Derives the first generation of keys.
  ///
  /// `sequence` is the number of records that were already sent or received with these keys.
  package mutating func start(
    secret bytes: UnsafeRawBufferPointer, _ suite: TLS13Suite, sequence: UInt64
  ) {
    precondition(bytes.count == suite.secretBytes, "the secret has the size of the suite's hash")
    assert(secret.1 == 0 && key == (0, 0, 0, 0), "the keys of a direction are started only once")
    unsafe withUnsafeMutableBytes(of: &secret) { target in
      unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(target.count)))
    }
    derive(suite)
    self.sequence = sequence
  }

  /// Advances to the next generation of keys (RFC 8446 section 7.2).
  package mutating func update(_ suite: TLS13Suite) {
    unsafe withUnsafeMutableBytes(of: &secret) { secret in
      let used = unsafe UnsafeMutableRawBufferPointer(rebasing: secret[0..<suite.secretBytes])
      // The output can overwrite the key in place, because HMAC first computes the entire output.
      unsafe Self.expand(UnsafeRawBufferPointer(used), suite, "traffic upd", into: used)
    }
    derive(suite)
    sequence = 0
  }

  /// Returns the nonce of the next record: 12 bytes (RFC 8446 section 5.3).
  mutating func nextNonce(into target: UnsafeMutableRawBufferPointer) {
    unsafe target.storeBytes(of: ivHead, as: UInt32.self)
    unsafe target.storeBytes(
      of: ivTail ^ sequence.bigEndian, toByteOffset: 4, as: UInt64.self)
    // Trap on overflow instead of using a nonce twice. In practice, the keys are renewed long before the overflow
    // (`recordsPerKey`).
    sequence += 1
  }

  mutating func wipe() {
    unsafe withUnsafeMutableBytes(of: &self) { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
  }

  private mutating func derive(_ suite: TLS13Suite) {
    unsafe withUnsafeMutableBytes(of: &secret) { secret in
      let used = unsafe UnsafeRawBufferPointer(rebasing: secret[0..<suite.secretBytes])
      unsafe withUnsafeMutableBytes(of: &key) { target in
        unsafe Self.expand(
          used, suite, "key",
          into: UnsafeMutableRawBufferPointer(rebasing: target[0..<suite.keyBytes]))
      }
      unsafe withUnsafeTemporaryAllocation(byteCount: 12, alignment: 8) { iv in
        unsafe Self.expand(used, suite, "iv", into: iv)
        ivHead = unsafe iv.loadUnaligned(as: UInt32.self)
        ivTail = unsafe iv.loadUnaligned(fromByteOffset: 4, as: UInt64.self)
      }
    }
  }

  /// Computes HKDF-Expand-Label with an empty context, for outputs of at most one hash (RFC 8446 7.1).
  static func expand(
    _ secret: UnsafeRawBufferPointer, _ suite: TLS13Suite, _ label: StaticString,
    into target: UnsafeMutableRawBufferPointer
  ) {
    assert(target.count <= suite.secretBytes, "the output has at most the size of one hash")
    assert(label.utf8CodeUnitCount <= 40, "the label fits in its space")
    unsafe withUnsafeTemporaryAllocation(byteCount: 128, alignment: 8) { space in
      let labelBytes = label.utf8CodeUnitCount
      unsafe space[0] = 0
      unsafe space[1] = UInt8(truncatingIfNeeded: target.count)
      unsafe space[2] = UInt8(truncatingIfNeeded: 6 + labelBytes)
      for (index, byte) in "tls13 ".utf8.enumerated() { unsafe space[3 + index] = byte }
      for index in 0..<labelBytes { unsafe space[9 + index] = label.utf8Start[index] }
      unsafe space[9 + labelBytes] = 0
      unsafe space[10 + labelBytes] = 1
      let output = unsafe UnsafeMutableRawBufferPointer(rebasing: space[64..<112])
      var count: UInt32 = 0
      let digest = unsafe suite.secretBytes == 48 ? EVP_sha384() : EVP_sha256()
      let done = unsafe HMAC(
        digest, secret.baseAddress, Int32(secret.count),
        space.baseAddress?.assumingMemoryBound(to: UInt8.self), 11 + labelBytes,
        output.baseAddress?.assumingMemoryBound(to: UInt8.self), &count)
      precondition(unsafe done != nil && Int(count) >= target.count, "HMAC returned enough bytes")
      unsafe target.copyMemory(
        from: UnsafeRawBufferPointer(rebasing: output[0..<target.count]))
      unsafe OPENSSL_cleanse(space.baseAddress, space.count)
    }
  }
}
