import TestSupport
import Testing

@testable import Transport

@Suite struct SIVCipherTests {
  @Test
  func `RFC 5297 A.1: one associated datum, 14 bytes`() throws {
    let cipher = try SIVCipher(
      key: bytes("fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"))
    let data = bytes("101112131415161718191a1b1c1d1e1f2021222324252627")
    let plaintext = bytes("112233445566778899aabbccddee")
    let sealed = bytes("85632d07c6e8f37f950acd320a2ecc9340c02b9690c4dc04daef7f6afe5c")
    #expect(cipher.seal(plaintext, associatedData: [data]) == sealed)
    #expect(cipher.open(sealed, associatedData: [data]) == plaintext)
  }

  @Test
  func `RFC 5297 A.2: three associated data, 47 bytes`() throws {
    let cipher = try SIVCipher(
      key: bytes("7f7e7d7c7b7a79787776757473727170404142434445464748494a4b4c4d4e4f"))
    let data = [
      bytes(
        "00112233445566778899aabbccddeeffdeaddadadeaddadaffeeddccbbaa99887766554433221100"),
      bytes("102030405060708090a0"), bytes("09f911029d74e35bd84156c5635688c0"),
    ]
    let plaintext = bytes(
      "7468697320697320736f6d6520706c61696e7465787420746f20656e6372797074207573696e672053"
        + "49562d414553")
    let sealed = bytes(
      "7bdb6e3b432667eb06f4d14bff2fbd0fcb900f2fddbe404326601965c889bf17dba77ceb094fa663b7"
        + "a3f748ba8af829ea64ad544a272e9c485b62a3fd5c0d")
    #expect(cipher.seal(plaintext, associatedData: data) == sealed)
    #expect(cipher.open(sealed, associatedData: data) == plaintext)
  }

  @Test(arguments: [32, 64])
  func `every length agrees with OpenSSL's own SIV`(keyBytes: Int) throws {
    var random = SystemRandomNumberGenerator()
    // OpenSSL 3.0's SIV refuses an empty plaintext, so the minimum is one byte.
    for length in 1...80 {
      let key = random.bytes(keyBytes)
      let plaintext = random.bytes(length)
      let cipher = try SIVCipher(key: key)
      let oracle = try #require(SIVOracle.seal(plaintext, key: key))
      #expect(cipher.seal(plaintext) == oracle, "\(length) bytes")
      #expect(cipher.open(oracle) == plaintext)
    }
  }

  @Test
  func `a changed ciphertext does not open and leaves no plaintext`() throws {
    let cipher = try SIVCipher(key: [UInt8](repeating: 7, count: 32))
    let plaintext = [UInt8](0..<16)
    let sealed = cipher.seal(plaintext)
    #expect(sealed.count == 32)
    for bit in 0..<256 {
      var forged = sealed
      forged[bit / 8] ^= 1 << (bit % 8)
      var output = [UInt8](repeating: 0xFF, count: 16)
      let isOpen = forged.withUnsafeBytes { forged in
        output.withUnsafeMutableBytes { cipher.open(forged, into: $0) }
      }
      #expect(!isOpen)
      #expect(output == [UInt8](repeating: 0, count: 16))
    }
    #expect(cipher.open([UInt8](repeating: 0, count: 15)) == nil)
    let other = try SIVCipher(key: [UInt8](repeating: 8, count: 32))
    #expect(other.open(sealed) == nil)
  }

  @Test(arguments: [0, 16, 31, 33, 48, 65])
  func `keys of other sizes are refused`(count: Int) {
    #expect(throws: CryptoFailure.self) { try SIVCipher(key: [UInt8](repeating: 0, count: count)) }
  }

  @Test
  func `sealing and opening a token allocate nothing`() throws {
    let cipher = try SIVCipher(key: [UInt8](repeating: 7, count: 32))
    let plaintext = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 8)
    let sealed = UnsafeMutableRawBufferPointer.allocate(byteCount: 32, alignment: 8)
    defer {
      plaintext.deallocate()
      sealed.deallocate()
    }
    plaintext.initializeMemory(as: UInt8.self, repeating: 3)
    expectAllocations(atMost: 0) {
      cipher.seal(UnsafeRawBufferPointer(plaintext), into: sealed)
      _ = cipher.open(UnsafeRawBufferPointer(sealed), into: plaintext)
    }
    #expect(plaintext.allSatisfy { $0 == 3 })
  }
}

/// Returns the bytes for pairs of hexadecimal digits.
func bytes(_ hexadecimal: String) -> [UInt8] {
  let digits = hexadecimal.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

extension SystemRandomNumberGenerator {
  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in next() } }
}
