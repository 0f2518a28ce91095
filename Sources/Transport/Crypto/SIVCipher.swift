internal import COpenSSL

/// A cipher for AES-SIV (RFC 5297), which is deterministic authenticated encryption.
///
/// The same plaintext always yields the same sealed bytes, and only bytes that were sealed with the same key can be
/// opened.
///
/// OpenSSL's own SIV implementation makes about 30 allocations per message. This type therefore implements S2V and CTR
/// on EVP's single AES blocks, with reused contexts. Tests compare the results with OpenSSL's results and with the
/// RFC's test vectors. A cipher is confined to one thread, and calls without associated data don't allocate.
@safe public final class SIVCipher {
  /// The difference in bytes between a sealed message and its plaintext: the size of the synthetic IV.
  public static let overheadBytes = 16

  private let authentication: AESBlockCipher
  private let encryption: AESBlockCipher
  /// The CMAC of the zero block, which is the initial value of S2V.
  private let initial: AESBlock
  private let subkeyForFull: AESBlock
  private let subkeyForPartial: AESBlock

  /// Creates a cipher with `key`, which has 32 bytes for AES-128-SIV and 64 bytes for AES-256-SIV.
  public init(key: [UInt8]) throws(CryptoFailure) {
    guard key.count == 32 || key.count == 64 else {
      throw .malformed(expected: "a SIV key of 32 or 64 bytes")
    }
    authentication = try AESBlockCipher(key: key[..<(key.count / 2)])
    encryption = try AESBlockCipher(key: key[(key.count / 2)...])
    subkeyForFull = authentication.encrypt(AESBlock()).doubled
    subkeyForPartial = subkeyForFull.doubled
    initial = authentication.encrypt(subkeyForFull)
  }

  /// Seals `plaintext` into `sealed`: the synthetic IV, followed by the ciphertext.
  ///
  /// `sealed` is longer than `plaintext` by `overheadBytes`, and the two buffers must not overlap.
  public func seal(_ plaintext: UnsafeRawBufferPointer, into sealed: UnsafeMutableRawBufferPointer)
  {
    unsafe seal(plaintext, from: initial, into: sealed)
  }

  /// Opens `sealed` into `plaintext`, which is shorter by `overheadBytes`.
  ///
  /// If the bytes weren't sealed with this key, or if the byte counts don't match, this method zeroes `plaintext` and
  /// returns false.
  public func open(
    _ sealed: UnsafeRawBufferPointer, into plaintext: UnsafeMutableRawBufferPointer
  ) -> Bool {
    unsafe open(sealed, from: initial, into: plaintext)
  }

  /// Seals `plaintext` and binds it to `associatedData`, which must be provided again to open the sealed bytes.
  public func seal(_ plaintext: [UInt8], associatedData: [[UInt8]] = []) -> [UInt8] {
    let start = digest(of: associatedData)
    return unsafe [UInt8](unsafeUninitializedCapacity: plaintext.count + Self.overheadBytes) {
      buffer, used in
      unsafe plaintext.withUnsafeBytes {
        unsafe seal($0, from: start, into: UnsafeMutableRawBufferPointer(buffer))
      }
      used = plaintext.count + Self.overheadBytes
    }
  }

  /// Opens `sealed`, or returns nil if it wasn't sealed with this key and this associated data.
  public func open(_ sealed: [UInt8], associatedData: [[UInt8]] = []) -> [UInt8]? {
    guard sealed.count >= Self.overheadBytes else { return nil }
    let start = digest(of: associatedData)
    var isOpen = false
    let plaintext = unsafe [UInt8](unsafeUninitializedCapacity: sealed.count - Self.overheadBytes) {
      buffer, used in
      used = sealed.count - Self.overheadBytes
      isOpen = unsafe sealed.withUnsafeBytes {
        unsafe open(
          $0, from: start,
          into: UnsafeMutableRawBufferPointer(
            start: buffer.baseAddress, count: sealed.count - Self.overheadBytes))
      }
    }
    return isOpen ? plaintext : nil
  }

  private func seal(
    _ plaintext: UnsafeRawBufferPointer, from start: AESBlock,
    into sealed: UnsafeMutableRawBufferPointer
  ) {
    precondition(
      sealed.count >= plaintext.count + Self.overheadBytes,
      "the output has room for the synthetic IV")
    let vector = unsafe syntheticVector(of: plaintext, from: start)
    unsafe vector.store(into: sealed, at: 0)
    let ciphertext = unsafe UnsafeMutableRawBufferPointer(
      rebasing: sealed[Self.overheadBytes..<Self.overheadBytes + plaintext.count])
    unsafe applyCounter(from: vector, to: plaintext, into: ciphertext)
  }

