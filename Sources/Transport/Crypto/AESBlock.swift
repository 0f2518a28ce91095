internal import COpenSSL

/// A block of 16 bytes as two big-endian words.
struct AESBlock {
  static let byteCount = 16

  var high: UInt64 = 0
  var low: UInt64 = 0
}

extension AESBlock {
  init(loading bytes: UnsafeRawBufferPointer, at offset: Int) {
    high = unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    low = unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
  }

  /// Pads fewer than 16 bytes with a one bit and zeros, as RFC 4493 specifies.
  init(padding bytes: UnsafeRawBufferPointer) {
    assert(bytes.count < Self.byteCount, "the bytes to pad are shorter than a block")
    for index in 0..<bytes.count { unsafe put(bytes[index], at: index) }
    put(0x80, at: bytes.count)
  }

  private mutating func put(_ byte: UInt8, at index: Int) {
    let shifted = UInt64(byte) << UInt64(56 - 8 * (index % 8))
    if index < 8 { high |= shifted } else { low |= shifted }
  }

  func byte(_ index: Int) -> UInt8 {
    assert((0..<Self.byteCount).contains(index), "the index is within the block")
    return UInt8(truncatingIfNeeded: (index < 8 ? high : low) >> UInt64(56 - 8 * (index % 8)))
  }

  func store(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) {
    unsafe bytes.storeBytes(of: high.bigEndian, toByteOffset: offset, as: UInt64.self)
    unsafe bytes.storeBytes(of: low.bigEndian, toByteOffset: offset + 8, as: UInt64.self)
  }

  /// The block multiplied by x in GF(2^128), an operation that RFC 5297 calls `dbl`.
  var doubled: AESBlock {
    AESBlock(high: high << 1 | low >> 63, low: (low << 1) ^ (high >> 63) * 0x87)
  }

  /// Returns the block shifted right, filled with zeros from the left.
  func shifted(rightBytes count: Int) -> AESBlock {
    assert((0..<Self.byteCount).contains(count), "the shift is less than a block")
    if count >= 8 { return AESBlock(high: 0, low: high >> UInt64(8 * (count - 8))) }
    if count == 0 { return self }
    let bits = UInt64(8 * count)
    return AESBlock(high: high >> bits, low: low >> bits | high << (64 - bits))
  }

  /// Returns the block shifted left, filled with zeros from the right.
  func shifted(leftBytes count: Int) -> AESBlock {
    assert((0..<Self.byteCount).contains(count), "the shift is less than a block")
    if count >= 8 { return AESBlock(high: low << UInt64(8 * (count - 8)), low: 0) }
    if count == 0 { return self }
    let bits = UInt64(8 * count)
    return AESBlock(high: high << bits | low >> (64 - bits), low: low << bits)
  }

  /// Adds one to the 128-bit number, as CTR mode does.
  mutating func increment() {
    low &+= 1
    if low == 0 { high &+= 1 }
  }

  static func ^ (one: AESBlock, other: AESBlock) -> AESBlock {
    AESBlock(high: one.high ^ other.high, low: one.low ^ other.low)
  }
}

/// An AES cipher for single blocks with a reused EVP context.
///
/// A cipher is confined to one thread.
@safe final class AESBlockCipher {
  private let context: OpaquePointer

  /// Creates an AES-128 cipher for a key of 16 bytes, or an AES-256 cipher for a key of 32 bytes.
  init(key: ArraySlice<UInt8>) throws(CryptoFailure) {
    precondition(key.count == 16 || key.count == 32, "an AES key has 16 or 32 bytes")
    guard let context = unsafe EVP_CIPHER_CTX_new() else {
      throw OpenSSLErrors.failure("create a cipher context")
    }
    unsafe self.context = context
    let cipher = unsafe key.count == 16 ? EVP_aes_128_ecb() : EVP_aes_256_ecb()
    let isReady = unsafe key.withUnsafeBufferPointer {
      unsafe EVP_EncryptInit_ex(context, cipher, nil, $0.baseAddress, nil) == 1
        && EVP_CIPHER_CTX_set_padding(context, 0) == 1
    }
    guard isReady else { throw OpenSSLErrors.failure("initialize AES") }
  }

  func encrypt(_ block: AESBlock) -> AESBlock {
    unsafe withUnsafeTemporaryAllocation(byteCount: AESBlock.byteCount, alignment: 8) { bytes in
      unsafe block.store(into: bytes, at: 0)
      var written: Int32 = 0
      let start = unsafe bytes.bindMemory(to: UInt8.self).baseAddress
      let done = unsafe EVP_EncryptUpdate(
        context, start, &written, start, Int32(AESBlock.byteCount))
      precondition(done == 1 && written == 16, "AES encrypted the whole block")
      return unsafe AESBlock(loading: UnsafeRawBufferPointer(bytes), at: 0)
    }
  }

  deinit { unsafe EVP_CIPHER_CTX_free(context) }
}