  private func open(
    _ sealed: UnsafeRawBufferPointer, from start: AESBlock,
    into plaintext: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard sealed.count >= Self.overheadBytes,
      plaintext.count == sealed.count - Self.overheadBytes
    else { return false }
    let vector = unsafe AESBlock(loading: sealed, at: 0)
    let ciphertext = unsafe UnsafeRawBufferPointer(rebasing: sealed[Self.overheadBytes...])
    unsafe applyCounter(from: vector, to: ciphertext, into: plaintext)
    let expected = unsafe syntheticVector(of: UnsafeRawBufferPointer(plaintext), from: start)
    // Always compare both words, so that the duration reveals nothing about the values.
    let difference = (expected.high ^ vector.high) | (expected.low ^ vector.low)
    if difference != 0 { unsafe plaintext.initializeMemory(as: UInt8.self, repeating: 0) }
    return difference == 0
  }

  /// Computes S2V over all strings except the last (RFC 5297 section 2.4).
  private func digest(of associatedData: [[UInt8]]) -> AESBlock {
    associatedData.reduce(initial) { digest, data in
      digest.doubled ^ (unsafe data.withUnsafeBytes { unsafe cmac($0) })
    }
  }

  /// Computes the last step of S2V, for the plaintext itself.
  private func syntheticVector(
    of plaintext: UnsafeRawBufferPointer, from digest: AESBlock
  ) -> AESBlock {
    if plaintext.count == AESBlock.byteCount {
      // A single full block, such as a device token, needs only one encryption, which is applied to the XOR of the
      // block, the digest, and the subkey.
      return authentication.encrypt(
        unsafe AESBlock(loading: plaintext, at: 0) ^ digest ^ subkeyForFull)
    }
    if plaintext.count < AESBlock.byteCount {
      let padded = unsafe AESBlock(padding: plaintext)
      return authentication.encrypt(digest.doubled ^ padded ^ subkeyForFull)
    }
    return unsafe cmac(plaintext, lastBlockXor: digest)
  }

  /// Computes AES-CMAC (RFC 4493).
  ///
  /// If `sum` isn't nil, the same pass also applies `xorend` of RFC 5297 section 2.2 with `sum`.
  private func cmac(
    _ bytes: UnsafeRawBufferPointer, lastBlockXor sum: AESBlock? = nil
  ) -> AESBlock {
    let tail = bytes.count - AESBlock.byteCount
    var state = AESBlock()
    var offset = 0
    while offset < tail {
      var block = unsafe AESBlock(loading: bytes, at: offset)
      if let sum, offset + AESBlock.byteCount > tail {
        block = block ^ sum.shifted(rightBytes: tail - offset)
      }
      state = authentication.encrypt(state ^ block)
      offset += AESBlock.byteCount
    }
    let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[offset...])
    let isFull = rest.count == AESBlock.byteCount
    var last = unsafe isFull ? AESBlock(loading: rest, at: 0) : AESBlock(padding: rest)
    if let sum { last = last ^ sum.shifted(leftBytes: AESBlock.byteCount - rest.count) }
    return authentication.encrypt(state ^ last ^ (isFull ? subkeyForFull : subkeyForPartial))
  }

  /// Applies CTR mode from `vector`, after clearing the two bits that RFC 5297 section 2.5 specifies.
  private func applyCounter(
    from vector: AESBlock, to input: UnsafeRawBufferPointer,
    into output: UnsafeMutableRawBufferPointer
  ) {
    var counter = AESBlock(
      high: vector.high, low: vector.low & 0x7FFF_FFFF_7FFF_FFFF)
    var offset = 0
    while offset < input.count {
      let mask = encryption.encrypt(counter)
      let count = min(AESBlock.byteCount, input.count - offset)
      if count == AESBlock.byteCount {
        unsafe (AESBlock(loading: input, at: offset) ^ mask).store(into: output, at: offset)
      } else {
        for index in 0..<count {
          unsafe output[offset + index] = input[offset + index] ^ mask.byte(index)
        }
      }
      offset += count
      counter.increment()
    }
  }
}
